/** How far a ref reaches, axis by axis, and by what: blocks, factors of positions, the axes of the grid that move them. */
import { type Eqn, equations, isVar, type Program } from "../ir/program.ts"
import type { Affine, Entry } from "../ir/view.ts"

export interface Extent {
  /** Sizes of the ranges that equations take of this axis. */
  readonly ranges: Set<number>
  /** Factors in positions on this axis. */
  readonly factors: Set<number>
  /** Axes of the grid that positions on this axis depend on, directly. */
  readonly axes: Set<number>
}
export interface Extents {
  readonly of: (ref: string, axis: number) => Extent | undefined
  /** All sizes of tiles and ranges and all factors, the largest first. */
  readonly blocks: ReadonlyArray<number>
}

const positionOf = (entry: Entry): Affine | undefined =>
  entry._tag === "Point" ? entry.at : entry._tag === "Range" ? entry.start : undefined

/** The grid axis of each variable that is a program instance's position. */
const programIds = (program: Program): ReadonlyMap<number, number> =>
  new Map(
    [...equations(program.body)].flatMap(({ params, primitive, results: [id] }) =>
      primitive === "programId" && id !== undefined ? [[id.id, params["axis"] as number] as const] : []
    )
  )

const note = (extent: Extent, entry: Entry, { indices }: Eqn, ids: ReadonlyMap<number, number>): void => {
  if (entry._tag === "Range") extent.ranges.add(entry.size)
  const visit = (a: Affine): void => {
    for (const { coefficient, term } of a.terms) {
      extent.factors.add(Math.abs(coefficient))
      if (term._tag !== "Index") visit(term.of)
      else {
        const atom = indices[term.index]
        const axis = atom !== undefined && isVar(atom) ? ids.get(atom.id) : undefined
        if (axis !== undefined) extent.axes.add(axis)
      }
    }
  }
  const position = positionOf(entry)
  if (position !== undefined) visit(position)
}

/** Looks at the first step of each view: its entries stand for the axes of the ref itself. */
export const extentsOf = (program: Program): Extents => {
  const ids = programIds(program)
  const found = new Map<string, Extent>()
  const blocks = new Set<number>()
  const key = (ref: string, axis: number): string => `${ref} ${axis}`
  for (const eqn of equations(program.body)) {
    for (const { shape } of eqn.results) for (const n of shape) blocks.add(n)
    for (const atom of eqn.operands) for (const n of atom.shape) blocks.add(n)
    for (const { name, view } of eqn.refs) {
      const [step] = view
      if (step?._tag !== "Index") continue
      for (const [axis, entry] of step.at.entries()) {
        const extent = found.get(key(name, axis)) ?? { ranges: new Set(), factors: new Set(), axes: new Set() }
        found.set(key(name, axis), extent)
        note(extent, entry, eqn, ids)
      }
    }
  }
  for (const { factors, ranges } of found.values()) for (const n of [...factors, ...ranges]) blocks.add(n)
  return {
    of: (ref, axis) => found.get(key(ref, axis)),
    blocks: [...blocks].filter((n) => n > 1).sort((a, b) => b - a)
  }
}
