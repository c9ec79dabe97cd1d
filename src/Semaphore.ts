/**
 * Semaphores: i32 elements of any ref, which are signalled and waited for.
 *
 * `MemRef.out(i32, …)` is a semaphore that program instances share, `Semaphore.scratch` one that a program instance has to
 * itself; a view of one element is one semaphore, a larger view is that many at once. Values wrap as i32.
 *
 * A wait never hangs. Discharge runs program instances one after the other, so a wait whose value no earlier instance has
 * brought about fails with a `KernelError` whose reason is `Deadlock`. WebGPU guarantees no progress of one workgroup while
 * another waits, so on Gpu a wait on a shared ref, whose effect is `Semaphore`, is `NotImplemented`; one on scratch runs.
 * In the Simulator a wait ends when any instance has signalled, and what was done before the signal comes before what follows.
 * There are no semaphores of other devices: a signal takes no device.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { Control, Discharge, i32, Kernel, MemRef, Semaphore } from "effect-kernels"
 *
 * // Each program instance adds to what the one before left.
 * const chained = Kernel.make("chained", {
 *   grid: [4],
 *   refs: { x: MemRef.in(i32, [4]), ready: MemRef.out(i32, [5]), o: MemRef.inout(i32, [5]) }
 * }, function*({ o, ready, x }) {
 *   const i = yield* Control.programId(0)
 *   yield* Control.when(i.gt(0), () => Semaphore.wait(MemRef.at(ready, [i])))
 *   const sum = (yield* MemRef.load(MemRef.at(o, [i]))).add(yield* MemRef.load(MemRef.at(x, [i])))
 *   yield* MemRef.store(MemRef.at(o, [i.add(1)]), sum)
 *   yield* Semaphore.signal(MemRef.at(ready, [i.add(1)]))
 * })
 * const args = { x: Int32Array.of(1, 2, 3, 4), o: new Int32Array(5) }
 * const run = Kernel.run(chained, args).pipe(Effect.provide(Discharge.layer))
 * console.assert((await Effect.runPromise(run)).o.join() === "0,1,3,6,10")
 * ```
 */
import type { Effect } from "effect"
import * as DType from "./DType.ts"
import type * as Effects from "./Effects.ts"
import type * as MemRef from "./MemRef.ts"
import * as Scratch from "./Scratch.ts"
import type * as Shape from "./Shape.ts"
import type * as Tile from "./Tile.ts"
import * as Impl from "./trace/semaphore.ts"

/** How much is signalled or waited for: at least 0. Of a tile, whose value the host does not know, the run checks that. */
export type Count = number | Tile.I32
type Changes<N extends string> = Effects.Read<N> | Effects.Write<N>
/** Scratch is of one program instance; what is waited for on other refs may be up to another one. */
type Waits<N extends string> = N extends Effects.ScratchName ? never : Effects.Semaphore

/** Semaphores that a program instance has to itself: i32 scratch, which starts as 0. */
export const scratch = <const S extends Shape.Shape>(shape: S): Scratch.Spec<"i32", Shape.Mutable<S>> =>
  Scratch.workgroup(DType.i32, shape)

/** Adds `n` to each semaphore, in one step; one that a view shows twice is signalled twice. */
export const signal = <N extends string, S extends Shape.Shape, C extends Count = 1>(
  ref: MemRef.Writable<N, "i32", S>,
  n?: C
): Effect.Effect<void, never, Changes<N> | (C extends number ? never : Effects.Debug)> =>
  Impl.signal(ref, n ?? 1) as any

/** What the semaphores hold at this moment; it takes nothing and never waits. */
export const read = <N extends string, S extends Shape.Shape>(
  ref: MemRef.MemRef<N, "i32", S, MemRef.Access>
): Effect.Effect<Tile.Tile<"i32", S>, never, Effects.Read<N>> => Impl.read(ref) as any

/**
 * Waits until each semaphore holds `n` or more, and takes `n` from it, unless `decrement` is false.
 *
 * Fails with `Deadlock` where that will never be; its `values` are the least value and `n`. Out of bounds there is 0.
 */
export const wait = <N extends string, S extends Shape.Shape>(
  ref: MemRef.Writable<N, "i32", S>,
  n?: Count,
  options?: { readonly decrement?: boolean }
): Effect.Effect<void, never, Changes<N> | Waits<N> | Effects.Debug> =>
  Impl.wait(ref, n ?? 1, options?.decrement ?? true) as any
