import { describe, expect, it } from "vitest"
import type * as DType from "../../src/DType.ts"
import type { ArrayValue, Data } from "../../src/ir/array.ts"
import type { EvalContext } from "../../src/ir/primitive.ts"
import type { Aval, Eqn, Params } from "../../src/ir/program.ts"
import { TypingError } from "../../src/ir/typing.ts"
import { record, records, title, uses } from "./families.ts"

const draft = (operands: ReadonlyArray<Aval>, params: Params = {}) => ({
  params,
  operands: operands.map((aval, id) => ({ _tag: "Var" as const, id, ...aval })),
  indices: [],
  refs: [],
  regions: []
})
const scope = {
  ref: () => ({ dtype: "f32", shape: [] }) as const,
  rank: 0,
  inline: () => {
    throw new TypingError("no inlines")
  }
}
const types = (name: string, operands: ReadonlyArray<Aval>, params: Params = {}) =>
  record(name).typing(draft(operands, params), scope)

const evaluate = (
  name: string,
  operands: ReadonlyArray<ArrayValue>,
  options: { readonly params?: Params; readonly mayReuse?: (k: number) => boolean } = {}
): ArrayValue => {
  const [result] = types(name, operands, options.params)
  const eqn = { primitive: name, params: options.params ?? {}, results: [result!] } as unknown as Eqn
  const ctx = { mayReuse: options.mayReuse ?? (() => false) } as unknown as EvalContext
  return record(name).evaluate!(ctx, eqn, operands)[0]!
}
const f32 = (...xs: ReadonlyArray<number>): ArrayValue => ({
  dtype: "f32",
  shape: [xs.length],
  data: Float32Array.of(...xs)
})
const one = (dtype: DType.Name, data: Data): ArrayValue => ({ dtype, shape: [], data })

describe("typing of elementwise primitives", () => {
  it("gives the operands' shape, and scalars stretch to it", () => {
    const v: Aval = { dtype: "f32", shape: [2, 3] }
    const s: Aval = { dtype: "f32", shape: [] }
    expect(types("add", [v, s])).toEqual([v])
    expect(types("clamp", [s, v, s])).toEqual([v])
    expect(types("lt", [s, v])).toEqual([{ dtype: "bool", shape: [2, 3] }])
    expect(types("select", [{ dtype: "bool", shape: [] }, v, v])).toEqual([v])
    expect(types("convert", [v], { dtype: "i32" })).toEqual([{ dtype: "i32", shape: [2, 3] }])
  })
  it.each<[string, ReadonlyArray<DType.Name>, Params]>([
    ["add", ["f32", "i32"], {}],
    ["add", ["bool", "bool"], {}],
    ["add", ["f32"], {}],
    ["exp", ["i32"], {}],
    ["lt", ["bool", "bool"], {}],
    ["isNaN", ["i32"], {}],
    ["and", ["f32", "f32"], {}],
    ["shl", ["i32", "u32"], {}],
    ["shl", ["bool", "bool"], {}],
    ["select", ["f32", "f32", "f32"], {}],
    ["bitcast", ["f16"], { dtype: "u32" }],
    ["bitcast", ["f32"], { dtype: "f16" }],
    ["convert", ["f32"], { dtype: "f64" }],
    ["convert", ["f32"], {}]
  ])("refuses %s of (%s) with params %j", (name, dtypes, params) => {
    const operands = dtypes.map((dtype) => ({ dtype, shape: [] }))
    expect(() => types(name, operands, params)).toThrow(TypingError)
  })
  it("refuses operands of two shapes, also where one could be broadcast", () => {
    const avals = [[2], [3]].map((shape) => ({ dtype: "f32", shape }) as const)
    expect(() => types("add", avals)).toThrow(/\[2\].*\[3\]/)
    expect(() => types("add", [{ dtype: "f32", shape: [1] }, avals[0]!])).toThrow(TypingError)
  })
})

describe("evaluation of elementwise primitives", () => {
  it("stretches scalars on either side and leaves operands alone", () => {
    const x = f32(1, 2, 3)
    expect(evaluate("sub", [x, one("f32", Float32Array.of(1))]).data).toEqual(Float32Array.of(0, 1, 2))
    expect(evaluate("sub", [one("f32", Float32Array.of(1)), x]).data).toEqual(Float32Array.of(0, -1, -2))
    expect(x.data).toEqual(Float32Array.of(1, 2, 3))
  })
  it("writes into an operand that is free, if it has the result's dtype and shape, and into no other", () => {
    const [x, y] = [f32(1, 2), f32(3, 5)]
    expect(evaluate("sub", [x, y], { mayReuse: (k) => k === 1 }).data).toBe(y.data)
    expect(y.data).toEqual(Float32Array.of(-2, -3))
    expect(evaluate("mul", [x, x], { mayReuse: () => true }).data).toEqual(Float32Array.of(1, 4))
    const s = one("f32", Float32Array.of(2))
    expect(evaluate("add", [s, f32(1, 1)], { mayReuse: (k) => k === 0 }).data).not.toBe(s.data)
    const z = f32(1, 2)
    expect(evaluate("lt", [z, z], { mayReuse: () => true }).data).toEqual(Uint8Array.of(0, 0))
    expect(z.data).toEqual(Float32Array.of(1, 2))
  })
  it("rounds f16 after each operation", () => {
    const x: ArrayValue = { dtype: "f16", shape: [2], data: Float32Array.of(2048, 1) }
    expect(evaluate("add", [x, one("f16", Float32Array.of(1))]).data).toEqual(Float32Array.of(2048, 2))
  })
  it("gives empty results for size 0", () => {
    expect(evaluate("add", [f32(), f32()]).data.length).toBe(0)
  })
  it("bitcasts words without touching a bit, payloads of NaNs included, into storage of its own", () => {
    const words = Uint32Array.of(0x7fc12345, 0xff812345, 0x80000001, 7)
    const x: ArrayValue = { dtype: "u32", shape: [4], data: words }
    const y = evaluate("bitcast", [x], { params: { dtype: "f32" }, mayReuse: () => true })
    expect(y.data).toBeInstanceOf(Float32Array)
    expect(evaluate("bitcast", [y], { params: { dtype: "u32" } }).data).toEqual(words)
    expect(y.data.buffer).not.toBe(words.buffer)
  })
})

describe("records of elementwise primitives", () => {
  it.each(records.map((r) => [r.name, r] as const))("%s is generated, and is one WGSL expression", (_, r) => {
    expect(r.generate.weight).toBeGreaterThan(0)
    expect(r.wgsl?._tag).toBe("Elementwise")
  })
  it.each(uses.map((u) => [title(u), u] as const))(
    "%s: the text is a primary expression and uses each operand once",
    (_, u) => {
      const { wgsl } = record(u.name)
      if (wgsl?._tag !== "Elementwise") throw new Error("not elementwise")
      const names = u.operands.map((_, k) => `operand${k}`)
      const text = wgsl.text(names, u.dtype, u.params)
      expect(text).toMatch(/^(\(.*\)|[\w<>]+\(.*\)|\w+)$/)
      for (const name of names) expect(text.split(name)).toHaveLength(2)
    }
  )
})
