/**
 * Programs near a program with smaller grids, refs, blocks, scratch and loops.
 *
 * The first that are tried keep what belongs together: a block with the refs that are cut into such blocks, an axis of the
 * grid with the axes of refs that it walks. No equation comes or goes, and each keeps its source.
 */
import { type Eqn, equations, isVar, literal, type Program, type RefDecl, type Region } from "../ir/program.ts"
import type { Edit, Edits } from "../passes/rebuild.ts"
import { keep } from "../passes/rebuild.ts"
import { Resize, type Resizing } from "../passes/resize.ts"
import { type Extents, extentsOf } from "./extents.ts"

/** One thing that can be made smaller: gives the edits that do, the boldest first, for the program as it is then. */
export type Knob = (program: Program) => Iterable<Edits>

/** Sizes to try in place of one: 1, 2, half, and closer and closer. */
export const smallerSizes = (n: number): ReadonlyArray<number> => {
  const sizes = new Set([1, 2])
  for (let gap = Math.floor(n / 2); gap >= 1; gap = Math.floor(gap / 2)) sizes.add(n - gap)
  return [...sizes].filter((m) => m < n)
}
const withAt = <A>(items: ReadonlyArray<A>, k: number, item: A): ReadonlyArray<A> =>
  items.map((x, i) => (i === k ? item : x))
const change = (to: Eqn): Edit => ({ _tag: "Change", to })

/** The text of a block inline holds sizes that nobody can replace. */
const hasFixedText = (program: Program): boolean => Object.values(program.inlines).some((def) => def.grain === "block")

const resized = (program: Program, to: Resizing, refs: (ref: RefDecl) => RefDecl): Edits => {
  const resize = new Resize(to)
  return {
    refs: program.refs.map(refs),
    eqn: (eqn) => change(resize.eqn(eqn)),
    scratch: (ref) => ({ ...ref, shape: resize.shape(ref.shape) })
  }
}
const mapShape = (ref: RefDecl, f: (n: number, axis: number) => number): RefDecl => ({
  ...ref,
  shape: ref.shape.map(f)
})

/**
 * Blocks of size `from` become those of size `to`, and lie where they did: factors of positions shrink with them, and so do
 * axes that are cut into such blocks. `multiples` shrinks all sizes that `from` divides.
 */
const scaled = (program: Program, extents: Extents, from: number, to: number, multiples: boolean): Edits => {
  const scale = (n: number): number => (n % from === 0 ? (n / from) * to : n)
  const size = multiples ? scale : (n: number): number => (n === from ? to : n)
  const isCut = (ref: string, axis: number): boolean => {
    const extent = extents.of(ref, axis)
    return extent !== undefined && (extent.ranges.has(from) || [...extent.factors].some((n) => n > 0 && n % from === 0))
  }
  return resized(program, { size, position: scale }, (ref) =>
    mapShape(ref, (n, axis) => (isCut(ref.name, axis) ? scale(n) : size(n)))
  )
}
const blockKnob = (from: number): Knob =>
  function* (program) {
    if (hasFixedText(program)) return
    const extents = extentsOf(program)
    for (const to of smallerSizes(from)) {
      yield scaled(program, extents, from, to, false)
      yield scaled(program, extents, from, to, true)
    }
  }
/** One size, wherever it stands; positions stay. */
const sizeKnob = (from: number): Knob =>
  function* (program) {
    if (hasFixedText(program)) return
    for (const to of smallerSizes(from)) {
      const size = (n: number): number => (n === from ? to : n)
      yield resized(program, { size }, (ref) => mapShape(ref, size))
    }
  }

const gridKnob = (k: number): Knob =>
  function* (program) {
    const axis = program.grid[k]!
    const extents = extentsOf(program)
    for (const size of smallerSizes(axis.size)) {
      const grid = withAt(program.grid, k, { ...axis, size })
      const walked = (n: number, ref: string, d: number): boolean =>
        n % axis.size === 0 && extents.of(ref, d)?.axes.has(k) === true
      const shrunk = (ref: RefDecl): RefDecl =>
        mapShape(ref, (n, d) => (walked(n, ref.name, d) ? (n / axis.size) * size : n))
      yield { grid, refs: program.refs.map(shrunk) }
      yield { grid }
    }
  }
const refKnob = (k: number, axis: number): Knob =>
  function* (program) {
    const ref = program.refs[k]!
    for (const n of smallerSizes(ref.shape[axis]!))
      yield { refs: withAt(program.refs, k, { ...ref, shape: withAt(ref.shape, axis, n) }) }
  }

const scratchOf = (region: Region): Region["refs"] => [
  ...region.refs,
  ...region.eqns.flatMap((eqn) => eqn.regions.flatMap(scratchOf))
]
const scratchKnob = (name: string, axis: number): Knob =>
  function* (program) {
    const found = scratchOf(program.body).find((ref) => ref.name === name)!
    for (const n of smallerSizes(found.shape[axis]!))
      yield { scratch: (ref) => (ref.name === name ? { ...ref, shape: withAt(ref.shape, axis, n) } : ref) }
  }

/** The `k`-th equation, if it is a loop to a number: fewer turns. */
const loopKnob = (k: number): Knob =>
  function* (program) {
    const loop = [...equations(program.body)][k]!
    const [lo, hi] = loop.operands
    if (lo === undefined || hi === undefined || isVar(lo) || isVar(hi)) return
    for (const turns of smallerSizes(hi.value - lo.value)) {
      const operands = withAt(loop.operands, 1, literal("i32", lo.value + turns))
      yield { eqn: (eqn) => (eqn === loop ? change({ ...loop, operands }) : keep) }
    }
  }

/** Everything about a program that can be made smaller, the knobs that keep most together first. */
export const knobsOf = (program: Program): ReadonlyArray<Knob> => {
  const axes = (shape: ReadonlyArray<number>) => [...shape.keys()]
  const loops = [...equations(program.body)].flatMap(({ primitive }, k) => (primitive === "fori" ? [k] : []))
  const { blocks } = extentsOf(program)
  return [
    ...axes(program.grid.map((axis) => axis.size)).map(gridKnob),
    ...blocks.map(blockKnob),
    ...[...new Set([...program.refs.flatMap((ref) => ref.shape), ...blocks])].map(sizeKnob),
    ...program.refs.flatMap((ref, k) => axes(ref.shape).map((axis) => refKnob(k, axis))),
    ...scratchOf(program.body).flatMap(({ name, shape }) => axes(shape).map((axis) => scratchKnob(name, axis))),
    ...loops.map(loopKnob)
  ]
}
