/** Barriers, on hand-written lowered kernels. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import * as E from "../../src/ir/expr.ts"
import type { Expr, Lowered, Memory, Stmt } from "../../src/ir/lowered.ts"
import type { Program } from "../../src/ir/program.ts"
import { barrierCount, withoutBarrier } from "../../src/simulate/lowered/blocks.ts"
import { barriers } from "../../src/wgsl/barriers.ts"
import { prepare } from "../../src/wgsl/compile.ts"
import { lockstep } from "./lockstep.ts"
import { softmax } from "../../examples/softmax.ts"
import { control } from "./kernels.ts"

const el = E.local("i32", "el")
const memory = (name: string, space: Memory["space"], atomic = false): Memory => ({
  name,
  space,
  dtype: "f32",
  length: 64,
  offset: 0,
  writable: true,
  atomic
})
const kernel = (body: ReadonlyArray<Stmt>): Lowered => ({
  name: "k",
  workgroupSize: 16,
  programs: 1,
  memories: [
    memory("a", "workgroup"),
    memory("b", "workgroup"),
    memory("s", "storage"),
    memory("n", "storage", true),
    { ...memory("p", "storage"), dtype: "i8" },
    { ...memory("q", "storage", true), dtype: "bf16" },
    memory("r", "register")
  ],
  body
})
const each = (...body: ReadonlyArray<Stmt>): Stmt => ({ _tag: "Each", name: "el", slot: "slot", count: 64, body })
const store = (name: string, index: Expr = el, value: Expr = E.constant("f32", 1)): Stmt => ({
  _tag: "Store",
  memory: name,
  index,
  value
})
const copy = (from: string, to: string, index: Expr): Stmt => each(store(to, el, E.load(from, index, "f32")))
const turned = E.add(E.integer(63), E.mul(el, -1))

/** The statements' tags, barriers with what they wait for. */
const shape = (body: ReadonlyArray<Stmt>): ReadonlyArray<unknown> =>
  body.map((s) =>
    s._tag === "Barrier"
      ? `barrier${s.workgroup ? " workgroup" : ""}${s.storage ? " storage" : ""}`
      : s._tag === "For" || s._tag === "Loop"
        ? shape(s.body)
        : s._tag
  )
const placed = (...body: ReadonlyArray<Stmt>): ReadonlyArray<unknown> => shape(barriers(kernel(body)).body)

describe("a barrier stands", () => {
  it("between a write and a read of other elements", () => {
    expect(placed(each(store("a")), copy("a", "b", turned))).toEqual(["Each", "barrier workgroup", "Each"])
    expect(placed(each(store("s")), copy("s", "b", turned))).toEqual(["Each", "barrier storage", "Each"])
  })
  it("between a read and a write of what others read", () => {
    expect(placed(copy("a", "b", turned), each(store("a")))).toEqual(["Each", "barrier workgroup", "Each"])
  })
  it("in a loop for what the next turn needs, and not for what stood before it", () => {
    const turns = (...body: ReadonlyArray<Stmt>): Stmt => ({
      _tag: "For",
      name: "k",
      from: E.integer(0),
      to: E.integer(3),
      body
    })
    expect(placed(turns(copy("a", "b", turned), each(store("a"))))).toEqual([
      ["barrier workgroup", "Each", "barrier workgroup", "Each"]
    ])
    expect(placed(each(store("a")), turns(copy("a", "b", turned)))).toEqual(["Each", "barrier workgroup", ["Each"]])
  })
  it("where an index changes from turn to turn, though it is the same text", () => {
    const moving = E.add(el, E.local("i32", "k"))
    const turn: Stmt = {
      _tag: "For",
      name: "k",
      from: E.integer(0),
      to: E.integer(3),
      body: [each(store("a", moving))]
    }
    expect(placed(turn)).toEqual([["barrier workgroup", "Each"]])
  })
  it("after what only the first invocation writes", () => {
    const first: Stmt = { _tag: "Each", name: "el", slot: "slot", count: 1, body: [store("a", E.integer(0))] }
    expect(placed(first, copy("a", "b", E.integer(0)))).toEqual(["Each", "barrier workgroup", "Each"])
    expect(placed(first, first)).toEqual(["Each", "Each"])
  })
})
describe("no barrier stands", () => {
  it("where each invocation goes on with its own elements", () => {
    expect(placed(each(store("a")), copy("a", "b", el), each(store("a")))).toEqual(["Each", "Each", "Each"])
    const block = E.add(E.mul(E.div(el, 8, true), 100), E.mod(el, 8, true))
    expect(placed(each(store("s", block)), each(store("s", block)))).toEqual(["Each", "Each"])
  })
  it("for the registers of an invocation", () => {
    expect(placed(each(store("r")), copy("r", "r", el))).toEqual(["Each", "Each"])
  })
  it("between atomic additions", () => {
    const add: Stmt = { _tag: "Add", memory: "n", index: E.integer(0), value: E.constant("f32", 1), dtype: "f32" }
    expect(placed(each(add), each(add))).toEqual(["Each", "Each"])
  })
})

describe("in a loop, cells may change from turn to turn", () => {
  const turns = (to: Expr, index: Expr): Stmt => ({
    _tag: "For",
    name: "k",
    from: E.integer(0),
    to,
    body: [each(store("s", index))]
  })
  const k = E.local("i32", "k")
  it("without a barrier where no turn has another element's cell", () => {
    expect(placed(turns(E.integer(3), E.add(E.mul(k, 64), el)))).toEqual([["Each"]])
    expect(placed(turns(E.integer(6), E.add(E.add(E.mul(E.div(k, 2, true), 128), E.mul(k, 64)), el)))).toEqual([
      ["Each"]
    ])
  })
  it("with one where it may: steps that are too short, that are not known, or that wrap around", () => {
    const guarded = [["barrier storage", "Each"]]
    expect(placed(turns(E.integer(3), E.add(E.mul(k, 63), el)))).toEqual(guarded)
    expect(placed(turns(E.integer(3), E.add(E.add(E.mul(k, 64), E.mul(k, 65)), el)))).toEqual(guarded)
    expect(placed(turns(E.local("i32", "n"), E.add(E.mul(k, 64), el)))).toEqual(guarded)
    expect(placed(turns(E.integer(2 ** 30), E.add(E.mul(k, 64), el)))).toEqual(guarded)
  })
})

describe("elements that share a word", () => {
  const narrow = (name: string, index: Expr = el): Stmt => store(name, index, E.constant("i32", 1))
  const taken = (index: Expr): Stmt => each(store("b", el, E.load("p", index, "i8")))
  it("are an invocation's own all the same: their neighbours wait for nobody", () => {
    expect(placed(each(narrow("p")), taken(el), each(narrow("p")))).toEqual(["Each", "Each", "Each"])
  })
  it("are waited for where another invocation reads or writes the very element, also in the same word", () => {
    const next = E.add(el, E.integer(1))
    expect(placed(each(narrow("p")), taken(next))).toEqual(["Each", "barrier storage", "Each"])
    expect(placed(taken(turned), each(narrow("p")))).toEqual(["Each", "barrier storage", "Each"])
    expect(placed(each(narrow("p")), each(narrow("p", turned)))).toEqual(["Each", "barrier storage", "Each"])
  })
  it("are added to by all without a barrier where they are shared, and with one where each has its own", () => {
    const add = (memory: string, dtype: "i8" | "bf16", index: Expr, type: "i32" | "f32"): Stmt =>
      each({ _tag: "Add", memory, index, value: E.constant(type, 1), dtype })
    const shared = add("q", "bf16", E.integer(0), "f32")
    expect(placed(shared, shared)).toEqual(["Each", "Each"])
    expect(placed(add("p", "i8", el, "i32"), add("p", "i8", turned, "i32"))).toEqual([
      "Each",
      "barrier storage",
      "Each"
    ])
  })
})

describe("elements are an invocation's own", () => {
  it("only if no two of them are one cell", () => {
    const half = E.div(el, 2, true)
    expect(placed(each(store("a", half)), each(store("a", half)))).toEqual(["Each", "barrier workgroup", "Each"])
    const overlapping = E.add(E.mul(E.div(el, 8, true), 4), E.mod(el, 8, true))
    expect(placed(each(store("a", overlapping)), each(store("a", overlapping)))).toEqual([
      "Each",
      "barrier workgroup",
      "Each"
    ])
  })
})

describe("the barriers of a kernel", () => {
  const lower = async (kernel: { readonly trace: Effect.Effect<Program, unknown, any> }): Promise<Lowered> =>
    prepare(await Effect.runPromise(kernel.trace as Effect.Effect<Program>)).lowered
  const run = (lowered: Lowered) =>
    lockstep(lowered, new Map(lowered.memories.map((m) => [m.name, new Float64Array(m.length).fill(2)])))
  it("are enough", async () => {
    for (const kernel of [control, softmax(2, 100)]) {
      const lowered = await lower(kernel)
      expect(() => run(lowered)).not.toThrow()
    }
  })
  it("are each needed", async () => {
    const lowered = await lower(softmax(2, 100))
    expect(barrierCount(lowered)).toBe(4)
    for (let k = 0; k < 4; k++) expect(() => run(withoutBarrier(lowered, k)), `barrier ${k}`).toThrow(/race among/)
  })
})
