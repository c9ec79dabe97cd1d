/**
 * Tiles: the array values inside a kernel.
 *
 * A tile is symbolic. Combining tiles builds an expression and runs nothing; what the kernel stores is computed, and nothing
 * else. Elementwise operations are methods and functions (numbers stand for scalars of the other operand's dtype), every one
 * of the same name except that the functions `minimum` and `maximum` leave `min` and `max` to the reductions; everything
 * else is a function.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { Discharge, f32, Kernel, MemRef, Tile } from "effect-kernels"
 *
 * const normalise = Kernel.make("normalise", {
 *   grid: [1],
 *   refs: { x: MemRef.in(f32, [2, 2]), o: MemRef.out(f32, [2, 2]) }
 * }, function*({ x, o }) {
 *   const v = yield* MemRef.load(x)
 *   yield* MemRef.store(o, v.div(Tile.sum(v, { axis: 1, keepDims: true })))
 * })
 * const run = Kernel.run(normalise, { x: Float32Array.of(1, 3, 2, 2) }).pipe(Effect.provide(Discharge.layer))
 * console.assert((await Effect.runPromise(run)).o.join() === "0.25,0.75,0.5,0.5")
 * ```
 */
import type * as DType from "./DType.ts"
import { i32 } from "./DType.ts"
import * as Shape from "./Shape.ts"
import { TypingError } from "./ir/typing.ts"
import { capture } from "./trace/position.ts"
import type { ShapeMismatch, Tile } from "./tile/elementwise.ts"
import * as Impl from "./trace/tile.ts"

export const TypeId: TypeId = Impl.TypeId
export type TypeId = typeof Impl.TypeId

type S_ = Shape.Shape
export type { DTypeMismatch, Methods, Operand, ShapeMismatch, Tile } from "./tile/elementwise.ts"
export type Any = Tile<DType.Compute, Shape.Shape>
export type Scalar<D extends DType.Compute> = Tile<D, []>
export type I32 = Scalar<"i32">

export const isTile = (u: unknown): u is Any => Impl.isTile(u)

// --- elementwise, data first --------------------------------------------------------------------------------------------

export * from "./tile/functions.ts"
export const convert = <S extends S_, D2 extends DType.Compute>(
  x: Tile<DType.Compute, S>,
  to: DType.DType<D2>
): Tile<D2, S> => x.convert(to)
export const bitcast = <S extends S_, D2 extends "f32" | DType.Integer>(
  x: Tile<"f32" | DType.Integer, S>,
  to: DType.DType<D2>
): Tile<D2, S> => x.bitcast(to)

// --- making -------------------------------------------------------------------------------------------------------------

const make = (name: string, operands: ReadonlyArray<unknown>, params: Parameters<typeof Impl.apply>[2] = {}): any =>
  Impl.apply(
    name,
    operands.map((o) => Impl.operand(name, o, "f32")),
    params
  )

/** A scalar. */
export const of = <D extends DType.Compute>(dtype: DType.DType<D>, value: number | boolean): Scalar<D> =>
  Impl.operand("of", Number(value), dtype.name) as any
/** A tile that holds one value everywhere. */
export const full = <D extends DType.Compute, const S extends S_>(
  dtype: DType.DType<D>,
  shape: S,
  value: number | boolean | Scalar<D>
): Tile<D, Shape.Mutable<S>> =>
  make("full", [typeof value === "object" ? value : of(dtype, value)], { shape: [...shape] })
export const zeros = <D extends DType.Compute, const S extends S_>(
  dtype: DType.DType<D>,
  shape: S
): Tile<D, Shape.Mutable<S>> => full(dtype, shape, 0)
export const ones = <D extends DType.Compute, const S extends S_>(
  dtype: DType.DType<D>,
  shape: S
): Tile<D, Shape.Mutable<S>> => full(dtype, shape, 1)
/** A tile whose elements are their own positions along `axis` (the first, if left out). */
export const iota = <D extends DType.Numeric, const S extends S_>(
  dtype: DType.DType<D>,
  shape: S,
  axis = 0
): Tile<D, Shape.Mutable<S>> =>
  make("iota", [], { dtype: dtype.name, shape: [...shape], axis: axisOf("iota", shape.length, axis) })

// --- shape --------------------------------------------------------------------------------------------------------------

const axisOf = (name: string, rank: number, axis: number): number => {
  const found = Shape.axis(rank, axis)
  if (found === undefined)
    throw new Impl.OperandError(name, new TypingError(`no axis ${axis} in a tile of rank ${rank}`), capture())
  return found
}
const axesOf = (
  name: string,
  rank: number,
  axis: number | ReadonlyArray<number> | undefined
): ReadonlyArray<number> => {
  if (axis === undefined) return Array.from({ length: rank }, (_, d) => d)
  const axes = (typeof axis === "number" ? [axis] : axis).map((a) => axisOf(name, rank, a))
  if (new Set(axes).size !== axes.length)
    throw new Impl.OperandError(name, new TypingError(`an axis is named twice in [${axes.join(", ")}]`), capture())
  return axes.sort((a, b) => a - b)
}

/** Stretches dimensions of size 1; a scalar takes any shape. */
export const broadcast = <D extends DType.Compute, X extends S_, const S extends S_>(
  x: Tile<D, X>,
  shape: S & ([Shape.Broadcast<X, S>] extends [never] ? ShapeMismatch<X, S> : unknown)
): Tile<D, Shape.Mutable<S>> => make("broadcast", [x], { shape: [...shape] })
/** The same elements in row-major order under another shape of the same size. */
export const reshape = <D extends DType.Compute, const S extends S_>(
  x: Tile<D, S_>,
  shape: S
): Tile<D, Shape.Mutable<S>> => make("reshape", [x], { shape: [...shape] })
/** Axis `d` of the result is axis `perm[d]` of the tile; without `perm` the axes are reversed. */
export const transpose: {
  <D extends DType.Compute, S extends S_>(x: Tile<D, S>): Tile<D, Shape.Reverse<S>>
  <D extends DType.Compute, S extends S_, const P extends ReadonlyArray<number>>(
    x: Tile<D, S>,
    perm: P
  ): Tile<D, { -readonly [K in keyof P]: P[K] extends keyof S ? S[P[K]] & number : number }>
} = (x: Any, perm?: ReadonlyArray<number>): any =>
  make("transpose", [x], {
    perm:
      perm === undefined
        ? x.shape.map((_, d) => x.shape.length - 1 - d)
        : perm.map((p) => axisOf("transpose", x.shape.length, p))
  })
/** Puts in a dimension of size 1 at `axis` of the result. */
export const expandDims = <D extends DType.Compute, S extends S_, const A extends number>(
  x: Tile<D, S>,
  axis: A & ([Shape.Expanded<S, A>] extends [never] ? Shape.NoSuchAxis<A, S> : unknown)
): Tile<D, Shape.Expanded<S, A>> => make("expandDims", [x], { axes: [axisOf("expandDims", x.shape.length + 1, axis)] })
/** Takes out the dimensions of size 1 at `axis`; all of them, if left out. */
export const squeeze = <
  D extends DType.Compute,
  S extends S_,
  const A extends number | ReadonlyArray<number> | undefined = undefined
>(
  x: Tile<D, S>,
  axis?: A
): Tile<D, [A] extends [undefined] ? S_ : Shape.Reduced<S, A, false>> =>
  make("squeeze", [x], {
    axes: axis === undefined ? x.shape.flatMap((n, d) => (n === 1 ? [d] : [])) : axesOf("squeeze", x.shape.length, axis)
  })
/** Joins tiles along an axis; their other dimensions are equal. */
export const concat = <D extends DType.Compute>(tiles: ReadonlyArray<Tile<D, S_>>, axis = 0): Tile<D, S_> =>
  make("concat", tiles, { axis: axisOf("concat", tiles[0]?.shape.length ?? 0, axis) })
/** A box of a tile: per axis where it starts (negative from the end), how many elements, and how far apart. */
export const slice = <D extends DType.Compute, const N extends S_>(
  x: Tile<D, S_>,
  box: { readonly starts: ReadonlyArray<number>; readonly sizes: N; readonly strides?: ReadonlyArray<number> }
): Tile<D, Shape.Mutable<N>> =>
  make("slice", [x], {
    starts: box.starts.map((s, d) => (s < 0 ? s + (x.shape[d] ?? 0) : s)),
    sizes: [...box.sizes],
    strides: [...(box.strides ?? box.sizes.map(() => 1))]
  })
/** Elements at the positions `index` of an axis; positions out of range give 0. */
export const take = <D extends DType.Compute>(
  x: Tile<D, S_>,
  index: Tile<"i32", S_>,
  options?: { readonly axis?: number }
): Tile<D, S_> => make("take", [x, index], { axis: axisOf("take", x.shape.length, options?.axis ?? 0) })
/** Puts `low` elements before and `high` after each axis, of value `value` (0, if left out). */
export const pad = <D extends DType.Compute>(
  x: Tile<D, S_>,
  options: {
    readonly low: ReadonlyArray<number>
    readonly high: ReadonlyArray<number>
    readonly value?: number | boolean | Scalar<NoInfer<D>>
  }
): Tile<D, S_> => {
  const value = options.value ?? 0
  return make("pad", [x, Impl.operand("pad", typeof value === "boolean" ? Number(value) : value, x.dtype)], {
    low: [...options.low],
    high: [...options.high]
  })
}
/** Reverses the order along the axes; all, if left out. */
export const flip = <D extends DType.Compute, S extends S_>(
  x: Tile<D, S>,
  options?: { readonly axis?: number | ReadonlyArray<number> }
): Tile<D, S> => make("flip", [x], { axes: axesOf("flip", x.shape.length, options?.axis) })

// --- reductions ---------------------------------------------------------------------------------------------------------

type Axes = number | ReadonlyArray<number> | undefined
interface ReduceOptions<S extends S_, A, K> {
  /** One axis or several (negative from the end); all, if left out. */
  readonly axis?: A & Shape.HasAxes<S, A>
  /** Keep reduced axes with size 1. */
  readonly keepDims?: K
}
interface Reduce<In extends DType.Compute, Out extends DType.Compute = never> {
  <D extends In, S extends S_, const A extends Axes = undefined, K extends boolean = false>(
    x: Tile<D, S>,
    options?: ReduceOptions<S, A, K>
  ): Tile<[Out] extends [never] ? D : Out, Shape.Reduced<S, A, K>>
}
const reduced =
  (name: string) =>
  (x: Any, options?: ReduceOptions<S_, Axes, boolean>): any => {
    const axes = axesOf(name, x.shape.length, options?.axis)
    // Over no axis, each element is a reduction of its own: it stays, and stands at position 0.
    if (axes.length === 0) return name.startsWith("arg") ? full(i32, x.shape, 0) : x
    return make(name, [x], { axes, keepDims: options?.keepDims ?? false })
  }
export const sum: Reduce<DType.Numeric> = reduced("reduceSum")
export const prod: Reduce<DType.Numeric> = reduced("reduceProd")
/** Largest element; NaN if any is. */
export const max: Reduce<DType.Numeric> = reduced("reduceMax")
/** Smallest element; NaN if any is. */
export const min: Reduce<DType.Numeric> = reduced("reduceMin")
export const any: Reduce<"bool"> = reduced("reduceAny")
export const all: Reduce<"bool"> = reduced("reduceAll")
/** Row-major position, over the reduced axes, of the first NaN, else of the first largest element. */
export const argmax: Reduce<DType.Numeric, "i32"> = reduced("argmax")
/** Row-major position, over the reduced axes, of the first NaN, else of the first smallest element. */
export const argmin: Reduce<DType.Numeric, "i32"> = reduced("argmin")

const cumulative =
  (name: string) =>
  <D extends DType.Numeric, S extends S_>(
    x: Tile<D, S>,
    options?: { readonly axis?: number; readonly reverse?: boolean }
  ): Tile<D, S> =>
    make(name, [x], { axis: axisOf(name, x.shape.length, options?.axis ?? 0), reverse: options?.reverse ?? false })
/** Running sums along an axis, each with its own element. */
export const cumsum = cumulative("cumsum")
/** Running maxima along an axis. */
export const cummax = cumulative("cummax")

type Dim<S extends S_, Back extends number> = S extends readonly [...S_, infer M extends number, infer N extends number]
  ? Back extends 2
    ? M
    : N
  : number
type Batch<S extends S_> = S extends readonly [...infer B extends S_, number, number] ? B : S_
/** Shape of a product. */
export type Dot<A extends S_, B extends S_, TA, TB> = [
  ...Batch<A>,
  TA extends true ? Dim<A, 1> : Dim<A, 2>,
  TB extends true ? Dim<B, 2> : Dim<B, 1>
]
/** Operands of a product whose ranks are below 2, or whose batches differ. */
export interface BatchMismatch<A extends S_, B extends S_> {
  readonly "~batches or ranks differ": readonly [A, B]
}
/** A product over dimensions that differ. */
export interface ContractionMismatch<K extends number, K2 extends number> {
  readonly "~contracted dimensions differ": readonly [K, K2]
}
/** `never` where dimensions are equal or may be. */
type Differ<A, B> = A extends B ? never : B extends A ? never : true
type AnyDiffer<A extends S_, B extends S_> = A["length"] extends B["length"]
  ? { [I in keyof A]: Differ<A[I], B[I & keyof B]> }[number]
  : true
type Contracts<A extends S_, B extends S_, K extends number, K2 extends number> = number extends
  A["length"] | B["length"]
  ? unknown
  : [Differ<K, K2>] extends [never]
    ? [Extract<A["length"] | B["length"], 0 | 1> | AnyDiffer<Batch<A>, Batch<B>>] extends [never]
      ? unknown
      : BatchMismatch<A, B>
    : ContractionMismatch<K, K2>

/** `unknown` if the factors of a product fit together, as far as their shapes are known. */
export type Factors<A extends S_, B extends S_, TA, TB> = Contracts<
  A,
  B,
  TA extends true ? Dim<A, 2> : Dim<A, 1>,
  TB extends true ? Dim<B, 1> : Dim<B, 2>
>
/** Dtype in which products of elements of type `D` are summed. */
export type Accumulated<D extends DType.Name> = D extends "f16" ? "f32" : D

/**
 * Matrix product over the last two axes; leading axes are batches and must be equal.
 *
 * `a` is `[…, m, k]` (`[…, k, m]` with `transposeA`), `b` is `[…, k, n]` (`[…, n, k]` with `transposeB`). f32, i32 and u32
 * accumulate in their own dtype, f16 in f32, which is the dtype of the result.
 */
export const dot = <
  D extends DType.Numeric,
  A extends S_,
  B extends S_,
  TA extends boolean = false,
  TB extends boolean = false
>(
  a: Tile<D, A>,
  b: Tile<NoInfer<D>, B> & Factors<A, B, TA, TB>,
  options?: { readonly transposeA?: TA; readonly transposeB?: TB }
): Tile<Accumulated<D>, Dot<A, B, TA, TB>> =>
  make("dot", [a, b], { transposeA: options?.transposeA ?? false, transposeB: options?.transposeB ?? false })
