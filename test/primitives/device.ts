/** Runs uses of elementwise primitives on a software device, all of one group in one module. */
import { Effect } from "effect"
import * as DType from "../../src/DType.ts"
import type { Runtime } from "../../src/gpu/runtime.ts"
import { fromWords, toWords } from "../../src/gpu/words.ts"
import { typeOf } from "../../src/ir/lowered.ts"
import { preludeFor } from "../../src/primitives/prelude.ts"
import type { Module } from "../../src/wgsl/module.ts"
import { record, type Use } from "./families.ts"

const size = 64
const operandNames = ["a", "b", "c"]

/** Text that reads and writes words as values. */
const read = (dtype: DType.Name, word: string): string =>
  dtype === "bool" ? `(${word} != 0u)` : `bitcast<${typeOf(dtype)}>(${word})`
const write = (dtype: DType.Name, value: string): string =>
  dtype === "bool" ? `select(0u, 1u, ${value})` : `bitcast<u32>(${dtype === "f16" ? `ek_f16(${value})` : value})`

const moduleOf = (uses: ReadonlyArray<Use>, lengths: ReadonlyArray<number>): Module => {
  const arity = Math.max(...uses.map((u) => u.operands.length))
  const names = operandNames.slice(0, arity)
  const total = lengths.reduce((a, b) => a + b, 0)
  let start = 0
  const bodies = uses.map((u, k) => {
    const { wgsl } = record(u.name)
    if (wgsl?._tag !== "Elementwise") throw new Error(`${u.name} has no elementwise WGSL`)
    const lets = u.operands.map((dtype, j) => `let x${j} = ${read(dtype, `${names[j]}[i]`)};`).join(" ")
    const value = write(
      u.result,
      wgsl.text(
        u.operands.map((_, j) => `x${j}`),
        u.dtype,
        u.params
      )
    )
    start += lengths[k]!
    return `if (i < ${start}u) { ${lets} o[i] = ${value}; return; }`
  })
  const body = bodies.join("\n")
  const bindings = [
    ...names.map((name) => ({ name, access: "read" as const, words: total })),
    { name: "o", access: "read_write" as const, words: total }
  ]
  const declarations = bindings.map(
    ({ access, name }, k) => `@group(0) @binding(${k}) var<storage, ${access}> ${name}: array<u32>;`
  )
  const code = `struct Params { base: u32, zero: u32, count: u32, pad: u32 }
@group(0) @binding(${bindings.length}) var<uniform> ek_params: Params;
${declarations.join("\n")}
${preludeFor(body)}
@compute @workgroup_size(${size})
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = id.x;
  ${body}
}`
  return {
    kernel: "primitives",
    code,
    workgroupSize: size,
    programs: Math.ceil(total / size),
    bindings,
    spillWords: 0,
    workgroupBytes: 0,
    inlineLines: []
  }
}

/** Here every value has a word of its own: f16 travels as f32. */
const inWords = (dtype: DType.Name): DType.Name => (dtype === "f16" ? "f32" : dtype)
const words = (dtype: DType.Name, values: ReadonlyArray<number>): Uint32Array => {
  const host = DType.hostArray(inWords(dtype), values.length) as { [i: number]: number } & DType.HostArray
  values.forEach((x, i) => (host[i] = x))
  return toWords(inWords(dtype), host)
}

/** Results of each use on its operands. */
export const onDevice = (
  runtime: Runtime,
  uses: ReadonlyArray<Use>,
  operands: ReadonlyArray<ReadonlyArray<ReadonlyArray<number>>>
) =>
  Effect.gen(function* () {
    const lengths = operands.map(([first]) => first!.length)
    const module = moduleOf(uses, lengths)
    const total = module.bindings[0]!.words
    const inputs = new Map(module.bindings.slice(0, -1).map(({ name }) => [name, new Uint32Array(total)] as const))
    let start = 0
    uses.forEach((u, k) => {
      u.operands.forEach((dtype, j) => inputs.get(operandNames[j]!)!.set(words(dtype, operands[k]![j]!), start))
      start += lengths[k]!
    })
    const outputs = yield* runtime.execute(module, inputs)
    let from = 0
    return uses.map((u, k) => {
      const part = outputs.get("o")!.slice(from, (from += lengths[k]!))
      return Array.from(fromWords(inWords(u.result), part, part.length) as ArrayLike<number>)
    })
  })
