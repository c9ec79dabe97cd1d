/**
 * Barriers: what is arrived at and waited for. A phase is complete when as many arrivals were made as the barrier was declared
 * with; then the count starts again.
 *
 * Each completed phase is observed by one wait before the next completes, and none is left over when the barrier's scope
 * ends. A program instance has one thread of control: what a wait needs has been done before it, or will never be. A wait
 * never hangs: it fails with a `KernelError` whose reason is `Deadlock`. Where the program shows that, or that completed
 * phases and waits do not match (`Unbalanced`), when it is traced, else (deadlocks only) when it runs.
 *
 * In a kernel that declares `threads`, which the Simulator runs, arrivals are those of all threads (and copies), each thread
 * observes each phase by itself, and a wait ends when others have arrived. Phases out of step are then findings.
 *
 * Barriers are scratch, which only these operations take; they cost `Memory`, and waits, which may fail, `Debug`. On Gpu their
 * counts are the same in all invocations of the workgroup.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { Barrier, Control, Discharge, i32, Kernel, MemRef, Scratch } from "effect-kernels"
 *
 * // Two halves of a buffer, each with a barrier that says that it is filled.
 * const shifted = Kernel.make("shifted", {
 *   grid: [1],
 *   refs: { x: MemRef.in(i32, [6]), o: MemRef.out(i32, [6]) },
 *   scratch: { buffer: Scratch.workgroup(i32, [2]), filled: Barrier.scratch({ arrivals: 1, barriers: 2 }) }
 * }, function*({ buffer, filled, o, x }) {
 *   yield* Control.forEach(0, 6, function*(i) {
 *     const half = i.rem(2)
 *     yield* MemRef.store(MemRef.at(buffer, [half]), yield* MemRef.load(MemRef.at(x, [i])))
 *     yield* Barrier.arrive(Barrier.at(filled, half))
 *     yield* Barrier.wait(Barrier.at(filled, half))
 *     yield* MemRef.store(MemRef.at(o, [i]), (yield* MemRef.load(MemRef.at(buffer, [half]))).add(1))
 *   })
 * })
 * const run = Kernel.run(shifted, { x: Int32Array.of(1, 2, 3, 4, 5, 6) }).pipe(Effect.provide(Discharge.layer))
 * console.assert((await Effect.runPromise(run)).o.join() === "2,3,4,5,6,7")
 * ```
 */
import type { Effect } from "effect"
import * as DType from "./DType.ts"
import type { Debug, Memory } from "./Effects.ts"
import type * as Scratch from "./Scratch.ts"
import type * as Shape from "./Shape.ts"
import type * as Tile from "./Tile.ts"
import * as Impl from "./trace/barrier.ts"
import { RoleTypeId } from "./trace/ref.ts"

export const TypeId: TypeId = RoleTypeId
export type TypeId = typeof RoleTypeId

/** A barrier (`S` is `[]`), or several. */
export interface Ref<out S extends Shape.Shape> {
  readonly [TypeId]: TypeId
  readonly role: { readonly kind: "barrier"; readonly arrivals: number }
  readonly "~shape"?: S
}

/** Declaration of a barrier (`S` is `[]`), or of several. */
export type Spec<S extends Shape.Shape> = Scratch.Spec<"i32", S, Ref<S>>

/**
 * A barrier whose phases take `arrivals` arrivals, of which there is at least one; with `barriers`, as many of them, of which
 * `at` picks one. It is scratch of a kernel, or of `Scratch.scoped`.
 */
export const scratch: {
  <const N extends number>(options: { readonly arrivals: number; readonly barriers: N }): Spec<[N]>
  (options: { readonly arrivals: number }): Spec<[]>
} = (options: { readonly arrivals: number; readonly barriers?: number }): Spec<any> => ({
  dtype: DType.i32,
  shape: options.barriers === undefined ? [] : [options.barriers],
  space: "workgroup",
  role: { kind: "barrier", arrivals: options.arrivals }
})

/** One of several barriers; there is none out of bounds: arrivals there are dropped, and waits find nothing. */
export const at = (barriers: Ref<[number]>, index: Tile.I32 | number): Ref<[]> => Impl.at(barriers, index) as any

/** Arrives: one arrival less is missing from the phase. */
export const arrive = (barrier: Ref<[]>): Effect.Effect<void, never, Memory> => Impl.arrive(barrier) as any
/**
 * Waits until a phase is complete that has not been observed yet, and observes it.
 *
 * Fails with `Deadlock` where that will never be.
 */
export const wait = (barrier: Ref<[]>): Effect.Effect<void, never, Memory | Debug> => Impl.wait(barrier) as any
/** Whether a phase is complete that has not been observed; it observes nothing. */
export const test = (barrier: Ref<[]>): Effect.Effect<Tile.Scalar<"bool">, never, Memory> => Impl.test(barrier) as any

/**
 * Waits for all invocations of the program instance; in a kernel that declares `threads`, for all of these.
 *
 * In a kernel without threads nothing depends on it but inline WGSL that keeps its own order: what a kernel stores is seen by
 * what it loads later.
 */
export const sync = (): Effect.Effect<void, never, Memory> => Impl.sync() as any
