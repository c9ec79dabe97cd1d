/** Smaller grids, refs and tiles. */
import type { Eqn, Program, Region } from "../../ir/program.ts"
import type { Edit, Edits } from "../../passes/rebuild.ts"
import { Resize } from "../../passes/resize.ts"

const smaller = (n: number): ReadonlyArray<number> =>
  [...new Set([1, 2, Math.floor(n / 2), n - 1])].filter((m) => m >= 0 && m < n)
const withAt = <A>(items: ReadonlyArray<A>, k: number, item: A): ReadonlyArray<A> =>
  items.map((x, i) => (i === k ? item : x))

/** The axis is gone; where its position was asked for, it was 0, and its size 1. */
const withoutAxis = (program: Program, axis: number): Edits => ({
  grid: program.grid.filter((_, k) => k !== axis),
  eqn: (eqn): Edit => {
    const at = eqn.params["axis"]
    if ((eqn.primitive !== "programId" && eqn.primitive !== "numPrograms") || typeof at !== "number" || at < axis)
      return { _tag: "Keep" }
    if (at > axis) return { _tag: "Change", to: { ...eqn, params: { axis: at - 1 } } }
    const value = eqn.primitive === "programId" ? 0 : 1
    return { _tag: "Replace", by: [{ _tag: "Literal", dtype: "i32", shape: [], value }] }
  }
})
export function* smallerGrids(program: Program): Generator<Edits> {
  for (const [k, axis] of program.grid.entries()) {
    yield withoutAxis(program, k)
    for (const size of smaller(axis.size)) yield { grid: withAt(program.grid, k, { ...axis, size }) }
    if (axis.semantics === "sequential") yield { grid: withAt(program.grid, k, { ...axis, semantics: "parallel" }) }
  }
}

/** None, which is one thread, or fewer. */
export function* fewerThreads({ threads = 0 }: Program): Generator<Edits> {
  for (const fewer of new Set([0, ...smaller(threads)])) if (fewer < threads) yield { threads: fewer }
}

/** Views need not fit: what is outside reads as 0. */
export function* smallerRefs(program: Program): Generator<Edits> {
  const { refs } = program
  for (const [k, ref] of refs.entries()) {
    yield {
      refs: refs.filter((other) => other !== ref),
      eqn: (eqn) => (eqn.refs.some((use) => use.name === ref.name) ? { _tag: "Drop" } : { _tag: "Keep" })
    }
    for (const [d, n] of ref.shape.entries())
      for (const m of smaller(n)) yield { refs: withAt(refs, k, { ...ref, shape: withAt(ref.shape, d, m) }) }
  }
}

const sizesOf = (region: Region): ReadonlyArray<number> =>
  region.eqns.flatMap((eqn) => [...eqn.results.flatMap((r) => r.shape), ...eqn.regions.flatMap(sizesOf)])
export function* smallerTiles(program: Program): Generator<Edits> {
  // The text of a block inline holds sizes that nobody can replace.
  if (Object.values(program.inlines).some((def) => def.grain === "block")) return
  const all = [...program.refs, ...program.body.refs].flatMap((r) => r.shape)
  for (const n of [...new Set([...all, ...sizesOf(program.body)])].sort((a, b) => b - a))
    for (const m of smaller(n)) {
      const resize = new Resize({ size: (k) => (k === n ? m : k) })
      const refs = program.refs.map((ref) => ({ ...ref, shape: resize.shape(ref.shape) }))
      const change = (eqn: Eqn): Edit => ({ _tag: "Change", to: resize.eqn(eqn) })
      yield { refs, eqn: change, scratch: (ref) => ({ ...ref, shape: resize.shape(ref.shape) }) }
    }
}
