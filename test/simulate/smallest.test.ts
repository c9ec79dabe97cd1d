/** What users are promised of the smallest sizes at which a finding persists. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { Control, f32, i32, i4, Kernel, MemRef, Scratch, u4 } from "../../src/index.ts"
import type * as DType from "../../src/DType.ts"
import { check } from "../../src/ir/check.ts"
import { fromHost, toHost } from "../../src/ir/array.ts"
import { type Eqn, equations, isVar, type Program } from "../../src/ir/program.ts"
import { type Affine, type Entry, evalAffine } from "../../src/ir/view.ts"
import { primitive } from "../../src/primitives/index.ts"
import { sizesOf } from "../../src/simulate/report.ts"
import { smallerSizes } from "../../src/simulate/smaller.ts"
import { type Case, type Persists, smallest } from "../../src/simulate/smallest.ts"
import { at, f, i, point, program, range, ref, scratch } from "../support/ir.ts"

const numbers = {
  constant: (n: number) => n,
  add: (a: number, b: number) => a + b,
  mul: (a: number, b: number) => a * b,
  div: (a: number, b: number) => Math.floor(a / b),
  mod: (a: number, b: number) => ((a % b) + b) % b
}
/** Cells of an axis that an entry shows to the program instance at `id` of the first axis of the grid. */
const cells = (entry: Entry, eqn: Eqn, ids: ReadonlySet<number>, id: number): ReadonlyArray<number> => {
  const scalar = (k: number) => {
    const atom = eqn.indices[k]!
    return isVar(atom) ? (ids.has(atom.id) ? id : 0) : atom.value
  }
  const value = (a: Affine) => evalAffine(numbers, { scalar, element: () => 0, rank: () => 0 }, a)
  if (entry._tag === "Point") return [value(entry.at)]
  if (entry._tag === "Gather") return []
  return Array.from({ length: entry.size }, (_, k) => value(entry.start) + k * entry.stride)
}
/** For each program instance of the first axis of the grid, the cells of the first axis of a ref that an access shows. */
const shownBy = (p: Program, eqn: Eqn): ReadonlyArray<ReadonlyArray<number>> => {
  const ids = new Set([...equations(p.body)].flatMap((e) => (e.primitive === "programId" ? [e.results[0]!.id] : [])))
  const [step] = eqn.refs[0]!.view
  const all = Array.from({ length: p.refs.find((r) => r.name === eqn.refs[0]!.name)!.shape[0] ?? 1 }, (_, k) => k)
  return Array.from({ length: p.grid[0]!.size }, (_, id) =>
    step?._tag === "Index" ? cells(step.at[0]!, eqn, ids, id) : all
  )
}
const accesses = (p: Program, name: string) => [...equations(p.body)].filter((eqn) => eqn.primitive === name)

/** Whether two program instances store to one cell that exists. */
const isRacy: Persists = (p) =>
  Effect.sync(() =>
    accesses(p, "store").some((eqn) => {
      const size = p.refs.find((r) => r.name === eqn.refs[0]!.name)?.shape[0] ?? 1
      const inside = shownBy(p, eqn).map((all) => new Set(all.filter((c) => c >= 0 && c < size)))
      const all = inside.flatMap((set) => [...set])
      return new Set(all).size < all.length
    })
  )
/** Whether a load reads what its ref does not have. */
const isOutside: Persists = (p) =>
  Effect.sync(() =>
    accesses(p, "load").some((eqn) => {
      const size = p.refs.find((r) => r.name === eqn.refs[0]!.name)!.shape[0]!
      return shownBy(p, eqn).some((all) => all.some((c) => c < 0 || c >= size))
    })
  )
const always: Persists = () => Effect.succeed(true)
const never: Persists = () => Effect.succeed(false)

const zeros = (p: Program): Case => ({
  program: p,
  args: new Map(
    p.refs.filter((r) => r.access !== "out").map((r) => [r.name, toHost(fromHost(r, new Array(4096).fill(0) as never))])
  )
})
const traced = (kernel: { readonly trace: Effect.Effect<Program, unknown> }): Promise<Case> =>
  Effect.runPromise(Effect.map(kernel.trace, zeros))
const found = <E>(start: Case, persists: Persists<E>, tries?: number): Promise<Case> =>
  Effect.runPromise(smallest(start, persists, tries === undefined ? {} : { tries }))
const sizes = ({ program }: Case) => ({ grid: sizesOf(program).grid, ...sizesOf(program).shapes })
