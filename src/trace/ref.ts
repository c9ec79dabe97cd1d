/**
 * Refs as the trace sees them: the ref that is looked at, the trace that it belongs to, and the steps of the view.
 *
 * Steps hold tiles; they become a view over the indices of an equation when an operation uses the ref.
 */
import type * as DType from "../DType.ts"
import type { Access, Aval, RefUse, Role, Scratch, Source } from "../ir/program.ts"
import { composeView } from "../ir/compose.ts"
import { checkTiling } from "../ir/placement.ts"
import { called, operationsOf } from "../ir/role.ts"
import { TypingError } from "../ir/typing.ts"
import {
  checkPermutation,
  constant as affineConstant,
  type Entry,
  type Padded,
  renumber,
  type Transform,
  transformAval
} from "../ir/view.ts"
import type * as Shape from "../Shape.ts"
import { affineOf, Collector, rangeOf } from "./affine.ts"
import { capture } from "./position.ts"
import { type Block, ForeignError, type TraceState } from "./state.ts"
import { isTile, OperandError, type TileImpl } from "./tile.ts"

export const TypeId = "~effect-kernels/MemRef" as const

export interface Slice<out N extends number> {
  readonly "~slice": N
  readonly start: TileImpl | number
  readonly size: number
  readonly stride: number
}
export const isSlice = (u: unknown): u is Slice<number> => typeof u === "object" && u !== null && "~slice" in u

/** One axis of an index, resolved: negative host numbers have been counted from the end. */
export type Position =
  | { readonly _tag: "Point"; readonly at: TileImpl | number }
  | {
      readonly _tag: "Range"
      readonly start: TileImpl | number
      readonly size: number
      readonly stride: number
      readonly padded?: Padded
    }
  | { readonly _tag: "Gather"; readonly index: TileImpl }
export type Step =
  | { readonly _tag: "Index"; readonly at: ReadonlyArray<Position> }
  | { readonly _tag: "Reshape"; readonly shape: Shape.Shape }
  | { readonly _tag: "Transpose"; readonly perm: ReadonlyArray<number> }
  | { readonly _tag: "Bitcast"; readonly dtype: DType.Name }
  /** A transform over index tiles of its own. */
  | { readonly _tag: "Given"; readonly transform: Transform; readonly indices: ReadonlyArray<TileImpl> }

/** Where a ref lives: a kernel's interface, or a scope that ends. */
export interface Home {
  readonly state: TraceState
  readonly block: Block
}
export class MemRefImpl {
  readonly [TypeId] = TypeId
  readonly name: string
  readonly dtype: DType.Name
  readonly shape: Shape.Shape
  readonly access: Access
  readonly home: Home
  readonly steps: ReadonlyArray<Step>
  constructor(name: string, aval: Aval, access: Access, home: Home, steps: ReadonlyArray<Step> = []) {
    this.name = name
    this.dtype = aval.dtype
    this.shape = aval.shape
    this.access = access
    this.home = home
    this.steps = steps
  }
}
export const isMemRef = (u: unknown): u is MemRefImpl => typeof u === "object" && u !== null && TypeId in u

export const RoleTypeId = "~effect-kernels/RoleRef" as const
/** A ref with a role: memory that only the operations of that role take. */
export class RoleRef<out R extends Role = Role> {
  readonly [RoleTypeId] = RoleTypeId
  readonly role: R
  readonly ref: MemRefImpl
  constructor(role: R, ref: MemRefImpl) {
    this.role = role
    this.ref = ref
  }
}
export const isRoleRef = (u: unknown): u is RoleRef => typeof u === "object" && u !== null && RoleTypeId in u

/** What a body gets for scratch: memory, or what only operations of its role take. */
export const scratchRef = (scratch: Scratch, home: Home): MemRefImpl | RoleRef => {
  const ref = new MemRefImpl(scratch.name, scratch, "inout", home)
  return scratch.role === undefined ? ref : new RoleRef(scratch.role, ref)
}
/** The ref, if it is one. */
export const checkedRef = (name: string, u: unknown, source: Source): MemRefImpl => {
  if (isMemRef(u)) return u
  const [what, hint] = isRoleRef(u)
    ? [`${called(u.role.kind)} is no memory`, `it is reached by the operations of ${operationsOf(u.role.kind)}`]
    : [
        isTile(u) ? "a tile is not a ref" : "the first argument is not a ref",
        "scalars are tiles already: use them without loading"
      ]
  throw new OperandError(name, new TypingError(what, hint), source)
}

/** A mistake in an index or view of a ref. */
export class IndexError extends Error {
  readonly ref: string
  readonly shape: Shape.Shape
  readonly detail: string
  readonly source: Source
  constructor(ref: MemRefImpl, detail: string, source: Source) {
    super(detail)
    this.name = "IndexError"
    this.ref = ref.name
    this.shape = ref.shape
    this.detail = detail
    this.source = source
  }
}

/** A ref that is used as it may not be. */
export class AccessError extends Error {
  readonly ref: string
  readonly detail: string
  readonly source: Source
  constructor(ref: string, source: Source, detail = "it is an in ref, which is only read; declare it inout or out") {
    super(`"${ref}": ${detail}`)
    this.name = "AccessError"
    this.ref = ref
    this.detail = detail
    this.source = source
  }
}

/** Resolves the given indices against the axes: fills in an ellipsis and what is left out at the end. */
const spread = (index: ReadonlyArray<unknown>, rank: number): ReadonlyArray<unknown> => {
  const dots = index.indexOf("...")
  const given = dots < 0 ? index.length : index.length - 1
  if (given > rank) throw new TypingError(`${given} indices for ${rank} axes`)
  if (dots >= 0 && index.indexOf("...", dots + 1) >= 0) throw new TypingError("two ellipses in one index")
  const whole = new Array<unknown>(rank - given).fill(":")
  return dots < 0 ? [...index, ...whole] : [...index.slice(0, dots), ...whole, ...index.slice(dots + 1)]
}

const fromEnd = (n: number, dim: number): number => (n < 0 ? n + dim : n)
const checkWhole = (n: number): void => {
  if (!Number.isInteger(n)) throw new TypingError(`${n} is not a whole number`)
}

const position = (u: unknown, dim: number): Position => {
  if (u === ":") return { _tag: "Range", start: 0, size: dim, stride: 1 }
  if (typeof u === "number") {
    checkWhole(u)
    if (u < -dim || u >= dim) throw new TypingError(`static index ${u} is out of range for an axis of size ${dim}`)
    return { _tag: "Point", at: fromEnd(u, dim) }
  }
  if (isSlice(u)) {
    if (typeof u.start !== "number")
      return { _tag: "Range", start: checkScalar(u.start), size: u.size, stride: u.stride }
    checkWhole(u.start)
    const start = fromEnd(u.start, dim)
    checkStatic(start, u, dim)
    return { _tag: "Range", start, size: u.size, stride: u.stride }
  }
  if (!isTile(u)) throw new TypingError('an index is a number, an i32 tile, a slice or "..."')
  if (u.dtype !== "i32") throw new TypingError(`an index of type ${u.dtype}; convert it to i32`)
  return u.shape.length === 0 ? { _tag: "Point", at: u } : { _tag: "Gather", index: u }
}
const checkStatic = (start: number, { size, stride }: Slice<number>, dim: number): void => {
  const end = size > 0 ? start + (size - 1) * stride + 1 : start
  if (start < 0 || end > dim)
    throw new TypingError(`static slice ${start}..${end} is out of range for an axis of size ${dim}`)
}
const checkScalar = (t: TileImpl): TileImpl => {
  if (!isTile(t) || t.dtype !== "i32" || t.shape.length > 0)
    throw new TypingError("a slice starts at a number or an i32 scalar")
  return t
}

const entry = (p: Position, into: Collector): Entry => {
  switch (p._tag) {
    case "Point":
      return { _tag: "Point", at: typeof p.at === "number" ? affineConstant(p.at) : affineOf(p.at, into) }
    case "Range":
      return { ...p, start: typeof p.start === "number" ? affineConstant(p.start) : affineOf(p.start, into) }
    case "Gather":
      return { _tag: "Gather", index: into.position(p.index) }
  }
}
const transform = (step: Step, into: Collector): Transform =>
  step._tag === "Index"
    ? { _tag: "Index", at: step.at.map((p) => entry(p, into)) }
    : step._tag === "Given"
      ? renumber(step.transform, (k) => into.position(step.indices[k]!))
      : step

/** A ref seen through one more step; throws `IndexError` where it does not fit. */
const viewed = (of: MemRefImpl, make: () => Step): MemRefImpl => {
  const source = capture()
  const ref = checkedRef("view", of, source)
  try {
    const step = make()
    const into = new Collector()
    const aval = transformAval(transform(step, into), ref, into.tiles, true)
    return new MemRefImpl(ref.name, aval, ref.access, ref.home, [...ref.steps, step])
  } catch (e) {
    if (!(e instanceof TypingError)) throw e
    throw new IndexError(ref, e.hint === undefined ? e.detail : `${e.detail}; ${e.hint}`, source)
  }
}

export const at = (ref: MemRefImpl, index: ReadonlyArray<unknown>): MemRefImpl =>
  viewed(ref, () => ({
    _tag: "Index",
    at: spread(index, ref.shape.length).map((u, axis) => position(u, ref.shape[axis]!))
  }))
export const reshape = (ref: MemRefImpl, shape: Shape.Shape): MemRefImpl =>
  viewed(ref, () => ({ _tag: "Reshape", shape }))
export const squeeze = (ref: MemRefImpl, axes: ReadonlyArray<number> | undefined): MemRefImpl =>
  viewed(ref, () => {
    const gone = axes?.map((axis) => fromEnd(axis, ref.shape.length))
    for (const axis of gone ?? [])
      if (ref.shape[axis] !== 1)
        throw new TypingError(`axis ${axis} is not of size 1`, "only such axes can be squeezed")
    return {
      _tag: "Reshape",
      shape: ref.shape.filter((n, axis) => (gone === undefined ? n !== 1 : !gone.includes(axis)))
    }
  })
export const transpose = (ref: MemRefImpl, perm: ReadonlyArray<number> | undefined): MemRefImpl =>
  viewed(ref, () => {
    const rank = ref.shape.length
    const axes = perm?.map((p) => fromEnd(p, rank)) ?? Array.from({ length: rank }, (_, d) => rank - 1 - d)
    checkPermutation(axes, rank)
    return { _tag: "Transpose", perm: axes }
  })
const range = (from: number, count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, k) => from + k)

/** The last axes cut into tiles: how many there are along each, then the sizes of one. */
export const tile = (ref: MemRefImpl, tiling: ReadonlyArray<number>): MemRefImpl => {
  const { shape } = ref
  const split = viewed(ref, () => {
    checkTiling("the ref", shape, tiling)
    const first = shape.length - tiling.length
    const pairs = tiling.flatMap((n, k) => [shape[first + k]! / n, n])
    return { _tag: "Reshape", shape: [...shape.slice(0, first), ...pairs] }
  })
  const first = shape.length - tiling.length
  const [numbers, sizes] = [0, 1].map((side) => tiling.map((_, k) => first + 2 * k + side)) as [number[], number[]]
  return viewed(split, () => ({ _tag: "Transpose", perm: [...range(0, first), ...numbers, ...sizes] }))
}
/** The inverse of `tile`, of so many axes. */
export const untile = (ref: MemRefImpl, axes: number): MemRefImpl => {
  const first = ref.shape.length - 2 * axes
  const joined = viewed(ref, () => {
    if (!Number.isInteger(axes) || axes < 0 || first < 0)
      throw new TypingError(`${axes} tiled axes of ${ref.shape.length}`, "each has a number of tiles and a size")
    const pairs = range(first, axes).flatMap((n) => [n, n + axes])
    return { _tag: "Transpose", perm: [...range(0, first), ...pairs] }
  })
  return viewed(joined, () => {
    const { shape } = joined
    const whole = range(0, axes).map((k) => shape[first + 2 * k]! * shape[first + 2 * k + 1]!)
    return { _tag: "Reshape", shape: [...shape.slice(0, first), ...whole] }
  })
}
export const bitcast = (ref: MemRefImpl, dtype: DType.Name): MemRefImpl =>
  viewed(ref, () => ({ _tag: "Bitcast", dtype }))

/** The ref with another position for each that need not be the same at every turn of a loop; whole axes stay. */
export const moved = (ref: MemRefImpl, at: (position: TileImpl | number) => TileImpl): MemRefImpl => {
  let on = ref.home.state.refs.get(ref.name)!
  const steps = ref.steps.map((step) => {
    const { shape } = on
    const into = new Collector()
    const given = transform(step, into)
    on = transformAval(given, on, into.tiles, true)
    return movedStep(step, shape, at)
  })
  return new MemRefImpl(ref.name, ref, ref.access, ref.home, steps)
}
const movedStep = (step: Step, shape: Shape.Shape, at: (position: TileImpl | number) => TileImpl): Step => {
  if (step._tag === "Given") return { ...step, indices: step.indices.map(at) }
  if (step._tag !== "Index") return step
  return {
    ...step,
    at: step.at.map((p, axis): Position => {
      if (p._tag === "Gather") return { ...p, index: at(p.index) }
      if (p._tag === "Point") return { ...p, at: at(p.at) }
      return isWholeAxis(p, shape[axis]!) ? p : { ...p, start: at(p.start) }
    })
  }
}
const isWholeAxis = (p: Position & { readonly _tag: "Range" }, size: number): boolean =>
  p.start === 0 && p.size === size && p.stride === 1

/** The ref as an equation of this trace uses it, and the tiles that its view indexes with. */
export const use = (
  state: TraceState,
  ref: MemRefImpl,
  source: Source,
  into = new Collector()
): { readonly use: RefUse; readonly indices: ReadonlyArray<TileImpl> } => {
  if (ref.home.state !== state)
    throw new ForeignError(
      `ref "${ref.name}"`,
      `it belongs to kernel "${ref.home.state.kernel}"; pass it to this kernel`,
      source
    )
  if (!state.isOpen(ref.home.block)) throw new ForeignError(`ref "${ref.name}"`, "its scope has ended", source)
  const all = new Collector()
  const chain = ref.steps.map((s) => transform(s, all))
  const view = composeView(chain, state.refs.get(ref.name)!, all.tiles, (k) => rangeOf(all.tiles[k]!))
  // Numbered anew, in the order of the view: composition may do without some.
  return {
    use: { name: ref.name, view: view.map((t) => renumber(t, (k) => into.position(all.tiles[k]!))) },
    indices: into.tiles
  }
}
