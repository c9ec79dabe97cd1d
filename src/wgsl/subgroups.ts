/** What modules with operations of subgroups have, and how the operations are written. */
import * as DType from "../DType.ts"
import { type Expr, type Lowered, type Stmt, subgroupLane, subgroupSize } from "../ir/lowered.ts"
import { type Eqn, equations, type Program } from "../ir/program.ts"
import type { Module } from "./module.ts"
import { eachExpr, eachStmt, expressionsOf } from "./walk.ts"

/** Invocations of the largest subgroup that WebGPU knows. */
export const largestSubgroup = 128

/** The first equation of a program that depends on subgroups. */
export const needsSubgroups = (program: Program): Eqn | undefined => {
  for (const eqn of equations(program.body))
    if (eqn.regions.length === 0 && eqn.effects.some((e) => e._tag === "Subgroup")) return eqn
  return undefined
}
const builtins: ReadonlySet<string> = new Set([subgroupSize.name, subgroupLane.name])
/** Whether a lowered kernel still does. */
export const usesSubgroups = (lowered: Lowered): boolean => {
  let found = false
  const look = (e: Expr): void =>
    eachExpr(e, (x) => {
      if (x._tag === "Local" && builtins.has(x.name)) found = true
    })
  eachStmt(lowered.body, (s) => {
    if (s._tag === "Subgroup") found = true
    expressionsOf(s).forEach(look)
    if (s._tag === "Inline") for (const { index, inside } of s.operands) [index, inside].forEach(look)
  })
  return found
}

/** Built-in values of the entry point. */
export const subgroupParameters: ReadonlyArray<string> = [
  "  @builtin(subgroup_size) ek_subgroup_size: u32,",
  "  @builtin(subgroup_invocation_id) ek_subgroup_lane: u32,"
]
export const subgroupMemory = "var<workgroup> ek_numbered: atomic<u32>;"
/**
 * The invocation's number. WebGPU does not say which invocations form a subgroup, so they are numbered here, subgroup after
 * subgroup in any order: then elements that follow on lie in the lanes of one subgroup. Nor does it say that subgroups are
 * full where their size divides the workgroup's, which is why `Gpu` looks once. The barrier is for SwiftShader, which zeroes
 * the workgroup's memory for each subgroup of a kernel without one.
 */
export const subgroupNumbering: ReadonlyArray<string> = [
  "  var first = 0u;",
  "  if (ek_subgroup_lane == 0u) { first = atomicAdd(&ek_numbered, ek_subgroup_size); }",
  "  workgroupBarrier();",
  "  let lane = i32(subgroupBroadcast(first, 0u) + ek_subgroup_lane);",
  "  let subgroup_size = i32(ek_subgroup_size);",
  "  let subgroup_lane = i32(ek_subgroup_lane);"
]

/** A module that says for each number of an invocation how large its subgroup is; 0 if no invocation has the number. */
export const sizesModule = (kernel: string, workgroupSize: number): Module => {
  const programs = 4
  const code = [
    "enable subgroups;",
    "@group(0) @binding(0) var<storage, read_write> sizes: array<u32>;",
    "struct EkParams { base: u32, zero: u32, count: u32, pad: u32 }",
    "@group(0) @binding(1) var<uniform> ek_params: EkParams;",
    subgroupMemory,
    `@compute @workgroup_size(${workgroupSize})`,
    "fn main(",
    ...subgroupParameters,
    "  @builtin(workgroup_id) workgroup_id: vec3u",
    ") {",
    "  let id = ek_params.base + workgroup_id.x;",
    "  if (id >= ek_params.count) { return; }",
    ...subgroupNumbering,
    `  if (lane < ${workgroupSize}) { sizes[id * ${workgroupSize}u + u32(lane)] = ek_subgroup_size; }`,
    "}"
  ].join("\n")
  const bindings = [{ name: "sizes", access: "read_write", words: programs * workgroupSize } as const]
  return {
    kernel,
    code,
    workgroupSize,
    programs,
    bindings,
    spillWords: 0,
    workgroupBytes: 4,
    inlineLines: [],
    subgroups: true
  }
}
/** Whether subgroups of one size fill each workgroup, from what that module says. */
export const areFull = (sizes: ArrayLike<number>, workgroupSize: number): boolean => {
  const [size = 0] = Array.from(sizes)
  return size > 0 && workgroupSize % size === 0 && Array.from(sizes).every((s) => s === size)
}

type Operation = Stmt & { readonly _tag: "Subgroup" }
const call = ({ dtype, op }: Operation, [value, lane]: ReadonlyArray<string>): string => {
  if (op === "Shuffle" && dtype === "bool") return `(subgroupShuffle(select(0u, 1u, ${value}), u32(${lane})) != 0u)`
  if (op === "Shuffle") return `subgroupShuffle(${value}, u32(${lane}))`
  // WGSL lets these drop NaN.
  if ((op === "Max" || op === "Min") && DType.isFloat(dtype)) return `ek_subgroup_${op.toLowerCase()}(${value})`
  const result = `subgroup${op}(${value})`
  return dtype === "f16" ? `ek_f16(${result})` : result
}
/** The operation as lines, from the text of its values. */
export const subgroupLines = (s: Operation, values: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (s.op !== "Ballot") return [`let ${s.names[0]!} = ${call(s, values)};`]
  return [`let ek_ballot = ${call(s, values)};`, ...s.names.map((name, k) => `let ${name} = ek_ballot.${"xyzw"[k]!};`)]
}
