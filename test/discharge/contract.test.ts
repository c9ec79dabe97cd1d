/** What discharge promises, and what it makes of rules that break their contract. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { discharge, type DischargeOptions } from "../../src/discharge/discharge.ts"
import { evaluate } from "../../src/discharge/evaluate.ts"
import type { DischargeRule, Primitive } from "../../src/ir/primitive.ts"
import { equations, type InlineDef, joinEffects, type Program, showEffect } from "../../src/ir/program.ts"
import { primitive } from "../../src/primitives/index.ts"
import { equation } from "../../src/primitives/structural/example.ts"
import { at, f, i, point, program, range, ref, scratch } from "../support/ir.ts"
import { run } from "../support/run.ts"

const effects = (p: Program) => joinEffects(p.body.eqns.flatMap((eqn) => eqn.effects)).map(showEffect)
const pure = (p: Program, options?: DischargeOptions) => Effect.runPromise(discharge(p, options))
const failure = (p: Program, options?: DischargeOptions) => Effect.runPromise(Effect.flip(discharge(p, options)))

const s = scratch("s", "f32", [2])
const kernel = program(
  { refs: [ref("x", "f32", [2], "in"), ref("unused", "f32", [2], "out"), ref("o", "f32", [2], "out")], scratch: [s] },
  (b) => {
    b.store("s", b.load("x"))
    b.fori(i(0), i(3), [], () => b.accumulate("s", b.load("x")))
    b.store("o", b.load("s"))
  }
)

describe("discharge", () => {
  it("leaves no effects, and one parameter and result per ref that is used: refs as declared, then scratch", async () => {
    const p = await pure(kernel)
    expect(effects(p)).toEqual([])
    expect(p.discharged).toEqual(["x", "o", "s"])
    expect(p.body.params.map((v) => v.shape)).toEqual([[2], [2], [2]])
    expect(p.body.results.length).toBe(3)
    expect([...equations(p.body)].map((eqn) => eqn.primitive)).toEqual([
      "viewGet",
      "viewPut",
      "fori",
      "viewGet",
      "viewAdd",
      "viewGet",
      "viewPut"
    ])
  })
  it("binds every variable once", async () => {
    const p = await pure(kernel)
    const bound = [
      ...p.body.params,
      ...[...equations(p.body)].flatMap((e) => [...e.results, ...e.regions.flatMap((r) => r.params)])
    ]
    expect(new Set(bound.map((v) => v.id)).size).toBe(bound.length)
  })
  it("carries through a loop only what its body writes", async () => {
    const p = await pure(kernel)
    const loop = p.body.eqns.find((eqn) => eqn.primitive === "fori")!
    expect(loop.operands.length).toBe(3)
    expect(loop.results.length).toBe(1)
  })
  it("of a subset leaves the other refs and their effects", async () => {
    const p = await pure(kernel, { only: ["s"] })
    expect(p.discharged).toEqual(["s"])
    expect(effects(p)).toEqual(["Read(x)", "Write(o)"])
  })
  it("in two parts means the same as in one", async () => {
    const inParts = await pure(await pure(kernel, { only: ["s", "x"] }))
    expect(effects(inParts)).toEqual([])
    const args = new Map([["x", new Float32Array([1, 2])]])
    for (const p of [inParts, await pure(kernel)])
      expect(await Effect.runPromise(evaluate(p, args))).toEqual(
        new Map([
          ["unused", new Float32Array(2)],
          ["o", new Float32Array([4, 8])]
        ])
      )
  })
  it("of all but the scratch of a scope keeps the scope", async () => {
    const own = scratch("own", "f32", [2])
    const nested = program({ refs: [ref("x", "f32", [2])], scoped: [own] }, (b) => {
      b.scoped([own], () => {
        b.store("own", b.load("x"))
        b.store("x", b.one("add", [b.load("own"), f(1)]))
      })
    })
    const p = await pure(nested, { only: ["x"] })
    expect(effects(p)).toEqual(["Memory"])
    expect(p.body.eqns.map((eqn) => eqn.primitive)).toEqual(["scoped"])
    expect((await run(await pure(p), { x: new Float32Array([1, 2]) })).x).toEqual([2, 3])
  })
  it("refuses to keep one scratch in two places", async () => {
    const own = scratch("own", "i32", [])
    const p = program({ refs: [ref("x", "i32", [])], scoped: [own] }, (b) => {
      b.while(
        [],
        () =>
          b.scoped([own], () => {
            b.accumulate("x", i(1))
            return [b.one("lt", [b.load("x"), i(3)])]
          })[0]!,
        () => {}
      )
    })
    expect(await failure(p, { only: ["x"] })).toMatchObject({ reason: { _tag: "Unsupported", primitive: "scoped" } })
    expect((await run(p, { x: new Int32Array([0]) })).x).toEqual([3])
  })
  it("knows the refs that it is asked for", async () => {
    expect(await failure(kernel, { only: ["y"] })).toMatchObject({ reason: { _tag: "InvalidArgument", ref: "y" } })
  })
})

const gelu: InlineDef = {
  name: "gelu",
  grain: "block",
  args: [{ name: "x", kind: "readwrite", dtype: "f32", shape: [2] }],
  results: [],
  wgsl: "",
  source: null
}
describe("an inline", () => {
  const withRule = (rule: boolean) =>
    program({ refs: [ref("x", "f32", [2])], inlines: [gelu] }, (b) => {
      const regions = rule ? [b.region([], () => b.store("x", b.one("mul", [b.load("x"), f(2)])))] : []
      b.op("inline", [], { params: { inline: "gelu" }, refs: [{ name: "x", view: [] }], regions })
    })
  it("with a rule means its rule", async () => {
    expect((await run(withRule(true), { x: new Float32Array([1, 2]) })).x).toEqual([2, 4])
    expect((await pure(withRule(true))).inlines).toEqual({})
  })
  it("without one is NotImplemented, by name, with a hint", async () => {
    const error = await failure(withRule(false))
    expect(error).toMatchObject({ _tag: "NotImplemented", primitive: "gelu", interpreter: "Discharge", kernel: "k" })
    expect(error.message).toMatch(/discharge rule/)
  })
})

describe("an effectful primitive without a rule", () => {
  const fence: Primitive = {
    name: "fence",
    family: "memory",
    doc: "A fence.",
    typing: () => [],
    effects: () => [{ _tag: "Memory" }],
    accuracy: { _tag: "Exact" },
    generate: { weight: 0 },
    example: equation([], [])
  }
  const lookup = (name: string) => (name === "fence" ? fence : primitive(name))
  it("is refused even if it has no refs", async () => {
    const p = program({ refs: [], primitives: lookup }, (b) => void b.op("fence", []))
    expect(await failure(p, { primitives: lookup })).toMatchObject({ _tag: "NotImplemented", primitive: "fence" })
  })
  it("is refused inside a loop", async () => {
    const p = program({ refs: [], primitives: lookup }, (b) => {
      b.fori(i(0), i(2), [], () => void b.op("fence", []))
    })
    expect(await failure(p, { primitives: lookup })).toMatchObject({ _tag: "NotImplemented", primitive: "fence" })
  })
})

describe("a rule that", () => {
  const p = program({ refs: [ref("x", "f32", [2]), ref("y", "f32", [2])] }, (b) => {
    b.store("y", b.load("x"))
    b.store("x", b.load("y", at(range(0, 2))))
    b.store("x", b.load("y", at(point(0))), at(point(1)))
  })
  const broken = (name: string, rule: DischargeRule): DischargeOptions => ({
    primitives: (n) => (n === name ? { ...primitive(n)!, discharge: rule } : primitive(n))
  })
  const zeros = (ctx: Parameters<DischargeRule>[0], shape: ReadonlyArray<number>, value = f(0)) =>
    ctx.emit("full", { params: { shape }, operands: [value] })[0]!
  const cases: ReadonlyArray<readonly [string, string, DischargeRule, RegExp]> = [
    [
      "changes a ref that the equation only reads",
      "load",
      (ctx) => ({ results: [zeros(ctx, [2])], refs: new Map([["x", zeros(ctx, [2])]]) }),
      /does not write/
    ],
    [
      "changes a ref that the equation does not have",
      "store",
      (ctx) => ({ results: [], refs: new Map([["z", zeros(ctx, [2])]]) }),
      /does not write/
    ],
    [
      "gives a ref another shape",
      "store",
      (ctx, eqn) => ({ results: [], refs: new Map([[eqn.refs[0]!.name, zeros(ctx, [3])]]) }),
      /f32\[3\]/
    ],
    [
      "gives a ref another dtype",
      "store",
      (ctx, eqn) => ({ results: [], refs: new Map([[eqn.refs[0]!.name, zeros(ctx, [2], i(0))]]) }),
      /i32\[2\]/
    ],
    ["forgets a result", "load", () => ({ results: [], refs: new Map() }), /0 results, not 1/],
    ["gives a result of another type", "load", () => ({ results: [i(0)], refs: new Map() }), /i32\[\] as result 0/],
    [
      "emits what has no type",
      "load",
      (ctx) => ({ results: ctx.emit("dot", { operands: [f(0), f(0)] }), refs: new Map() }),
      /dot, emitted for load/
    ],
    ["leaves an effect", "store", (ctx, eqn) => ({ results: ctx.emit("store", eqn), refs: new Map() }), /still used/]
  ]
  for (const [what, name, rule, message] of cases)
    it(`${what} makes an invalid program`, async () => {
      const error = await failure(p, broken(name, rule))
      expect(error).toMatchObject({ _tag: "KernelError", reason: { _tag: "InvalidProgram" } })
      expect(error.message).toMatch(message)
    })
  it("refuses its parameters is Unsupported", async () => {
    const error = await failure(
      p,
      broken("load", (ctx) => ctx.refuse("no loads on Sundays", "wait a day"))
    )
    expect(error).toMatchObject({ reason: { _tag: "Unsupported", primitive: "load", interpreter: "Discharge" } })
  })
})
