/**
 * Scratch: memory of one program instance, in workgroup memory or in registers.
 *
 * Scratch declared on the kernel keeps its values over the cells of sequential axes; scoped scratch is fresh at each entry.
 * Fresh scratch reads as 0. Its effects are `Memory`.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { Control, Discharge, i32, Kernel, MemRef, Scratch } from "effect-kernels"
 *
 * const total = Kernel.make("total", {
 *   grid: [Kernel.sequential(3)],
 *   refs: { x: MemRef.in(i32, [6], { block: [2], index: (k) => [k] }), o: MemRef.out(i32, [2]) },
 *   scratch: { acc: Scratch.workgroup(i32, [2]) }
 * }, function*({ x, o, acc }) {
 *   yield* MemRef.accumulate(acc, yield* MemRef.load(x))
 *   yield* Control.when((yield* Control.programId(0)).eq(2), function*() {
 *     yield* MemRef.store(o, yield* MemRef.load(acc))
 *   })
 * })
 * const run = Kernel.run(total, { x: Int32Array.of(1, 2, 3, 4, 5, 6) }).pipe(Effect.provide(Discharge.layer))
 * console.assert((await Effect.runPromise(run)).o.join() === "9,12")
 * ```
 */
import type { Effect } from "effect"
import type { AnyEffect, Body } from "./Control.ts"
import type * as DType from "./DType.ts"
import type { Memory, Scoped, ScratchName } from "./Effects.ts"
import type { Role } from "./ir/program.ts"
import type * as MemRef from "./MemRef.ts"
import type * as Shape from "./Shape.ts"
import * as Impl from "./trace/control.ts"
import { scratchDecl } from "./trace/definition.ts"

/** A ref to scratch. */
export type Ref<D extends DType.Name, S extends Shape.Shape> = MemRef.MemRef<ScratchName, D, S, "inout">
/** Declaration of scratch; the body gets an `R`. */
export interface Spec<out D extends DType.Name, out S extends Shape.Shape, out R = Ref<D, S>> {
  readonly dtype: DType.DType<D>
  readonly shape: S
  readonly space: "workgroup" | "register"
  /** Plain memory has none. */
  readonly role?: Role
  readonly "~ref"?: R
}

const make =
  (space: "workgroup" | "register") =>
  <D extends DType.Name, const S extends Shape.Shape>(dtype: DType.DType<D>, shape: S): Spec<D, Shape.Mutable<S>> => ({
    dtype,
    shape: shape as unknown as Shape.Mutable<S>,
    space
  })
/** Memory that the invocations of a workgroup share. */
export const workgroup = make("workgroup")
/** Memory that is split among the invocations, each of which touches its own elements; a wish, not a promise. */
export const register = make("register")

/** Gives `body` fresh scratch. */
export const scoped = <
  D extends DType.Name,
  S extends Shape.Shape,
  Ref,
  A,
  Eff extends AnyEffect = never,
  E = never,
  R = never
>(
  spec: Spec<D, S, Ref>,
  body: (ref: Ref) => Body<A, Eff, E, R>
): Effect.Effect<A, Effect.Error<Eff> | E, Scoped<Effect.Services<Eff> | R> | Memory> =>
  Impl.scoped({ name: undefined, ...scratchDecl(spec) }, body as any) as any
