/** Grid, refs and scratch of a program, and who may do what to them. */
import * as DType from "../../DType.ts"
import type { Access, Aval, GridAxis, RefDecl, Scratch } from "../../ir/program.ts"
import { type Placement, placementOf, swizzlesOf } from "../../ir/placement.ts"
import { type Affine, type Entry, type Transform, transformAval } from "../../ir/view.ts"
import * as Shape from "../../Shape.ts"
import * as A from "./affine.ts"
import { type Step, steps } from "../trust/races.ts"
import type { Draw } from "./draw.ts"
import type { Gen, RefPlan } from "./state.ts"
import * as Tiles from "./tiles.ts"

/** Grid cells of a program at most. */
const mostCells = 24
export const grid = (draw: Draw): ReadonlyArray<GridAxis> => {
  const out: Array<GridAxis> = []
  let cells = 1
  for (let rank = draw.weighted([0, 1, 2, 3], (r) => [2, 6, 4, 2][r]!); rank > 0; rank--) {
    const n = draw.weighted([0, 1, 2, 3, 4, 5, 7], (k) => (k === 0 ? 0.3 : k < 4 ? 4 : 2))
    const size = cells * n > mostCells ? 1 : n
    out.push({ size, semantics: draw.chance(0.35) ? "sequential" : "parallel" })
    cells *= Math.max(1, size)
  }
  return out
}
/** Program instances that may run at once. */
export const instances = (axes: ReadonlyArray<GridAxis>): number =>
  axes.reduce((n, axis) => (axis.semantics === "parallel" ? n * axis.size : n), 1)

/** The number of a block along one axis of a ref, and how many there are. */
interface Blocks {
  readonly at: Affine
  readonly count: number
}
const one: Blocks = { at: A.fixed(0), count: 1 }
/** The row-major number of the cell along some axes of the grid; `offset + k` is the index that stands for axis `axes[k]`. */
const numbered = (sizes: ReadonlyArray<number>, axes: ReadonlyArray<number>): Blocks => {
  const strides = Shape.strides(axes.map((a) => sizes[a]!))
  return {
    at: A.sum(
      0,
      axes.map((a, k) => [strides[k]!, a] as const)
    ),
    count: Shape.size(axes.map((a) => sizes[a]!))
  }
}

/** Spreads the axes of the grid over the axes of a ref, so that no two instances get one block. */
const spread = (draw: Draw, axes: ReadonlyArray<GridAxis>, rank: number): ReadonlyArray<Blocks> => {
  const sizes = axes.map((a) => a.size)
  const owners = axes.flatMap((a, k) => (a.semantics === "parallel" || draw.chance(0.4) ? [k] : []))
  if (rank >= 2 && owners.length > 0 && draw.chance(0.2)) {
    const { at, count } = numbered(sizes, owners)
    const by = draw.between(1, 3)
    const split = [
      { at: A.floorDiv(at, by), count: Math.ceil(count / by) },
      { at: A.mod(at, by), count: by }
    ]
    return Array.from({ length: rank }, (_, d) => split[d] ?? one)
  }
  const of = owners.map((a) => [a, draw.below(rank)] as const)
  return Array.from({ length: rank }, (_, d) =>
    numbered(
      sizes,
      of.flatMap(([a, to]) => (to === d ? [a] : []))
    )
  )
}

/** The range of a block, marked if it leaves the axis; the last block starts at `last`. */
const ranged = (start: Affine, size: number, stride: number, dim: number, last: number): Entry => {
  const block = A.range(start, size, stride)
  if (start.constant >= 0 && last + Math.max(0, size - 1) * stride < dim) return block
  return A.padded(block, dim === 0 || last >= dim ? "wholly" : true)
}
/** Blocks that overlap with their neighbours, or reach over the edges, are for reading only. */
const entry = (
  { draw, isCareful }: Gen,
  { at, count }: Blocks,
  block: number,
  isRead: boolean
): { entry: Entry; dim: number } => {
  if (block === 1 && draw.chance(0.3)) return { entry: A.point(at), dim: count }
  const edge = !isCareful && draw.chance(0.4) ? draw.between(-Math.min(block, 3), 2) : 0
  const dim = Math.max(0, count * block + edge)
  if (count > 1 && draw.chance(0.15)) return { entry: ranged(at, block, count, dim, count - 1), dim }
  const pad = isRead && !isCareful ? draw.below(3) : 0
  const start = A.shifted(A.scaled(at, block), -pad)
  return { entry: ranged(start, block + 2 * pad, 1, dim, (count - 1) * block - pad), dim }
}

interface Declared {
  readonly decl: RefDecl
  readonly plan: Omit<RefPlan, "indices">
}
const declared = (
  name: string,
  aval: Aval,
  access: Access,
  policy: RefPlan["policy"],
  base: ReadonlyArray<Transform>,
  seen: Aval
): Declared => ({
  decl: { name, dtype: aval.dtype, shape: aval.shape, access, scalar: false },
  plan: { name, dtype: aval.dtype, policy, base, seen }
})

/** A ref of which each program instance sees a block. The indices of the view are the axes of the grid, in order. */
const blocked = (gen: Gen, axes: ReadonlyArray<GridAxis>, name: string, access: Access): Declared => {
  const { draw } = gen
  const dtype = Tiles.stored(draw)
  const block = Tiles.shape(draw, draw.between(1, 3))
  const parts = spread(draw, axes, block.length).map((b, d) => entry(gen, b, block[d]!, access === "in"))
  const aval: Aval = { dtype, shape: parts.map((p) => p.dim) }
  const base: Transform = { _tag: "Index", at: parts.map((p) => p.entry) }
  const place = axes.map((): Aval => ({ dtype: "i32", shape: [] }))
  return declared(name, aval, access, access === "in" ? "read" : "own", [base], transformAval(base, aval, place, true))
}
/** The one kind of step that is done to a ref of this dtype: mostly, they add. */
const stepFor = (draw: Draw, dtype: Aval["dtype"]): Step =>
  !["f32", "i32", "u32"].includes(dtype) || draw.chance(0.5)
    ? "add"
    : draw.of(steps.filter((s) => dtype !== "f32" || s === "max" || s === "min"))
const wholly = ({ draw, isCareful }: Gen, name: string, access: Access, policy: RefPlan["policy"]): Declared => {
  const dtype = Tiles.stored(draw)
  const isOpen = dtype === "bool" || (isCareful && DType.isFloat(DType.widened(dtype)))
  const aval: Aval = { dtype: policy === "accumulate" && isOpen ? "i32" : dtype, shape: Tiles.shape(draw) }
  const { decl, plan } = declared(name, aval, access, policy, [], aval)
  return policy === "accumulate" ? { decl, plan: { ...plan, step: stepFor(draw, aval.dtype) } } : { decl, plan }
}

const ref = (gen: Gen, axes: ReadonlyArray<GridAxis>, name: string, access: Access): Declared => {
  const { draw } = gen
  const alone = instances(axes) <= 1
  if (draw.chance(alone ? 0.4 : 0.65)) return blocked(gen, axes, name, access)
  if (access === "in") return wholly(gen, name, access, "read")
  return wholly(gen, name, access, alone ? "free" : access === "inout" && draw.chance(0.15) ? "read" : "accumulate")
}

const scalar = (draw: Draw, name: string): Declared => {
  const aval: Aval = { dtype: Tiles.dtype(draw), shape: [] }
  const { decl, plan } = declared(name, aval, "in", "read", [], aval)
  return { decl: { ...decl, scalar: true }, plan }
}

/** Declarations of one to five refs, at least one of which is given back. */
export const refs = (gen: Gen, axes: ReadonlyArray<GridAxis>): ReadonlyArray<RefDecl> => {
  const { draw } = gen
  // What starts as 0 without having been written is undefined.
  const given = (access: Access): Access => (gen.isCareful && access === "out" ? "inout" : access)
  const all: Array<Declared> = [ref(gen, axes, gen.name("o"), given(draw.of(["out", "inout"])))]
  for (let n = draw.between(0, 3); n > 0; n--)
    all.push(ref(gen, axes, gen.name("r"), given(draw.of(["in", "in", "out", "inout"]))))
  if (draw.chance(0.3)) all.push(scalar(draw, gen.name("s")))
  for (const { decl, plan } of all) {
    gen.builder.declare(decl)
    gen.refs.push({ ...plan, indices: plan.base.length === 0 ? [] : gen.place })
  }
  return all.map((d) => d.decl)
}

/** A ref that has room for a value of each cell of the grid. */
export const outlet = (gen: Gen, axes: ReadonlyArray<GridAxis>, { dtype, shape }: Aval): RefDecl => {
  const base: Transform = {
    _tag: "Index",
    at: [...axes.map((_, k) => A.point(A.sum(0, [[1, k]]))), ...shape.map((n) => A.range(A.fixed(0), n))]
  }
  const aval: Aval = { dtype, shape: [...axes.map((a) => a.size), ...shape] }
  const { decl, plan } = declared(gen.name("v"), aval, "out", "own", [base], { dtype, shape })
  gen.builder.declare(decl)
  gen.refs.push({ ...plan, indices: gen.place })
  return decl
}

const divisors = (n: number): ReadonlyArray<number> =>
  Array.from({ length: Math.max(1, n) }, (_, k) => k + 1).filter((d) => n % d === 0)
/** A layout that fits, now and then. */
const placement = (draw: Draw, shape: Shape.Shape): Placement => {
  if (shape.length === 0 || !draw.chance(0.4)) return {}
  const tiled = shape.slice(shape.length - draw.between(0, Math.min(2, shape.length)))
  const tiling = tiled.length === 0 ? undefined : tiled.map((n) => draw.of(divisors(n)))
  return placementOf({ tiling, swizzle: draw.maybe(swizzlesOf(tiling?.at(-1) ?? shape.at(-1)!)) })
}
const space = (draw: Draw): Scratch["space"] => draw.of(["workgroup", "register"] as const)
/** Scratch, which belongs to one program instance: anything goes. */
export const scratch = (gen: Gen): Scratch => {
  const aval: Aval = { dtype: Tiles.stored(gen.draw), shape: Tiles.shape(gen.draw) }
  return { name: gen.name("t"), ...aval, space: space(gen.draw), ...placement(gen.draw, aval.shape) }
}
/** One barrier, or several. */
export const barrier = (gen: Gen): Scratch => ({
  name: gen.name("b"),
  dtype: "i32",
  shape: gen.draw.chance(0.5) ? [] : [gen.draw.between(1, 3)],
  space: space(gen.draw),
  role: { kind: "barrier", arrivals: gen.draw.between(1, 3) }
})
/** A small accumulator. */
export const accumulator = (gen: Gen): Scratch => ({
  name: gen.name("a"),
  dtype: gen.draw.of(["f32", "f32", "i32", "u32"] as const),
  shape: Array.from({ length: gen.draw.chance(0.15) ? 3 : 2 }, () => gen.draw.between(1, 4)),
  space: space(gen.draw),
  role: { kind: "accumulator" }
})
/** Scratch of any role, mostly plain memory. */
export const anyScratch = (gen: Gen): Scratch =>
  gen.draw.weighted([scratch, barrier, accumulator], (make) => (make === scratch ? 6 : 1))(gen)
/** Brings scratch into scope. */
export const useScratch = (gen: Gen, ref: Scratch): void => {
  const { dtype, name, shape, space } = ref
  gen.builder.declare(ref)
  if (ref.role !== undefined) gen.roles.push(ref)
  else gen.refs.push({ name, dtype, policy: "free", space, base: [], indices: [], seen: { dtype, shape } })
}
