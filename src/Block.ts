/**
 * Blocks: which part of an array a program instance sees through a ref.
 *
 * A block has one entry per axis of the array: a number (blocks of that size, side by side, counted by the index map),
 * `null` (one position; the axis goes), `Block.element(n)` (a window of `n` elements that starts where the index map
 * says), `Block.bounded(n)` (at most `n` elements: the index map says where they start and how many there are), or
 * `Block.gather(n)` (any `n` positions, which the index map gives as a tile). Parts outside the array read as 0, and
 * stores to them are dropped; a block may be larger than its array. Index maps may depend on scalar parameters and on
 * tables (`MemRef.table`), and every block can be indexed further.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { Block, Discharge, i32, Kernel, MemRef } from "effect-kernels"
 *
 * // Segments of different lengths, each padded to 4.
 * const padded = Kernel.make("padded", {
 *   grid: [2],
 *   refs: {
 *     starts: MemRef.table(i32, [3]),
 *     x: MemRef.in(i32, [5], {
 *       block: [Block.bounded(4)],
 *       indexWith: ({ starts }: { readonly starts: Block.Table }, i) => {
 *         const from = starts.at(i)
 *         return [Block.span(from, starts.at(i.add(1)).sub(from))]
 *       }
 *     }),
 *     o: MemRef.out(i32, [2, 4], { block: [null, 4], index: (i) => [i, 0] })
 *   }
 * }, function*({ x, o }) {
 *   yield* MemRef.store(o, yield* MemRef.load(x))
 * })
 * const run = Kernel.run(padded, { starts: Int32Array.of(0, 2, 5), x: Int32Array.of(1, 2, 3, 4, 5) })
 * const { o } = await Effect.runPromise(run.pipe(Effect.provide(Discharge.layer)))
 * console.assert(o.join() === "1,2,0,0,3,4,5,0")
 * ```
 */
import type * as DType from "./DType.ts"
import type { Shape } from "./Shape.ts"
import type * as Tile from "./Tile.ts"

/** A window of `size` elements, placed by element and not by block. */
export interface Element<out N extends number> {
  readonly "~element": N
  readonly size: N
  readonly pad: readonly [low: number, high: number]
}
/** A window of `size` elements that starts `pad[0]` elements before the position that the index map gives. */
export const element = <const N extends number>(
  size: N,
  options?: { readonly pad?: readonly [low: number, high: number] }
): Element<N> => ({ "~element": size, size, pad: options?.pad ?? [0, 0] })

/** At most `size` elements; how many there are, and where they start, the index map says with {@link span}. */
export interface Bounded<out N extends number> {
  readonly "~bounded": N
  readonly size: N
}
/**
 * A window of at most `size` elements, whose start and length the index map gives as `Block.span(start, length)`.
 *
 * The body sees `size` elements; those from `length` on read as 0, and stores to them are dropped.
 */
export const bounded = <const N extends number>(size: N): Bounded<N> => ({ "~bounded": size, size })

/** The elements at `size` positions of an axis, which the index map gives. */
export interface Gather<out N extends number> {
  readonly "~gather": N
  readonly size: N
}
/**
 * The elements at any `size` positions: the index map gives an i32 tile of shape `[size]` for the axis.
 *
 * Reads and writes go through the tile. Positions outside the array read as 0 and drop what is stored; where one stands
 * twice, the last store wins, and accumulations all count. Gathered axes do not go together: each is picked by itself.
 */
export const gather = <const N extends number>(size: N): Gather<N> => ({ "~gather": size, size })

export type Spec = ReadonlyArray<number | null | Element<number> | Bounded<number> | Gather<number>>
/** Shape of what the body sees. */
export type ShapeOf<B extends Spec> = B extends readonly [infer H, ...infer T extends Spec]
  ? H extends null
    ? ShapeOf<T>
    : H extends Element<infer N> | Bounded<infer N> | Gather<infer N>
      ? [N, ...ShapeOf<T>]
      : [H & number, ...ShapeOf<T>]
  : B extends readonly []
    ? []
    : Shape

/** Where the elements of a {@link bounded} block start, and how many there are. */
export interface Span {
  readonly "~span": true
  readonly start: number | Tile.I32
  readonly length: number | Tile.I32
}
/** `length` elements from `start`; a length below 0 is none, one above the size of the block is that size. */
export const span = (start: number | Tile.I32, length: number | Tile.I32): Span => ({ "~span": true, start, length })

type Place<E> = E extends Bounded<number> ? Span : E extends Gather<infer N> ? Tile.Tile<"i32", [N]> : number | Tile.I32
/** What an index map gives: per axis, the number of the block, the position, the first element, a span or a tile. */
export type Position = ReadonlyArray<number | Tile.I32 | Span | Tile.Tile<"i32", Shape>>
/** What an index map gives for a block. */
export type PositionOf<B extends Spec> = { readonly [K in keyof B]: Place<B[K]> }

/** A table of the kernel (`MemRef.table`) as index maps see it. */
export interface Table {
  readonly [TableId]: unknown
  /** The element at an index per axis; index tiles give a tile of elements. Indices outside the table give 0. */
  at<G extends Shape = []>(...index: ReadonlyArray<number | Tile.Tile<"i32", G>>): Tile.Tile<"i32", G>
}
declare const TableId: unique symbol
/** Scalar parameters and tables of the kernel, by name. */
export type Scalars = { readonly [name: string]: Tile.Scalar<DType.Compute> | Table }

/** One i32 scalar per grid axis; the first six are spelt out, so that a map's parameters are never `undefined`. */
export type Ids = readonly [
  i: Tile.I32,
  j: Tile.I32,
  k: Tile.I32,
  l: Tile.I32,
  m: Tile.I32,
  n: Tile.I32,
  ...rest: Array<Tile.I32>
]

/** How the blocks of a ref lie over the grid. Without `index`, block 0 of each axis. */
export interface Options<B extends Spec, P = Position> {
  readonly block: B
  /** From one i32 scalar per grid axis to one position per axis of the array. */
  readonly index?: (...ids: Ids) => P
  /**
   * Like `index`, for positions that depend on scalar parameters or tables of the kernel:
   * `({ n }: { readonly n: Tile.I32 }, i) => [n]`, `({ pages }: { readonly pages: Block.Table }, i) => [pages.at(i)]`.
   * A method, because those who declare the type of their scalars know more than `Scalars`.
   */
  indexWith?(scalars: Scalars, ...ids: Ids): P
}

/** A block with another number of axes than the array. */
export interface BlockMismatch<S extends Shape, B> {
  readonly "~one entry of the block per axis of the array": readonly [S, B]
}
/** An index map that gives another number of positions, or something else. */
export interface PositionMismatch<S extends Shape, P> {
  readonly "~one position per axis of the array, a number or i32 scalar": readonly [S, P]
}
type OnePerAxis<S extends Shape, B extends ReadonlyArray<unknown>, Else> = number extends S["length"] | B["length"]
  ? unknown
  : B["length"] extends S["length"]
    ? unknown
    : Else
/** `unknown` if blocks `B` at positions `P` may lie over an array of shape `S`; also while `P` is not inferred yet. */
export type Fits<S extends Shape, B extends Spec, P> = OnePerAxis<S, B, BlockMismatch<S, B>> &
  (unknown extends P
    ? unknown
    : [P] extends [Position]
      ? number extends P["length"] | B["length"]
        ? unknown
        : [P] extends [PositionOf<B>]
          ? OnePerAxis<S, P, PositionMismatch<S, P>>
          : PositionMismatch<S, P>
      : PositionMismatch<S, P>)
