/** Prints and assertions that are used wrongly. */
import { describe, expect, it } from "vitest"
import { Control, Debug, MemRef } from "../../src/index.ts"
import { args, type Case, dynamic, M } from "../support/dynamic.ts"
import { kernelError, refused } from "../support/kernels.ts"

const D: any = Debug

const cases: ReadonlyArray<Case> = [
  ["a ref instead of its value", function* ({ x }) { yield* D.print("x", x) }, ['ref "x" is not a tile', "load a ref"], "D.print"],
  ["a ref among named tiles", function* ({ x }) { yield* D.print("x", { x }) }, ['ref "x" is not a tile', "load a ref"], "D.print"],
  ["a load that was not run", function* ({ x }) { const l = M.load(x); yield* D.print("x", l); yield* l }, ["an operation that was not run", "yield*"], "D.print"],
  ["a number", function* () { yield* D.print("x", 3) }, ["3 is not a tile", "Tile.of"], "D.print"],
  ["an array", function* ({ x }) { yield* D.print("x", [yield* M.load(x)]) }, ["an object is not a tile"], "D.print"],
  ["a record in a record", function* ({ x }) { yield* D.print("x", { a: { b: yield* M.load(x) } }) }, ["an object is not a tile"], "D.print"],
  ["nothing", function* () { yield* D.print("x", undefined) }, ["undefined is not a tile"], "D.print"],
  ["no label", function* ({ x }) { yield* D.print(yield* M.load(x)) }, ["the label is a tile"], "D.print"],
  ["a condition of numbers", function* ({ x }) { yield* D.assert(yield* M.load(x), "m") }, ["the condition is a tile of f32", "compare"], "D.assert"],
  ["a ref as condition", function* ({ x }) { yield* D.assert(x, "m") }, ['ref "x" is not a tile'], "D.assert"],
  ["a condition that is no tile", function* () { yield* D.assert("x", "m") }, ["a string is not a tile"], "D.assert"],
  ["no message", function* ({ x }) { yield* D.assert((yield* M.load(x)).gt(0)) }, ["the message is of type undefined"], "D.assert"],
  ["a tile to show", function* ({ x }) { const v = yield* M.load(x); yield* D.assert(v.gt(0), "m", v) }, ["only scalars can be shown", "print it"], "D.assert"]
] // prettier-ignore

describe("a kernel is refused, at the line of the mistake, that prints or asserts", () => {
  it.each(cases)("%s", (_, body, says, at) => refused("TypeMismatch", dynamic(body), args(), { says, at }))
  it.each([
    ["print", ({ v }: any) => Debug.print("x", v)],
    ["assert", ({ v }: any) => Debug.assert(v.gt(0), "x")]
  ])("without yield*: %s", async (name, make) => {
    const error = await kernelError(
      "Unyielded",
      dynamic(function* ({ x }) {
        make({ v: yield* MemRef.load(x) })
      }),
      args()
    )
    expect(error.primitive).toBe(name)
  })
  it("a tile of a loop that has ended", () =>
    refused(
      "ForeignValue",
      dynamic(function* () {
        let kept: any
        yield* Control.forEach(0, 2, function* (i) {
          kept = i
        })
        yield* D.print("late", kept)
      }),
      args(),
      { says: ["has ended"], at: "D.print" }
    ))
})
