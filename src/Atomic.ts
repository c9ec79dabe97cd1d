/**
 * Atomics: changes of single elements in one step, which program instances may share, that give what was there before.
 *
 * Every element of a view is a step of its own, duplicates of a gather included, and steps on one element happen one after
 * the other: each old value is what the step before left. In which order is left open (Discharge: row-major within an
 * operation, program instances in their order), so that results are the same on all interpreters only where no order shows:
 * integer sums, or old values of which nobody asks whose they are. What is out of bounds or masked off is not changed and
 * gives 0. Steps on different elements may be seen by other program instances in any order, and on Gpu a loop that waits
 * for another program instance might wait forever: where it shows that only another one can end a loop, Gpu refuses it.
 *
 * i32 and u32 have all operations, f32 has `add`, `max`, `min` and `exchange`.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { Atomic, Control, Discharge, i32, Kernel, MemRef } from "effect-kernels"
 *
 * // Keeps the negative numbers, close together: each takes a place of its own.
 * const compact = Kernel.make("compact", {
 *   grid: [3],
 *   refs: {
 *     x: MemRef.in(i32, [6], { block: [2], index: (i) => [i] }),
 *     count: MemRef.inout(i32, []),
 *     o: MemRef.inout(i32, [6])
 *   }
 * }, function*({ x, count, o }) {
 *   yield* Control.forEach(0, 2, function*(k) {
 *     const value = yield* MemRef.load(MemRef.at(x, [k]))
 *     const place = yield* Atomic.add(count, 1, { mask: value.lt(0) })
 *     yield* MemRef.store(MemRef.at(o, [place]), value, { mask: value.lt(0) })
 *   })
 * })
 * const args = { x: Int32Array.of(1, -2, 3, -4, -5, 6), count: Int32Array.of(0), o: new Int32Array(6) }
 * const run = Kernel.run(compact, args).pipe(Effect.provide(Discharge.layer))
 * const { count, o } = await Effect.runPromise(run)
 * console.assert(count[0] === 3 && o.join() === "-2,-4,-5,0,0,0")
 * ```
 */
import type { Effect } from "effect"
import type * as DType from "./DType.ts"
import type { Read, Write } from "./Effects.ts"
import type * as MemRef from "./MemRef.ts"
import type * as Shape from "./Shape.ts"
import type * as Tile from "./Tile.ts"
import * as Impl from "./trace/atomic.ts"

/** A change of the elements of a ref with dtypes `Has`, by a tile or one number; gives the old elements. */
export interface Update<Has extends DType.Compute> {
  <N extends string, D extends Has, S extends Shape.Shape, V extends Shape.Shape = []>(
    ref: MemRef.Writable<N, D, S>,
    value: MemRef.Value<D, S, V>,
    options?: MemRef.Mask
  ): Effect.Effect<Tile.Tile<D, S>, never, Read<N> | Write<N>>
}
type Number32 = "i32" | "u32" | "f32"
type Integer32 = "i32" | "u32"
const update = <Has extends DType.Compute>(op: Parameters<typeof Impl.update>[0]): Update<Has> => Impl.update(op) as any

/** Adds; integers wrap around. */
export const add = update<Number32>("add")
/** Keeps the larger of what is there and the value; NaN if either is NaN. */
export const max = update<Number32>("max")
/** Keeps the smaller of what is there and the value; NaN if either is NaN. */
export const min = update<Number32>("min")
/** Keeps the bits that are set in both. */
export const and = update<Integer32>("and")
/** Keeps the bits that are set in either. */
export const or = update<Integer32>("or")
/** Flips the bits that are set in the value. */
export const xor = update<Integer32>("xor")
/** Stores the value. */
export const exchange = update<Number32>("exchange")
/** Stores `value` where what is there equals `compared`: exactly where that is what comes back. It never fails for nothing. */
export const compareExchange = <
  N extends string,
  D extends Integer32,
  S extends Shape.Shape,
  C extends Shape.Shape = [],
  V extends Shape.Shape = []
>(
  ref: MemRef.Writable<N, D, S>,
  compared: MemRef.Value<D, S, C>,
  value: MemRef.Value<D, S, V>,
  options?: MemRef.Mask
): Effect.Effect<Tile.Tile<D, S>, never, Read<N> | Write<N>> =>
  Impl.compareExchange(ref, compared, value, options) as any
