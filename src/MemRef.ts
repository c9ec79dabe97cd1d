/**
 * Refs: the memory that a kernel reads and writes.
 *
 * `in`, `out`, `inout` and `scalar` declare them; the body gets each as a `MemRef` of what its program instance sees. Views
 * (`at`, `reshape`, `transpose`, `tile`, `bitcast`) compose, and every one of them reads and writes. Reads out of bounds give 0,
 * writes out of bounds are dropped; an index that is a number of the host is checked when the kernel is traced, and
 * counts from the end where it is negative.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { Discharge, i32, Kernel, MemRef } from "effect-kernels"
 *
 * const oddToEven = Kernel.make("oddToEven", {
 *   grid: [1],
 *   refs: { x: MemRef.in(i32, [6]), o: MemRef.out(i32, [6]) }
 * }, function*({ x, o }) {
 *   yield* MemRef.store(o, 0)
 *   const odd = yield* MemRef.load(MemRef.at(x, [MemRef.slice(1, 3, 2)]))
 *   yield* MemRef.store(MemRef.at(o, [MemRef.slice(0, 3, 2)]), odd)
 * })
 * const run = Kernel.run(oddToEven, { x: Int32Array.of(1, 2, 3, 4, 5, 6) }).pipe(Effect.provide(Discharge.layer))
 * console.assert((await Effect.runPromise(run)).o.join() === "2,0,4,0,6,0")
 * ```
 */
import type { Effect } from "effect"
import type * as Block from "./Block.ts"
import type * as DType from "./DType.ts"
import type { Accum, Read, Write } from "./Effects.ts"
import type * as Program from "./ir/program.ts"
import type * as Shape from "./Shape.ts"
import type * as Tile from "./Tile.ts"
import * as Access_ from "./trace/access.ts"
import { calledAt } from "./trace/position.ts"
import * as Impl from "./trace/ref.ts"

export const TypeId: TypeId = Impl.TypeId
export type TypeId = typeof Impl.TypeId

type S_ = Shape.Shape
export type Access = Program.Access

/** Declaration of a ref: the array that is an argument or a result, and what a program instance sees of it (`S`). */
export interface Spec<
  out D extends DType.Name,
  out S extends S_,
  out A extends Access,
  out Scalar extends boolean = false
> {
  readonly dtype: DType.DType<D>
  /** Shape of the whole array. */
  readonly shape: S_
  readonly access: A
  readonly scalar: Scalar
  /** Index maps of other refs may look up what it holds. */
  readonly table?: boolean
  readonly block: Block.Options<Block.Spec> | undefined
  readonly "~view"?: S
}
/** A ref named `N` with elements of type `D`; `S` is the shape of what is seen through it, `A` what may be done with it. */
export interface MemRef<out N extends string, out D extends DType.Name, out S extends S_, out A extends Access> {
  readonly [TypeId]: TypeId
  readonly name: N
  readonly dtype: D
  readonly shape: S
  readonly access: A
}
export type Any = MemRef<string, DType.Name, S_, Access>
/** A ref that may be stored to. */
export type Writable<N extends string, D extends DType.Name, S extends S_> = MemRef<N, D, S, "out" | "inout">

// --- declaring ----------------------------------------------------------------------------------------------------------

interface Make<A extends Access> {
  <D extends DType.Name, const S extends S_>(dtype: DType.DType<D>, shape: S): Spec<D, Shape.Mutable<S>, A>
  <D extends DType.Name, const S extends S_, const B extends Block.Spec, const P = Block.Position>(
    dtype: DType.DType<D>,
    shape: S & Block.Fits<S, NoInfer<B>, NoInfer<P>>,
    block: Block.Options<B, P>
  ): Spec<D, Block.ShapeOf<B>, A>
}
const declare =
  <A extends Access>(access: A): Make<A> =>
  (dtype: DType.DType<DType.Name>, shape: S_, block?: Block.Options<Block.Spec>): any => ({
    dtype,
    shape,
    access,
    scalar: false,
    block
  })
const in_ = declare("in")
/** Written by the kernel and given back; starts as zeros and may be read. */
export const out = declare("out")
/**
 * An argument that the kernel changes: the argument itself stays, the result holds the new values.
 *
 * It is one buffer, aliased as input and output: what is stored is what is loaded afterwards. Two refs never share memory.
 */
export const inout = declare("inout")
export {
  /** An argument that the kernel reads. */
  in_ as in
}
/** A number that the kernel gets as an argument; a rank-0 tile in the body. */
export const scalar = <D extends DType.Compute>(dtype: DType.DType<D>): Spec<D, [], "in", true> => ({
  dtype,
  shape: [],
  access: "in",
  scalar: true,
  block: undefined
})

/**
 * An argument that index maps may look up (`Block.Table`): positions of blocks, sizes of groups, numbers of pages.
 *
 * What they look up is loaded at the start of each cell of the grid. The body gets it as any other `in` ref.
 */
export const table = <const S extends S_, D extends "i32" | "i8" | "i4">(
  dtype: DType.DType<D>,
  shape: S
): Table<Shape.Mutable<S>, D> => ({
  ...in_(dtype, shape),
  table: true
})
/** Declaration of a table. */
export interface Table<out S extends S_, out D extends "i32" | "i8" | "i4" = "i32"> extends Spec<D, S, "in"> {
  readonly table: true
}

// --- views --------------------------------------------------------------------------------------------------------------

/** A range of an axis. */
export interface Slice<out N extends number> {
  readonly "~slice": N
}
/** `size` elements from `start`, `stride` apart; a start that is a negative number counts from the end. */
export const slice = <const N extends number>(start: Tile.I32 | number, size: N, stride = 1): Slice<N> =>
  ({ "~slice": size, start, size, stride }) as Slice<N>
/** The whole axis. */
export const all = ":"
/** As many whole axes as are missing. */
export const ellipsis = "..."

/** A number or i32 scalar drops the axis, a slice keeps its size, an i32 tile gathers. */
export type Index = number | Tile.Tile<"i32", S_> | Slice<number> | ":" | "..."
/** Shape of what an index shows; index tiles go together, their dimensions stand where the first of them stands. */
export type Indexed<S extends S_, I extends ReadonlyArray<Index>, Gathered = false> = number extends S["length"]
  ? S_
  : "..." extends I[number]
    ? S_
    : I extends readonly [infer H, ...infer T extends ReadonlyArray<Index>]
      ? S extends readonly [infer D extends number, ...infer R extends S_]
        ? H extends Slice<infer N>
          ? [N, ...Indexed<R, T, Gathered>]
          : H extends ":"
            ? [D, ...Indexed<R, T, Gathered>]
            : H extends Tile.Tile<"i32", infer G>
              ? G extends readonly []
                ? Indexed<R, T, Gathered>
                : Gathered extends true
                  ? Indexed<R, T, true>
                  : [...G, ...Indexed<R, T, true>]
              : Indexed<R, T, Gathered>
        : never
      : I extends readonly []
        ? [...S]
        : S_
export interface TooManyIndices<S extends S_> {
  readonly "~more indices than dimensions": S
}
type CheckRank<S extends S_, I extends ReadonlyArray<Index>> = [Indexed<S, I>] extends [never]
  ? TooManyIndices<S>
  : unknown

const impl = (ref: Any): Impl.MemRefImpl => ref as unknown as Impl.MemRefImpl

/** Part of a ref: one index per axis, missing ones at the end take the whole axis. */
export const at = <
  N extends string,
  D extends DType.Name,
  S extends S_,
  A extends Access,
  const I extends ReadonlyArray<Index>
>(
  ref: MemRef<N, D, S, A>,
  index: I & CheckRank<S, I>
): MemRef<N, D, Indexed<S, I>, A> => Impl.at(impl(ref), index) as any
/** The same elements under another shape of the same size. */
export const reshape = <N extends string, D extends DType.Name, A extends Access, const S extends S_>(
  ref: MemRef<N, D, S_, A>,
  shape: S
): MemRef<N, D, Shape.Mutable<S>, A> => Impl.reshape(impl(ref), shape) as any
/** Takes out the dimensions of size 1 at `axis`; all of them, if left out. */
export const squeeze = <
  N extends string,
  D extends DType.Name,
  S extends S_,
  A extends Access,
  const X extends number | ReadonlyArray<number> | undefined = undefined
>(
  ref: MemRef<N, D, S, A>,
  axis?: X
): MemRef<N, D, [X] extends [undefined] ? S_ : Shape.Reduced<S, X, false>, A> =>
  Impl.squeeze(impl(ref), typeof axis === "number" ? [axis] : axis) as any
/** Axis `d` of the view is axis `perm[d]` of the ref; without `perm` the axes are reversed. */
export const transpose: {
  <N extends string, D extends DType.Name, S extends S_, A extends Access>(
    ref: MemRef<N, D, S, A>
  ): MemRef<N, D, Shape.Reverse<S>, A>
  <N extends string, D extends DType.Name, S extends S_, A extends Access, const P extends ReadonlyArray<number>>(
    ref: MemRef<N, D, S, A>,
    perm: P
  ): MemRef<N, D, { -readonly [K in keyof P]: P[K] extends keyof S ? S[P[K]] & number : number }, A>
} = (ref: Any, perm?: ReadonlyArray<number>): any => Impl.transpose(impl(ref), perm)
/** Shape of a view in tiles of `T`: leading axes, how many tiles there are along each of the last ones, then `T`. */
export type Tiled<S extends S_, T extends S_> = number extends S["length"] | T["length"]
  ? S_
  : S["length"] extends T["length"]
    ? [...{ -readonly [K in keyof T]: number }, ...T]
    : S extends readonly [infer D extends number, ...infer R extends S_]
      ? [D, ...Tiled<R, T>]
      : never
/** Shape of what is shown in tiles along its last `N` axes. */
export type Untiled<S extends S_, N extends number, Sizes extends S_ = []> = number extends S["length"] | N
  ? S_
  : Sizes["length"] extends N
    ? [...S, ...Sizes]
    : S extends readonly [...infer R extends S_, number, number]
      ? Untiled<R, N, [...Sizes, number]>
      : never
/**
 * The last axes in tiles: `[m, n]` in tiles of `[tm, tn]` is `[m / tm, n / tn, tm, tn]`. Fails with `KernelError` where a
 * tile does not divide its axis.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { Discharge, i32, Kernel, MemRef } from "effect-kernels"
 *
 * const corner = Kernel.make("corner", {
 *   grid: [1],
 *   refs: { x: MemRef.in(i32, [4, 4]), o: MemRef.out(i32, [2, 2]) }
 * }, function*({ o, x }) {
 *   yield* MemRef.store(o, yield* MemRef.load(MemRef.at(MemRef.tile(x, [2, 2]), [1, 0])))
 * })
 * const run = Kernel.run(corner, { x: Int32Array.from({ length: 16 }, (_, k) => k) })
 * console.assert((await Effect.runPromise(run.pipe(Effect.provide(Discharge.layer)))).o.join() === "8,9,12,13")
 * ```
 */
export const tile = <
  N extends string,
  D extends DType.Name,
  S extends S_,
  A extends Access,
  const T extends ReadonlyArray<number>
>(
  ref: MemRef<N, D, S, A>,
  tiling: T & CheckTiles<S, T>
): MemRef<N, D, Tiled<S, Shape.Mutable<T>>, A> => Impl.tile(impl(ref), tiling) as any
type CheckTiles<S extends S_, T extends S_> = [Tiled<S, T>] extends [never] ? TooManyIndices<S> : unknown
/**
 * What `tile` shows, as it was: `[a, b, tm, tn]` is `[a · tm, b · tn]`. `axes` are tiled, 2 if left out; fails with
 * `KernelError` where the ref has fewer than twice as many.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { Discharge, i32, Kernel, MemRef } from "effect-kernels"
 *
 * const rows = Kernel.make("rows", {
 *   grid: [1],
 *   refs: { x: MemRef.in(i32, [1, 2, 2, 2]), o: MemRef.out(i32, [2, 4]) }
 * }, function*({ o, x }) {
 *   yield* MemRef.store(o, yield* MemRef.load(MemRef.untile(x)))
 * })
 * const run = Kernel.run(rows, { x: Int32Array.of(0, 1, 2, 3, 4, 5, 6, 7) }).pipe(Effect.provide(Discharge.layer))
 * console.assert((await Effect.runPromise(run)).o.join() === "0,1,4,5,2,3,6,7")
 * ```
 */
export const untile = <
  N extends string,
  D extends DType.Name,
  S extends S_,
  A extends Access,
  const Axes extends number = 2
>(
  ref: MemRef<N, D, S, A>,
  axes?: Axes
): MemRef<N, D, Untiled<S, Axes>, A> => Impl.untile(impl(ref), axes ?? 2) as any
/** Dtypes of the same bits, in as many: f32, i32 and u32; i8 and u8; i4 and u4. */
type SameBits<D extends DType.Name> = D extends "f32" | DType.Integer
  ? "f32" | DType.Integer
  : D extends "i8" | "u8"
    ? "i8" | "u8"
    : D extends "i4" | "u4"
      ? "i4" | "u4"
      : never
type Castable = "f32" | DType.Integer | Exclude<DType.Storage, "bf16">
/** The same bits as another dtype of the same width. */
export const bitcast = <
  N extends string,
  S extends S_,
  A extends Access,
  D extends Castable,
  D2 extends SameBits<NoInfer<D>>
>(
  ref: MemRef<N, D, S, A>,
  dtype: DType.DType<D2>
): MemRef<N, D2, S, A> => Impl.bitcast(impl(ref), dtype.name) as any

// --- operations ---------------------------------------------------------------------------------------------------------

type Fits<S extends S_, V extends S_> = [Shape.Broadcast<S, V>] extends [never] ? Tile.ShapeMismatch<S, V> : unknown
/** What may be written where a tile of type `D` and shape `S` is shown: a number, or a tile that broadcasts to it. */
export type Value<D extends DType.Compute, S extends S_, V extends S_> =
  number | (Tile.Tile<NoInfer<D>, V> & Fits<S, V>)
/** Where the mask is false, nothing happens. */
export type Mask = { readonly mask?: Tile.Tile<"bool", S_> }

/**
 * The elements as a tile; 0 out of bounds, `other` (0, if left out) where the mask is false.
 *
 * Of a storage dtype they come widened: bf16 as f32, i8 and i4 as i32, u8 and u4 as u32.
 */
export const load = <N extends string, D extends DType.Name, S extends S_>(
  ref: MemRef<N, D, S, Access>,
  options?: Mask & { readonly other?: number | Tile.Tile<DType.Widened<NoInfer<D>>, S_> }
): Effect.Effect<Tile.Tile<DType.Widened<D>, S>, never, Read<N>> =>
  calledAt(load, () => Access_.load(ref, options)) as any
/**
 * Stores a tile, or a number everywhere; nothing is stored where the mask is false.
 *
 * A storage dtype takes tiles of its widened dtype: bf16 rounds to nearest even, integers keep the low bits.
 */
export const store = <N extends string, D extends DType.Name, S extends S_, V extends S_ = []>(
  ref: Writable<N, D, S>,
  value: Value<DType.Widened<D>, S, V>,
  options?: Mask
): Effect.Effect<void, never, Write<N>> => calledAt(store, () => Access_.store(ref, value, options)) as any
/** Stores a tile and gives what was there before; 0 where the mask is false. */
export const swap = <N extends string, D extends DType.Name, S extends S_, V extends S_ = []>(
  ref: Writable<N, D, S>,
  value: Value<DType.Widened<D>, S, V>,
  options?: Mask
): Effect.Effect<Tile.Tile<DType.Widened<D>, S>, never, Read<N> | Write<N>> =>
  calledAt(swap, () => Access_.swap(ref, value, options)) as any
/**
 * Adds a tile to what is there; repeated elements all count, and program instances may add to one element.
 *
 * With a storage dtype the sum is made in the widened dtype and kept at each step.
 */
export const accumulate = <N extends string, D extends DType.Numeric | DType.Storage, S extends S_, V extends S_ = []>(
  ref: Writable<N, D, S>,
  value: Value<DType.Widened<D>, S, V>,
  options?: Mask
): Effect.Effect<void, never, Accum<N>> => calledAt(accumulate, () => Access_.accumulate(ref, value, options)) as any
