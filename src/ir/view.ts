/**
 * Views: how an equation reaches part of a ref.
 *
 * A view is a chain of transforms, each of which maps coordinates of what it shows to coordinates of what it looks at.
 * `address` walks the chain once for every interpreter, over whatever the interpreter calls an index (numbers, WGSL
 * expressions, affine forms), and says which bounds remain to be checked. Indices are kept as affine forms.
 */
import type * as DType from "../DType.ts"
import * as Shape from "../Shape.ts"
import type { Aval } from "./aval.ts"
import { TypingError } from "./typing.ts"

/** `constant + Σ coefficient · term`, in i32 arithmetic that wraps. */
export interface Affine {
  readonly constant: number
  readonly terms: ReadonlyArray<{ readonly coefficient: number; readonly term: Term }>
}
/** An i32 scalar (by its position in the equation's `indices`), or a floor-division or modulo of an affine form. */
export type Term =
  | { readonly _tag: "Index"; readonly index: number }
  | { readonly _tag: "FloorDiv" | "Mod"; readonly of: Affine; readonly by: number }

/**
 * Marks positions that come from a block specification: what they show outside the ref is padding, and no mistake.
 *
 * A range that is a whole block lies partly in the ref, unless its index map is wrong. One that may lie `wholly` in the
 * padding is part of a block, or a window with padding of that size. The mark changes no result.
 */
export type Padded = true | "wholly"
/** What stands for one axis: one element (the axis goes), a range, or an integer tile of positions. */
export type Entry =
  | { readonly _tag: "Point"; readonly at: Affine; readonly padded?: true }
  | {
      readonly _tag: "Range"
      readonly start: Affine
      readonly size: number
      readonly stride: number
      readonly padded?: Padded
    }
  | { readonly _tag: "Gather"; readonly index: number }

/**
 * One step of a view. In an `Index`, all `Gather` entries go together, element by element; their dimensions stand where
 * the first of them stands.
 */
export type Transform =
  | { readonly _tag: "Index"; readonly at: ReadonlyArray<Entry> }
  | { readonly _tag: "Reshape"; readonly shape: Shape.Shape }
  | { readonly _tag: "Transpose"; readonly perm: ReadonlyArray<number> }
  | { readonly _tag: "Bitcast"; readonly dtype: DType.Name }
export type View = ReadonlyArray<Transform>

export const constant = (n: number): Affine => ({ constant: n, terms: [] })
export const isConstant = (a: Affine): boolean => a.terms.length === 0

/** Dtypes that may be seen as each other: the same bits, in as many. */
const kinds: ReadonlyArray<ReadonlyArray<DType.Name>> = [
  ["f32", "i32", "u32"],
  ["i8", "u8"],
  ["i4", "u4"]
]
/** The dtypes that a bit-cast view may show of this one; none of bool. */
export const sameBits = (dtype: DType.Name): ReadonlyArray<DType.Name> =>
  kinds.find((kind) => kind.includes(dtype)) ?? (dtype === "bool" ? [] : [dtype])

const gatherShape = (at: ReadonlyArray<Entry>, indices: ReadonlyArray<Aval>): Shape.Shape | undefined => {
  let shape: Shape.Shape | undefined
  for (const e of at) {
    if (e._tag !== "Gather") continue
    const tile = indices[e.index]!
    if (tile.dtype !== "i32") throw new TypingError(`an index tile must be i32, not ${tile.dtype}`, "convert it to i32")
    if (shape !== undefined && !Shape.equals(shape, tile.shape))
      throw new TypingError(
        `index tiles of shapes ${Shape.show(shape)} and ${Shape.show(tile.shape)} stand in one index`,
        "broadcast them to one shape"
      )
    shape = tile.shape
  }
  return shape
}

const checkPoint = (at: Affine, dim: number, axis: number): void => {
  if (isConstant(at) && (at.constant < 0 || at.constant >= dim))
    throw new TypingError(`static index ${at.constant} is outside axis ${axis} of size ${dim}`)
}

const checkExtent = (e: Entry & { readonly _tag: "Range" }, axis: number): void => {
  if (!Number.isInteger(e.size) || e.size < 0) throw new TypingError(`a slice of size ${e.size} on axis ${axis}`)
  if (!Number.isInteger(e.stride) || e.stride < 1)
    throw new TypingError(`a slice with stride ${e.stride} on axis ${axis}`, "strides are whole numbers of at least 1")
}
const checkRange = (e: Entry & { readonly _tag: "Range" }, dim: number, axis: number): void => {
  const { size, start, stride } = e
  if (
    isConstant(start) &&
    (start.constant < 0 || (size > 0 ? start.constant + (size - 1) * stride >= dim : start.constant > dim))
  )
    throw new TypingError(
      `static slice ${start.constant}..${start.constant + (size - 1) * stride} is outside axis ${axis} of size ${dim}`
    )
}

const indexShape = (
  at: ReadonlyArray<Entry>,
  shape: Shape.Shape,
  indices: ReadonlyArray<Aval>,
  lenient: boolean
): Shape.Shape => {
  if (at.length !== shape.length)
    throw new TypingError(`${at.length} indices for ${shape.length} axes`, "give one index per axis")
  const gathered = gatherShape(at, indices)
  const out: Array<number> = []
  let placed = false
  at.forEach((e, axis) => {
    if (e._tag === "Point") {
      if (!lenient) checkPoint(e.at, shape[axis]!, axis)
    } else if (e._tag === "Range") {
      checkExtent(e, axis)
      if (!lenient) checkRange(e, shape[axis]!, axis)
      out.push(e.size)
    } else if (!placed) {
      placed = true
      out.push(...gathered!)
    }
  })
  return out
}

/**
 * Type of what one transform shows of `on`.
 *
 * `lenient` accepts constant positions out of bounds: those of block specifications, which read as padding, and those that
 * the host did not write as numbers.
 */
export const transformAval = (t: Transform, on: Aval, indices: ReadonlyArray<Aval>, lenient = false): Aval => {
  switch (t._tag) {
    case "Index":
      return { dtype: on.dtype, shape: indexShape(t.at, on.shape, indices, lenient) }
    case "Reshape":
      if (!Shape.isValid(t.shape) || Shape.size(t.shape) !== Shape.size(on.shape))
        throw new TypingError(
          `cannot view ${Shape.show(on.shape)} as ${Shape.show(t.shape)}`,
          "the sizes must be equal"
        )
      return { dtype: on.dtype, shape: t.shape }
    case "Transpose":
      checkPermutation(t.perm, on.shape.length)
      return { dtype: on.dtype, shape: t.perm.map((p) => on.shape[p]!) }
    case "Bitcast":
      if (!sameBits(on.dtype).includes(t.dtype))
        throw new TypingError(
          `cannot view ${on.dtype} as ${t.dtype}`,
          `bit-cast views keep the width of the elements: ${kinds.map((kind) => kind.join(", ")).join("; ")}`
        )
      return { dtype: t.dtype, shape: on.shape }
  }
}

export const checkPermutation = (perm: ReadonlyArray<number>, rank: number): void => {
  if (
    perm.length !== rank ||
    new Set(perm).size !== rank ||
    perm.some((p) => !Number.isInteger(p) || p < 0 || p >= rank)
  )
    throw new TypingError(`[${perm.join(", ")}] is not a permutation of ${rank} axes`)
}

/** Type of what a view shows of a ref. Static bounds were checked when the view was made, where its origin was known. */
export const viewAval = (view: View, on: Aval, indices: ReadonlyArray<Aval>): Aval =>
  view.reduce((aval, t) => transformAval(t, aval, indices, true), on)

/** Index arithmetic of an interpreter; `div` and `mod` get dividends of at least 0 unless they come from a `Term`. */
export interface Algebra<I> {
  readonly constant: (n: number) => I
  readonly add: (a: I, b: I) => I
  readonly mul: (a: I, n: number) => I
  readonly div: (a: I, n: number) => I
  readonly mod: (a: I, n: number) => I
}
/** `0 ≤ index < size` must hold for the element to be inside. */
export interface Guard<I> {
  readonly index: I
  readonly size: number
}
export interface Address<I> {
  readonly coords: ReadonlyArray<I>
  readonly guards: ReadonlyArray<Guard<I>>
}
/** Gives the scalars and index tiles of the equation. */
export interface Indices<I> {
  readonly scalar: (index: number) => I
  readonly element: (index: number, coords: ReadonlyArray<I>) => I
  readonly rank: (index: number) => number
}

export const evalAffine = <I>(alg: Algebra<I>, ix: Indices<I>, a: Affine): I =>
  a.terms.reduce((sum, { coefficient, term }) => {
    const value =
      term._tag === "Index"
        ? ix.scalar(term.index)
        : alg[term._tag === "Mod" ? "mod" : "div"](evalAffine(alg, ix, term.of), term.by)
    return alg.add(sum, alg.mul(value, coefficient))
  }, alg.constant(a.constant))

/** Row-major position of coordinates. */
export const linearise = <I>(alg: Algebra<I>, shape: Shape.Shape, coords: ReadonlyArray<I>): I => {
  const stride = Shape.strides(shape)
  return coords.reduce((sum, c, d) => alg.add(sum, alg.mul(c, stride[d]!)), alg.constant(0))
}

/** Coordinates of a row-major position. */
export const delinearise = <I>(alg: Algebra<I>, shape: Shape.Shape, linear: I): ReadonlyArray<I> => {
  const stride = Shape.strides(shape)
  return shape.map((n, d) => {
    if (n === 1) return alg.constant(0)
    const quotient = stride[d] === 1 ? linear : alg.div(linear, stride[d]!)
    return d === 0 || Shape.size(shape.slice(0, d)) === 1 ? quotient : alg.mod(quotient, n)
  })
}

const within = (e: Entry, dim: number): boolean =>
  e._tag === "Point"
    ? isConstant(e.at) && e.at.constant >= 0 && e.at.constant < dim
    : e._tag === "Range" &&
      isConstant(e.start) &&
      e.start.constant >= 0 &&
      e.start.constant + Math.max(0, e.size - 1) * e.stride < dim

const stepBack = <I>(
  alg: Algebra<I>,
  ix: Indices<I>,
  at: ReadonlyArray<Entry>,
  shape: Shape.Shape,
  coords: ReadonlyArray<I>,
  guards: Array<Guard<I>>
): ReadonlyArray<I> => {
  let next = 0
  let gathered: ReadonlyArray<I> | undefined
  return at.map((e, axis) => {
    let index: I
    if (e._tag === "Point") index = evalAffine(alg, ix, e.at)
    else if (e._tag === "Range") index = alg.add(evalAffine(alg, ix, e.start), alg.mul(coords[next++]!, e.stride))
    else {
      if (gathered === undefined) {
        const rank = ix.rank(e.index)
        // Coordinates that stay as they are remain the same list, by which a lowering knows the element again.
        gathered = rank === coords.length ? coords : coords.slice(next, next + rank)
        next += rank
      }
      index = ix.element(e.index, gathered)
    }
    if (!within(e, shape[axis]!)) guards.push({ index, size: shape[axis]! })
    return index
  })
}

/** Coordinates in a ref of shape `shape` of the element at `coords` of the view, and the bounds left to check. */
export const address = <I>(
  alg: Algebra<I>,
  ix: Indices<I>,
  view: View,
  on: Aval,
  indices: ReadonlyArray<Aval>,
  coords: ReadonlyArray<I>
): Address<I> => {
  const avals: Array<Aval> = [on]
  for (const t of view) avals.push(transformAval(t, avals.at(-1)!, indices, true))
  const guards: Array<Guard<I>> = []
  let at = coords
  for (let k = view.length - 1; k >= 0; k--) {
    const t = view[k]!
    const from = avals[k]!.shape
    if (t._tag === "Index") at = stepBack(alg, ix, t.at, from, at, guards)
    else if (t._tag === "Reshape") at = delinearise(alg, from, linearise(alg, t.shape, at))
    else if (t._tag === "Transpose") {
      const shown = at
      at = from.map((_, axis) => shown[t.perm.indexOf(axis)]!)
    }
  }
  return { coords: at, guards }
}

const renumberAffine = (a: Affine, to: (index: number) => number): Affine => ({
  constant: a.constant,
  terms: a.terms.map(({ coefficient, term }) => ({
    coefficient,
    term:
      term._tag === "Index" ? { _tag: "Index", index: to(term.index) } : { ...term, of: renumberAffine(term.of, to) }
  }))
})
const renumberEntry = (e: Entry, to: (index: number) => number): Entry =>
  e._tag === "Point"
    ? { ...e, at: renumberAffine(e.at, to) }
    : e._tag === "Range"
      ? { ...e, start: renumberAffine(e.start, to) }
      : { _tag: "Gather", index: to(e.index) }
/** The same transform over indices that stand elsewhere. */
export const renumber = (t: Transform, to: (index: number) => number): Transform =>
  t._tag === "Index" ? { _tag: "Index", at: t.at.map((e) => renumberEntry(e, to)) } : t

/** Whether two elements of the view can be one cell of the ref: only through index tiles. */
export const mayRepeat = (view: View): boolean =>
  view.some((t) => t._tag === "Index" && t.at.some((e) => e._tag === "Gather"))
