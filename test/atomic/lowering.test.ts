/** How atomics are lowered: under any schedule the same, atomic memory only where it is needed, barriers where order shows. */
import { Effect, Result } from "effect"
import { describe, expect, it } from "vitest"
import { discharge } from "../../src/discharge/discharge.ts"
import * as E from "../../src/ir/expr.ts"
import type { AtomicOp, Memory, Stmt } from "../../src/ir/lowered.ts"
import { type Atom, equations, type Program } from "../../src/ir/program.ts"
import type { View } from "../../src/ir/view.ts"
import { toParam } from "../../src/ir/viewText.ts"
import type { Schedule } from "../../src/Schedule.ts"
import { barriers } from "../../src/wgsl/barriers.ts"
import { compile } from "../../src/wgsl/compile.ts"
import { runtime, softwareDevice } from "../gpu/support.ts"
import { at, type Builder, f, gather, i, program, range, ref, scratch, t, u } from "../support/ir.ts"
import { difference } from "../wgsl/agree.ts"

const schedules: ReadonlyArray<Schedule> = [
  {},
  { workgroupSize: 1 },
  { workgroupSize: 8 },
  { workgroupSize: 4, registerWords: 2 },
  { workgroupBytes: 64 },
  { registerWords: 0 }
]
const atomic = (
  b: Builder,
  op: string,
  of: string,
  operands: ReadonlyArray<Atom>,
  view: View = [],
  indices: ReadonlyArray<Atom> = []
) => b.op("atomic", operands, { params: { op }, refs: [{ name: of, view }], indices })[0]!
const numbers = (n: number, of: (k: number) => number) => Int32Array.from({ length: n }, (_, k) => of(k))
const args = new Map([
  ["x", numbers(30, (k) => ((k * 7) % 11) - 5)],
  ["idx", numbers(30, (k) => (k * 13) % 30)],
  ["few", numbers(30, (k) => ((k * 13) % 6) - 1)]
])
const refs = [
  ref("x", "i32", [30]),
  ref("idx", "i32", [30], "in"),
  ref("few", "i32", [30], "in"),
  ref("o", "i32", [30], "out"),
  ref("old", "i32", [30], "out")
]

const programs: { readonly [what: string]: Program } = {
  "a gather without duplicates": program({ refs }, (b) => {
    const idx = b.load("idx")
    const view = at(gather(0))
    const first = atomic(b, "add", "o", [b.load("x")], view, [idx])
    const second = atomic(b, "min", "o", [i(-2), b.one("lt", [b.load("x"), i(1)])], view, [idx])
    b.store("old", b.one("add", [first, b.one("mul", [second, i(100)])]))
  }),
  "steps of several kinds, one after the other, on cells that elements share": program({ refs }, (b) => {
    const view = at(gather(0))
    const few = b.load("few")
    for (const op of ["add", "add", "max", "xor", "min", "add", "or", "and"])
      atomic(b, op, "o", [b.load("x")], view, [few])
    b.store("old", b.load("o"))
    atomic(b, "exchange", "o", [i(3)], at(range(2, 4)))
    atomic(b, "add", "o", [i(1)], view, [few])
  }),
  "scratch beside atomics and stores": program({ refs, scratch: [scratch("s", "i32", [30])] }, (b) => {
    b.store("s", b.load("x"))
    atomic(b, "max", "s", [b.load("idx")], at(gather(0)), [b.load("few")])
    b.accumulate("s", b.load("few"), at(gather(0)), [b.load("few")])
    const before = b.access("swap", "s", at(range(3, 5)), [i(7)])
    b.store("old", before, at(range(0, 5)))
    b.store("o", atomic(b, "xor", "s", [b.load("few")]))
  }),
  "one element, whose old value decides": program({ refs }, (b) => {
    const one = at(range(4, 1))
    const before = b.op("compareExchange", [i(0), i(5)], { refs: [{ name: "o", view: one }] })[0]!
    const again = b.op("compareExchange", [b.load("o", one), i(6), b.one("eq", [before, i(0)])], {
      refs: [{ name: "o", view: one }]
    })[0]!
    const scalar = b.one("reshape", [again], { shape: [] })
    b.cond(b.one("gt", [scalar, i(4)]), () => atomic(b, "add", "old", [scalar]) && [])
    b.fori(i(0), scalar, [], () => atomic(b, "add", "x", [i(2)], at(range(1, 1))) && [])
  }),
  values: program({ refs }, (b) => {
    const view = toParam(at(gather(0)))
    const [x, few, idx] = [b.load("x"), b.load("few"), b.load("idx")]
    const [a, old] = b.op("viewAtomic", [x, idx, b.one("lt", [few, i(4)])], {
      params: { op: "max", view },
      indices: [few]
    })
    const [c, older] = b.op("viewCompareExchange", [a!, i(3), old!], { params: { view }, indices: [idx] })
    const [, oldest] = b.op("viewAtomic", [c!, i(1), t(true)], { params: { op: "exchange", view: [] } })
    b.store("o", b.one("add", [c!, b.one("mul", [older!, i(1000)])]))
    b.store("old", b.one("add", [oldest!, b.one("mul", [old!, i(1000)])]))
  })
}

const run = softwareDevice()
describe.each(Object.entries(programs))("%s", (_, of) => {
  it("means on the device what it means discharged, under any schedule", () =>
    run(
      Effect.flatMap(runtime, (on) =>
        Effect.forEach(schedules, (s) => difference(on, of, args, s)).pipe(
          Effect.map((found) => expect(found.filter((d) => d !== undefined)).toEqual([]))
        )
      )
    ))
  it("has no race between its invocations", async () => {
    for (const s of schedules) expect(await Effect.runPromise(difference(undefined, of, args, s))).toBe(undefined)
  })
})

const code = (of: Program) => Result.getOrThrow(compile(of, { positions: false })).code
describe("memory is atomic", () => {
  const one = (grid: number, view: View = [], indices = false) =>
    program({ grid: [grid], refs: [ref("o", "u32", [4]), ref("at", "i32", [4], "in")] }, (b) => {
      atomic(b, "add", "o", [u(1)], view, indices ? [b.load("at")] : [])
    })
  it("where several program instances, or several elements, may meet in a cell, and nowhere else", () => {
    expect(code(one(2))).toContain("o: array<atomic<u32>>")
    expect(code(one(1, at(gather(0)), true))).toContain("o: array<atomic<u32>>")
    expect(code(one(1))).not.toContain("atomic<")
  })
  it("in a workgroup, too, with the device's own operation on the dtype", () => {
    const of = program({ refs, scratch: [scratch("s", "i32", [8]), scratch("f", "f32", [8])] }, (b) => {
      for (const op of ["add", "max", "exchange"]) atomic(b, op, "s", [b.load("x")], at(gather(0)), [b.load("few")])
      atomic(b, "min", "f", [f(1)], at(gather(0)), [b.load("few")])
    })
    const text = code(of)
    expect(text).toContain("var<workgroup> s: array<atomic<i32>, 8>;")
    expect(text).toContain("return atomicMax(&s[index], value);")
    expect(text).toContain("var<workgroup> f: array<atomic<u32>, 8>;")
    expect(text).toContain("atomicCompareExchangeWeak(&f[index], old, bitcast<u32>(ek_min(bitcast<f32>(old), value)))")
  })
})

describe("discharge", () => {
  it("leaves one pure operation for each", async () => {
    const pure = await Effect.runPromise(discharge(programs["one element, whose old value decides"]!))
    const names = [...equations(pure.body)].map((eqn) => eqn.primitive)
    expect(names.filter((name) => name.startsWith("view"))).toEqual([
      "viewCompareExchange",
      "viewGet",
      "viewCompareExchange",
      "viewAtomic",
      "viewAtomic"
    ])
    expect([...equations(pure.body)].flatMap((eqn) => eqn.effects)).toEqual([])
  })
})

describe("between steps on one memory", () => {
  const memory: Memory = {
    name: "n",
    space: "storage",
    dtype: "i32",
    length: 8,
    offset: 0,
    writable: true,
    atomic: true
  }
  const step = (op: AtomicOp, name?: string): Stmt => ({
    _tag: "Each",
    name: "el",
    slot: "slot",
    count: 64,
    body: [{ _tag: "Atomic", name, op, memory: "n", index: E.integer(0), values: [E.integer(1)], dtype: "i32" }]
  })
  const barriersIn = (...body: ReadonlyArray<Stmt>) =>
    barriers({ name: "k", workgroupSize: 64, programs: 1, memories: [memory], body }).body.filter(
      (s) => s._tag === "Barrier"
    ).length
  it("stands no barrier if they are of one kind and nobody looks at what they found", () => {
    for (const op of ["add", "max", "min", "and", "or", "xor"] as const) expect(barriersIn(step(op), step(op))).toBe(0)
  })
  it("stands a barrier if their order shows: in what is left, or in what they found", () => {
    expect(barriersIn(step("add"), step("max"))).toBe(1)
    expect(barriersIn(step("exchange"), step("exchange"))).toBe(1)
    expect(barriersIn(step("add", "before"), step("add"))).toBe(1)
    expect(barriersIn(step("add"), step("add", "before"))).toBe(1)
  })
})
