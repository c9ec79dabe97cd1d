import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import * as DType from "../../src/DType.ts"
import { makeRuntime } from "../../src/gpu/runtime.ts"
import { GpuDevice } from "../../src/GpuDevice.ts"
import type { Type } from "../../src/ir/lowered.ts"
import {
  floatLiteral,
  helperNames,
  intLiteral,
  literal,
  opaqueLiteral,
  preludeFor
} from "../../src/primitives/prelude.ts"
import { softwareDevice } from "../gpu/support.ts"
import { source, specials } from "./samples.ts"

const run = softwareDevice()

/** The 32-bit words that WGSL expressions of type u32 give; `x` in them is the element's input. */
const evaluate = (expressions: ReadonlyArray<string>, inputs: ReadonlyArray<number> = [0]) =>
  Effect.gen(function* () {
    const runtime = yield* makeRuntime(yield* GpuDevice)
    const n = inputs.length
    const stores = expressions.map((e, k) => `o[${k * n}u + i] = ${e};`).join("\n  ")
    const code = `struct Params { base: u32, zero: u32, count: u32, pad: u32 }
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> o: array<u32>;
@group(0) @binding(2) var<uniform> ek_params: Params;
${preludeFor(stores)}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = id.x;
  if (i >= ${n}u) { return; }
  let x = a[i];
  ${stores}
}`
    const outputs = yield* runtime.execute(
      {
        kernel: "prelude",
        code,
        workgroupSize: 64,
        programs: Math.ceil(n / 64),
        bindings: [
          { name: "a", access: "read", words: n },
          { name: "o", access: "read_write", words: n * expressions.length }
        ],
        spillWords: 0,
        workgroupBytes: 0,
        inlineLines: []
      },
      new Map([["a", Uint32Array.from(inputs)]])
    )
    return [...outputs.get("o")!]
  })
const bitsOf = (type: Type, value: number): number =>
  type === "f32" ? new Uint32Array(Float32Array.of(value).buffer)[0]! : value >>> 0
const asWord = (type: Type, expression: string): string =>
  type === "bool" ? `select(0u, 1u, ${expression})` : type === "u32" ? expression : `bitcast<u32>(${expression})`

describe("literals", () => {
  const values = (["f32", "i32", "u32", "bool"] as const).flatMap((type) =>
    specials(type).map((value) => [type, value] as const)
  )
  const next = source(1)
  const random = Array.from(
    { length: 100 },
    () => ["f32", new Float32Array(Uint32Array.of(next()).buffer)[0]!] as const
  )

  it("have exactly the value they stand for on the device, NaN, infinities, -0, subnormals and the smallest i32 included", async () => {
    const all = [...values, ...random]
    const words = await run(evaluate(all.map(([type, value]) => asWord(type, literal(type, value)))))
    // The bits of a NaN are not kept.
    const expected = all.map(([type, value]) => (Number.isNaN(value) ? 0x7fc00000 : bitsOf(type, value)))
    expect(words.map((w) => ((w & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : w))).toEqual(
      expected.map((w) => ((w & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : w))
    )
  })
  it("can be made at run time, with the same values", async () => {
    const words = await run(evaluate(values.map(([type, value]) => asWord(type, opaqueLiteral(type, value)))))
    expect(words).toEqual(values.map(([type, value]) => bitsOf(type, value)))
  })
  it("are primary expressions, so that they can stand as operands", () => {
    for (const text of [
      floatLiteral(-1),
      intLiteral("i32", -1),
      intLiteral("i32", -2147483648),
      opaqueLiteral("u32", 3)
    ])
      expect(text).toMatch(/^(\(.*\)|[\w<>]+\(.*\))$/)
  })
  it("let divisors, shift amounts and overflows through that WGSL rejects as constants", async () => {
    const zero = opaqueLiteral("i32", 0)
    const big = opaqueLiteral("f32", 3e38)
    const words = await run(
      evaluate([
        `bitcast<u32>(${opaqueLiteral("i32", 7)} / ${zero})`,
        `bitcast<u32>(${floatLiteral(1)} / ${opaqueLiteral("f32", 0)})`,
        `bitcast<u32>(${big} * ${big})`
      ])
    )
    expect(words).toEqual([7, 0x7f800000, 0x7f800000])
  })
})

describe("preludeFor", () => {
  it("gives nothing for text without helpers, and does not take ek_params or unknown names for one", () => {
    expect(preludeFor("a + b * ek_params.zero + ek_unknown(1)")).toBe("")
  })
  it("gives each helper once, after those it uses", () => {
    const text = preludeFor("ek_pow(a, b) + ek_exp2(c)")
    const declared = [...text.matchAll(/^(?:fn|struct) (\w+)/gm)].map(([, name]) => name!)
    expect(new Set(declared).size).toBe(declared.length)
    for (const [, body] of text.matchAll(/^fn (\w+)/gm)) expect(declared).toContain(body)
    expect(declared.indexOf("ek_keep")).toBeLessThan(declared.indexOf("ek_scale"))
    expect(declared.indexOf("ek_exp2_near")).toBeLessThan(declared.indexOf("ek_pow_positive"))
    expect(declared).not.toContain("ek_sin")
  })
  it("declares every helper under its own name and no other", () => {
    for (const name of helperNames) {
      const declared = [...preludeFor(name).matchAll(/^(?:fn|struct) (\w+)/gm)].map(([, declared]) => declared)
      expect(declared.at(-1)).toBe(name)
      expect(declared.every((d) => helperNames.includes(d!))).toBe(true)
    }
  })
})

describe("helpers of index arithmetic and of f16", () => {
  it("divide and take remainders towards minus infinity, for positive divisors", async () => {
    const dividends = [-2147483648, -9, -8, -7, -1, 0, 1, 7, 8, 2147483647]
    for (const divisor of [1, 2, 3, 8, 1000]) {
      const words = await run(
        evaluate(
          [
            `bitcast<u32>(ek_floor_div(bitcast<i32>(x), ${divisor}i))`,
            `bitcast<u32>(ek_floor_mod(bitcast<i32>(x), ${divisor}i))`
          ],
          dividends
        )
      )
      const quotients = dividends.map((a) => Math.floor(a / divisor))
      expect(words.map((w) => w | 0)).toEqual([...quotients, ...dividends.map((a, i) => a - quotients[i]! * divisor)])
    }
  })
  it("round to f16 to nearest even: every f16, every midpoint between two, and both neighbours of it", async () => {
    const halves = new DType.Float16Array(1)
    const view = new Uint16Array(halves.buffer)
    const value = (h: number): number => {
      view[0] = h
      return halves[0]!
    }
    const inputs: Array<number> = []
    for (let h = 0; h < 0x7c00; h++) {
      const above = h === 0x7bff ? 65536 : value(h + 1)
      const middle = bitsOf("f32", (value(h) + above) / 2)
      inputs.push(bitsOf("f32", -value(h)), middle - 1, middle, middle + 1)
    }
    inputs.push(0x7f800000, 0xff800000, 0x7f7fffff)
    const floats = new Float32Array(Uint32Array.from(inputs).buffer)
    const expected = new Uint32Array(floats.map(DType.round("f16")).buffer)
    const words = await run(evaluate(["bitcast<u32>(ek_f16(bitcast<f32>(x)))"], inputs))
    // Whether -0 keeps its sign is not compared.
    const wrong = words.flatMap((w, i) => (w === expected[i] || (w | expected[i]!) << 1 === 0 ? [] : [floats[i]]))
    expect(wrong).toEqual([])
  })
})
