/**
 * Subgroups: the invocations of a device that work in step, and exchange values without memory.
 *
 * The elements of a tile are dealt to lanes in row-major order: with `size` lanes in a subgroup, element l is lane `l mod
 * size` of group `floor(l / size)`, and the last group has as many lanes as elements are left. The size is the device's (4 to
 * 128; it may differ between kernels), so what these operations give depends on it: they carry the effect `Subgroup`, which
 * Discharge does not interpret. What a kernel gives should not depend on the size: exchange within groups, and combine the
 * groups by what means the same everywhere. For sums of whole tiles `Tile.sum` and `Tile.cumsum` are as short, and run
 * everywhere.
 *
 * Operations are read and written as WGSL's builtins of these names; `max` and `min` propagate NaN as everywhere here, and a
 * float sum or product is in the device's order (f16: rounded once, at the end). The device must have been made with the
 * feature "subgroups", as layers of `GpuDevice` do where the adapter has it; on one without it a kernel fails with
 * `Unsupported`.
 *
 * @example
 * ```ts
 * import { f32, Kernel, MemRef, Subgroup } from "effect-kernels"
 *
 * // Each element as a part of its group's sum.
 * const parts = Kernel.make("parts", {
 *   grid: [1],
 *   refs: { x: MemRef.in(f32, [256]), o: MemRef.out(f32, [256]) }
 * }, function*({ x, o }) {
 *   const v = yield* MemRef.load(x)
 *   yield* MemRef.store(o, v.div(yield* Subgroup.sum(v)))
 * })
 * ```
 *
 * Source: https://www.w3.org/TR/WGSL/#subgroup-builtin-functions
 */
import type { Effect } from "effect"
import type * as DType from "./DType.ts"
import type { Subgroup } from "./Effects.ts"
import type * as Shape from "./Shape.ts"
import type * as Tile from "./Tile.ts"
import * as Impl from "./trace/subgroup.ts"

type S_ = Shape.Shape
/** A tile of the operand's type, made with other lanes of its groups. */
type Made<D extends DType.Compute, S extends S_> = Effect.Effect<Tile.Tile<D, S>, never, Subgroup>
/** An operation on tiles with dtypes `Has`, each element of which gets its group's result. */
export type Grouped<Has extends DType.Compute> = <D extends Has, S extends S_>(tile: Tile.Tile<D, S>) => Made<D, S>

/** The number of lanes of a full group. */
export const size = (): Effect.Effect<Tile.I32, never, Subgroup> => Impl.size() as any
/** The lane of each element of a tile of that shape: its row-major position modulo the size. */
export const lane = <const S extends S_>(shape: S): Made<"i32", Shape.Mutable<S>> => Impl.lane(shape) as any

/** The sum of the group; integers wrap around. */
export const sum = Impl.reduce("sum") as unknown as Grouped<DType.Numeric>
/** The product of the group; integers wrap around. */
export const prod = Impl.reduce("prod") as unknown as Grouped<DType.Numeric>
/** The greatest element of the group; NaN if there is one. */
export const max = Impl.reduce("max") as unknown as Grouped<DType.Numeric>
/** The least element of the group; NaN if there is one. */
export const min = Impl.reduce("min") as unknown as Grouped<DType.Numeric>
/** The bits that are set in all elements of the group. */
export const and = Impl.reduce("and") as unknown as Grouped<DType.Integer>
/** The bits that are set in some element of the group. */
export const or = Impl.reduce("or") as unknown as Grouped<DType.Integer>
/** The bits that are set in an odd number of elements of the group. */
export const xor = Impl.reduce("xor") as unknown as Grouped<DType.Integer>
/** Whether all elements of the group hold. */
export const all = Impl.reduce("all") as unknown as Grouped<"bool">
/** Whether some element of the group holds. */
export const any = Impl.reduce("any") as unknown as Grouped<"bool">

/** The sum of the elements of the group up to each, itself included. */
export const inclusiveSum = Impl.scan("sum", false) as unknown as Grouped<DType.Numeric>
/** The sum of the elements of the group before each; 0 for the first. */
export const exclusiveSum = Impl.scan("sum", true) as unknown as Grouped<DType.Numeric>
/** The product of the elements of the group up to each, itself included. */
export const inclusiveProd = Impl.scan("prod", false) as unknown as Grouped<DType.Numeric>
/** The product of the elements of the group before each; 1 for the first. */
export const exclusiveProd = Impl.scan("prod", true) as unknown as Grouped<DType.Numeric>

/** Lanes for the elements of a tile: a number or scalar for all, or a tile that broadcasts to it. */
export type Lanes<S extends S_, L extends S_> = Tile.Operand<"i32", S, L>
/** A move of elements between the lanes of a group; a lane that holds no element gives 0 (false). */
export type Moved = <D extends DType.Compute, S extends S_, L extends S_ = []>(
  tile: Tile.Tile<D, S>,
  lanes: Lanes<S, L>
) => Made<D, S>

/** The element of one lane of the group, for all; 0 (false) if the group has no such lane. */
export const broadcast = Impl.broadcast as unknown as <D extends DType.Compute, S extends S_>(
  tile: Tile.Tile<D, S>,
  lane: number
) => Made<D, S>
/** The element of the lane that each names. */
export const shuffle = Impl.shuffle("index") as unknown as Moved
/** The element of the lane whose number is that of each, exclusive-or a mask. */
export const shuffleXor = Impl.shuffle("xor") as unknown as Moved
/** The element so many lanes before each. */
export const shuffleUp = Impl.shuffle("up") as unknown as Moved
/** The element so many lanes after each. */
export const shuffleDown = Impl.shuffle("down") as unknown as Moved

/** A bit for each lane of the group whose element holds: on a new last axis four words, bit l of which are lane l. */
export const ballot = <S extends S_>(tile: Tile.Tile<"bool", S>): Made<"u32", [...S, 4]> => Impl.ballot(tile) as any
