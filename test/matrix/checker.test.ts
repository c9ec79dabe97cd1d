/** Programs with accumulators as text and data: what comes back, and what the checker refuses. */
import { Effect, Result } from "effect"
import { describe, expect, it } from "vitest"
import { discharge } from "../../src/discharge/discharge.ts"
import { check } from "../../src/ir/check.ts"
import { fromJson, toJson } from "../../src/ir/codec.ts"
import { parse } from "../../src/ir/parse.ts"
import { print } from "../../src/ir/print.ts"
import { type Program } from "../../src/ir/program.ts"
import { Kernel } from "../../src/index.ts"
import { primitive } from "../../src/primitives/index.ts"
import { onEach } from "../support/kernels.ts"

/** A program over `a`, `o`, scratch `s` and accumulators `x`, `y`, all of shape [2, 2]. */
const text = (body: string): string => `effect-kernels 1
kernel hand
grid [1]
in a: f32[2, 2]
inout o: f32[2, 2]
body {
  scratch x: f32[2, 2] register accumulator
  scratch y: f32[2, 2] register accumulator
  scratch s: f32[2, 2] workgroup
${body}
}
`
const parsed = (body: string): Program => Result.getOrThrow(parse(text(body)))
const finding = (body: string): string => {
  const found = check(parsed(body), primitive)
  if (found === undefined) throw new Error(`this passes:\n${body}`)
  return `${found.detail}\n${found.equation}\n${found.neighbours}`
}
const issue = (acc: string, of = "a"): string =>
  `multiplyAccumulate {a: "ref", b: "ref", transposeA: false, transposeB: false} ${acc} ${of} ${of} ! Pipeline, Read(${acc}), Write(${acc}), Read(${of})`
const wait = (n: number): string => `pipelineWait {atMost: ${n}} ! Pipeline`
const read = (acc: string, id = 0): string => `%${id}: f32[2, 2] = accumulatorRead ${acc} ! Pipeline, Read(${acc})`
const set = (acc: string): string => `accumulatorSet ${acc} (%9) ! Pipeline, Write(${acc})`
const full = `%9: f32[2, 2] = full {shape: [2, 2]} (1f)`
const lines = (...of: ReadonlyArray<string>): string => of.join("\n")
const onBoth = "! Pipeline, Read(a), Read(x), Write(x)"

const whole = lines(
  full,
  set("y"),
  `fori (0i, 3i) ${onBoth} { (%1: i32[]) =>`,
  issue("x"),
  wait(1),
  `}`,
  `multiplyAccumulate {a: "tile", b: "ref", transposeA: true, transposeB: false} y a (%9) ! Pipeline, Read(y), Write(y), Read(a)`,
  wait(0),
  read("x"),
  read("y", 2),
  `%3: f32[2, 2] = add (%0, %2)`,
  `store o (%3) ! Write(o)`
)

describe("a program with accumulators", () => {
  it("passes, and is the same after text and JSON", () => {
    const p = parsed(whole)
    expect(check(p, primitive)).toBeUndefined()
    expect(Result.getOrThrow(parse(print(p)))).toEqual(p)
    expect(Result.getOrThrow(fromJson(JSON.parse(JSON.stringify(toJson(p)))))).toEqual(p)
    expect(print(p)).toContain("scratch x: f32[2, 2] register accumulator\n")
    expect(print(p)).toContain("scratch s: f32[2, 2] workgroup\n")
  })
  it("gives on every interpreter what it says", async () => {
    const kernel = await Effect.runPromise(Kernel.parse(text(whole)))
    const args = { a: Float32Array.of(1, 2, 3, 4), o: new Float32Array(4) }
    // 3·a·a + 1 + ones·a
    await onEach(kernel, args, { o: [21 + 5, 30 + 7, 45 + 5, 66 + 7] })
  })
  it.each([["x"], ["y"], ["x", "y"], ["a"], ["o", "y"]])(
    "still passes when %s and %s alone are discharged",
    async (...only) => {
      const p = await Effect.runPromise(discharge(parsed(whole), { only: only.filter((n) => n !== undefined) }))
      expect(check(p, primitive)).toBeUndefined()
    }
  )
  it("has no effect left when all is discharged", async () => {
    const p = await Effect.runPromise(discharge(parsed(whole)))
    expect(check(p, primitive)).toBeUndefined()
    expect(print(p)).not.toContain(" ! ")
    expect(print(p)).toContain("= dot ")
  })
  it("of a role that nobody knows is no program", () => {
    expect(Result.isFailure(parse(text("").replaceAll("accumulator", "accelerator")))).toBe(true)
    const json = JSON.parse(JSON.stringify(toJson(parsed(whole))).replaceAll('"accumulator"', '"accelerator"'))
    expect(Result.isFailure(fromJson(json))).toBe(true)
  })
})

describe("the checker refuses", () => {
  const refused: ReadonlyArray<readonly [what: string, body: string, says: ReadonlyArray<string>]> = [
    ["a read in flight", lines(issue("x"), read("x"), wait(0)), ['accumulatorRead of "x": it is read while', "> %0"]],
    ["a set in flight", lines(full, issue("x"), set("x"), wait(0)), ['accumulatorSet of "x": it is set while']],
    ["an end in flight", issue("x"), ['multiplyAccumulate of "x": the kernel ends while it is in flight']],
    ["a wait that is not enough", lines(issue("x"), issue("y"), wait(1)), ['"y": the kernel ends']],
    [
      "the smaller age of two branches",
      lines(
        issue("x"),
        issue("y"),
        `cond (true) ! Pipeline, Read(a), Read(x), Write(x) {`,
        issue("x"),
        `} {`,
        `}`,
        wait(1),
        read("x"),
        wait(0)
      ),
      ['"x": it is read while']
    ],
    [
      "an age that comes down from turn to turn",
      lines(
        issue("y"),
        issue("x"),
        issue("x"),
        `fori (0i, 3i) ! Pipeline, Read(a), Read(x), Read(y), Write(x), Write(y) { (%1: i32[]) =>`,
        wait(2),
        read("y"),
        issue("x"),
        issue("y"),
        `}`,
        wait(0)
      ),
      ['"y": it is read while']
    ],
    [
      "what a loop around leaves in flight for a loop inside",
      lines(
        `fori (0i, 3i) ! Pipeline, Read(a), Read(x), Write(x) { (%1: i32[]) =>`,
        `fori (0i, 3i) ! Pipeline, Read(x) { (%2: i32[]) =>`,
        read("x", 3),
        `}`,
        issue("x"),
        `}`,
        wait(0)
      ),
      ['"x": it is read while', "> %3"]
    ],
    [
      "what the condition of a loop issues",
      lines(
        `while ! Pipeline, Read(a), Read(x), Write(x) {`,
        issue("x"),
        `yield false`,
        `} {`,
        wait(0),
        `}`,
        read("x"),
        wait(0)
      ),
      ['"x": it is read while']
    ],
    [
      "a scope that ends in flight",
      lines(
        `scoped ! Memory, Pipeline, Read(a) {`,
        `scratch z: f32[2, 2] register accumulator`,
        issue("z"),
        `}`,
        wait(0)
      ),
      ['"z": the scope ends']
    ],
    [
      "a load of an accumulator",
      "%0: f32[2, 2] = load x ! Read(x)",
      ['ref "x" is an accumulator, and plain memory is needed']
    ],
    [
      "a store to an accumulator",
      lines(full, "store x (%9) ! Write(x)"),
      ['ref "x" is an accumulator, and plain memory is needed']
    ],
    [
      "an accumulator as a factor",
      lines(issue("x", "y"), wait(0)),
      ['ref "y" is an accumulator, and plain memory is needed']
    ],
    [
      "products added to scratch",
      lines(issue("s"), wait(0)),
      ['ref "s" is plain memory, and an accumulator is needed']
    ],
    ["products added to a ref", lines(issue("o"), wait(0)), ['ref "o" is plain memory, and an accumulator is needed']],
    [
      "a view of an accumulator",
      "%0: f32[2] = accumulatorRead x[0, 0 +: 2] ! Pipeline, Read(x)",
      ["a view of an accumulator", "as a whole"]
    ],
    ["effects that hide the pipeline", "%0: f32[2, 2] = accumulatorRead x ! Read(x)", ["the effects are declared as"]],
    ["a wait without a number", "pipelineWait ! Pipeline", ['"atMost" is missing']],
    ["a wait for less than none", wait(-1), ["-1 in flight"]],
    [
      "factors that are not there",
      `multiplyAccumulate {a: "tile", b: "ref", transposeA: false, transposeB: false} x a a ! Pipeline, Read(x), Write(x), Read(a)`,
      ['there is no tile for "a"']
    ],
    [
      "factors of a kind that nobody knows",
      `multiplyAccumulate {a: "view", b: "ref", transposeA: false, transposeB: false} x a a ! Pipeline, Read(x), Write(x), Read(a)`,
      ['there is no view for "a"']
    ],
    [
      "three factors",
      `multiplyAccumulate {a: "ref", b: "ref", transposeA: false, transposeB: false} x a a a ! Pipeline, Read(x), Write(x), Read(a)`,
      ["takes 2 factors, got 3"]
    ],
    ["no accumulator at all", "accumulatorRead ! Pipeline", ["takes an accumulator"]],
    ["two tiles to start from", lines(full, "accumulatorSet x (%9, %9) ! Pipeline, Write(x)"), ["takes 1 operand"]]
  ]
  it.each(refused)("%s", (_, body, says) => {
    const found = finding(body)
    for (const part of says) expect(found).toContain(part)
  })
  it.each([
    ["f16[2, 2]", "an accumulator of f16"],
    ["bool[2, 2]", "an accumulator of bool"],
    ["f32[4]", "an accumulator of shape [4]"]
  ])("an accumulator declared as %s", (aval, says) => {
    const p = Result.getOrThrow(parse(text("").replace("x: f32[2, 2]", `x: ${aval}`)))
    expect(check(p, primitive)?.detail).toContain(says)
  })
})

describe("the checker accepts", () => {
  it("what is older than the wait leaves in flight, in loops too", () => {
    const body = lines(
      issue("x"),
      `fori (0i, 3i) ! Pipeline, Read(a), Read(x), Read(y), Write(y) { (%1: i32[]) =>`,
      issue("y"),
      wait(1),
      read("x"),
      `}`,
      wait(0)
    )
    expect(check(parsed(body), primitive)).toBeUndefined()
  })
  it("loops in loops, as deep as they go, in no time", () => {
    const depth = 120
    const open = Array.from({ length: depth }, (_, k) => `fori (0i, 2i) ${onBoth} { (%${k + 10}: i32[]) =>`)
    const body = lines(...open, issue("x"), ...open.map(() => "}"), wait(0), read("x"))
    const p = parsed(body)
    const start = performance.now()
    expect(check(p, primitive)).toBeUndefined()
    expect(performance.now() - start).toBeLessThan(5000)
  })
})
