/**
 * Blocks: which part of an array a program instance sees through a ref.
 *
 * A block has one entry per axis of the array: a number (blocks of that size, side by side, counted by the index map),
 * `null` (one position; the axis goes), or `Block.element(n)` (a window of `n` elements that starts where the index map
 * says). Parts outside the array read as 0, and stores to them are dropped; a block may be larger than its array.
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

export type Spec = ReadonlyArray<number | null | Element<number>>
/** Shape of what the body sees. */
export type ShapeOf<B extends Spec> = B extends readonly [infer H, ...infer T extends Spec]
  ? H extends null
    ? ShapeOf<T>
    : H extends Element<infer N>
      ? [N, ...ShapeOf<T>]
      : [H & number, ...ShapeOf<T>]
  : B extends readonly []
    ? []
    : Shape

/** What an index map gives: per axis, the number of the block, the position, or the first element. */
export type Position = ReadonlyArray<number | Tile.I32>
/** Scalar parameters of the kernel, by name. */
export type Scalars = { readonly [name: string]: Tile.Scalar<DType.Name> }

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
   * Like `index`, for positions that depend on scalar parameters of the kernel: `({ n }: { readonly n: Tile.I32 }, i) => [n]`.
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
      ? OnePerAxis<S, Extract<P, Position>, PositionMismatch<S, P>>
      : PositionMismatch<S, P>)
