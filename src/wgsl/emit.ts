/** WGSL text of a lowered kernel. */
import { type Lowered, type Memory, perWord, typeOf } from "../ir/lowered.ts"
import type { Primitive } from "../ir/primitive.ts"
import type { GridAxis, InlineDef } from "../ir/program.ts"
import { preludeFor } from "../primitives/prelude.ts"
import { stepFunction } from "./atomics.ts"
import { calledInlines, inlineBlock, inlineFunction, Listing } from "./inlines.ts"
import type { Binding, Module, Records } from "./module.ts"
import { type Namer, plainName } from "./names.ts"
import { packedFunctions } from "./packed.ts"
import { placeFunction } from "./placement.ts"
import { recordFunctions, recordsBinding, recordsOf } from "./records.ts"
import { type Needs, writeStatements } from "./statements.ts"
import { subgroupMemory, subgroupNumbering, subgroupParameters, usesSubgroups } from "./subgroups.ts"
import { atomicType, makeText, type Names, wordType } from "./text.ts"

export interface EmitOptions {
  readonly primitive: (name: string) => Primitive
  readonly inlines: { readonly [name: string]: InlineDef }
  readonly namer: Namer
  /** Names of the refs behind bound memories. */
  readonly refOf: (memory: Memory) => string
  readonly spillWords: number
  readonly grid: ReadonlyArray<GridAxis>
}

const bindingText = (memory: Memory, k: number): string =>
  `@group(0) @binding(${k}) var<storage, ${memory.writable ? "read_write" : "read"}> ${memory.name}: array<${wordType(memory)}>;`

const elementOf = (m: Memory): string => (m.atomic ? `atomic<${atomicType(m)}>` : typeOf(m.dtype))
const spillsAtomics = (lowered: Lowered): boolean => lowered.memories.some((m) => m.space === "spill" && m.atomic)
const declarations = (
  lowered: Lowered,
  options: EmitOptions,
  bound: ReadonlyArray<Memory>,
  records: Records | undefined
): ReadonlyArray<string> => {
  const lines = bound.map(bindingText)
  if (options.spillWords > 0)
    lines.push(
      `@group(0) @binding(${lines.length}) var<storage, read_write> ek_spill: array<${spillsAtomics(lowered) ? "atomic<u32>" : "u32"}>;`
    )
  if (records !== undefined) lines.push(recordsBinding(lines.length))
  const last = lines.length
  lines.push("struct EkParams { base: u32, zero: u32, count: u32, pad: u32 }")
  lines.push(`@group(0) @binding(${last}) var<uniform> ek_params: EkParams;`)
  for (const m of lowered.memories)
    if (m.space === "workgroup") lines.push(`var<workgroup> ${m.name}: array<${elementOf(m)}, ${m.length}>;`)
  return lines
}
const prologue = (lowered: Lowered, options: EmitOptions): ReadonlyArray<string> => [
  `@compute @workgroup_size(${lowered.workgroupSize})`,
  "fn main(",
  ...(usesSubgroups(lowered) ? subgroupParameters : ["  @builtin(local_invocation_index) local_index: u32,"]),
  "  @builtin(workgroup_id) workgroup_id: vec3u,",
  "  @builtin(num_workgroups) num_workgroups: vec3u",
  ") {",
  "  let group = workgroup_id.x + num_workgroups.x * (workgroup_id.y + num_workgroups.y * workgroup_id.z);",
  "  let id = ek_params.base + group;",
  "  if (id >= ek_params.count) { return; }",
  "  let program = i32(id);",
  ...(usesSubgroups(lowered) ? subgroupNumbering : ["  let lane = i32(local_index);"]),
  ...(options.spillWords > 0 ? [`  ek_share = i32(group) * ${options.spillWords};`] : []),
  ...lowered.memories
    .filter((m) => m.space === "register")
    .map((m) => `  var ${m.name}: ${m.length === 1 ? typeOf(m.dtype) : `array<${typeOf(m.dtype)}, ${m.length}>`};`)
]

export const emit = (lowered: Lowered, options: EmitOptions): Module => {
  const memories = new Map(lowered.memories.map((m) => [m.name, m]))
  const functions = new Map<string, string>()
  const names: Names = {
    memory: (name) => memories.get(name)!,
    primitive: options.primitive,
    inline: (name) => options.inlines[name]!,
    inlineFunction: (name) => functions.get(name)!
  }
  const module = new Listing()
  const bound = lowered.memories.filter((m) => m.space === "storage")
  const records = recordsOf(lowered, options.grid)
  const subgroups = usesSubgroups(lowered)
  if (subgroups) module.push("enable subgroups;")
  declarations(lowered, options, bound, records).forEach(module.push)
  if (subgroups) module.push(subgroupMemory)
  if (records !== undefined) recordFunctions(records).forEach(module.push)
  if (options.spillWords > 0) module.push("var<private> ek_share: i32;")
  for (const m of lowered.memories) if (m.placement !== undefined) module.push(placeFunction(m))
  const expr = makeText(names)
  for (const name of calledInlines(lowered.body)) {
    functions.set(name, `ek_inline_${plainName(name)}_${functions.size}`.replace(/_0$/, ""))
    inlineFunction(options.inlines[name]!, functions.get(name)!, module)
  }
  const needs: Needs = { uniforms: new Set(), atomics: new Map() }
  const body = new Listing()
  const block = { names, expr, namer: options.namer, lowered, module }
  writeStatements(lowered, names, expr, needs, {
    push: body.push,
    inline: (s, depth) => inlineBlock(block, s, depth, body)
  })
  for (const type of needs.uniforms) module.push(`var<workgroup> ek_uniform_${type}: ${type};`)
  for (const step of needs.atomics.values()) module.push(stepFunction(step, options.primitive))
  packedFunctions(bound, [...module.lines, ...body.lines].join("\n")).forEach(module.push)
  const prelude = preludeFor([...module.lines, ...body.lines].join("\n"))
  if (prelude !== "") module.push(prelude)
  module.push("")
  prologue(lowered, options).forEach(module.push)
  module.append(body)
  module.push("}")
  return {
    kernel: lowered.name,
    code: `${module.lines.join("\n")}\n`,
    workgroupSize: lowered.workgroupSize,
    programs: lowered.programs,
    bindings: bound.map((m): Binding => ({
      name: options.refOf(m),
      access: m.writable ? "read_write" : "read",
      words: Math.ceil(m.length / perWord(m))
    })),
    spillWords: options.spillWords,
    workgroupBytes:
      4 * needs.uniforms.size +
      (subgroups ? 4 : 0) +
      lowered.memories.reduce((n, m) => n + (m.space === "workgroup" ? 4 * m.length : 0), 0),
    inlineLines: module.inlines,
    subgroups,
    ...(records === undefined ? {} : { records })
  }
}
