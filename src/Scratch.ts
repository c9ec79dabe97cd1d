/**
 * Scratch: memory of one program instance, in workgroup memory or in registers.
 *
 * Scratch declared on the kernel keeps its values over the cells of sequential axes; scoped scratch is fresh at each entry.
 * Fresh scratch reads as 0; the Simulator says where that matters. Its effects are `Memory`. A layout says how it lies in workgroup memory; a union is memory that
 * several declarations share.
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
 *   const step = yield* Control.programId(0)
 *   yield* Control.when(step.eq(0), () => MemRef.store(acc, 0))
 *   yield* MemRef.accumulate(acc, yield* MemRef.load(x))
 *   yield* Control.when(step.eq(2), function*() {
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
import { placementOf } from "./ir/placement.ts"
import * as Impl from "./trace/control.ts"

/** A ref to scratch. */
export type Ref<D extends DType.Name, S extends Shape.Shape> = MemRef.MemRef<ScratchName, D, S, "inout">
/** Declaration of scratch; the body gets an `R`. */
export interface Spec<out D extends DType.Name, out S extends Shape.Shape, out R = Ref<D, S>> extends Layout {
  readonly dtype: DType.DType<D>
  readonly shape: S
  readonly space: "workgroup" | "register"
  /** Plain memory has none. */
  readonly role?: Role
  readonly "~ref"?: R
}

/** How elements lie in workgroup memory, so that invocations reach different banks of it; results do not depend on it. */
export interface Layout {
  /** Sizes of tiles along the last axes: tiles lie one after the other, the elements of each in row-major order. */
  readonly tiling?: ReadonlyArray<number>
  /**
   * Bytes of a row within which chunks of 16 bytes change places, each row of banks (128 bytes) in another way: the number
   * of a chunk is combined by exclusive or with that of its row of banks. An element takes 4 bytes, whatever its dtype.
   */
  readonly swizzle?: 32 | 64 | 128
}

const make = (
  dtype: DType.DType<DType.Name>,
  shape: Shape.Shape,
  space: "workgroup" | "register",
  { swizzle, tiling }: Layout = {}
): any => ({ dtype, shape, space, ...placementOf({ swizzle, tiling }) })
/**
 * Memory that the invocations of a workgroup share.
 *
 * A kernel with a tiling that does not divide the last axes, or a swizzle that does not divide the last axis (of a tile),
 * fails with `KernelError` when it is traced. Scratch that the lowering keeps in registers, or in a buffer because the
 * workgroup's memory is too small, has no layout.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { Discharge, f32, Kernel, MemRef, Scratch } from "effect-kernels"
 *
 * const transpose = Kernel.make("transpose", {
 *   grid: [1],
 *   refs: { x: MemRef.in(f32, [16, 32]), o: MemRef.out(f32, [32, 16]) },
 *   scratch: { t: Scratch.workgroup(f32, [16, 32], { swizzle: 128 }) }
 * }, function*({ o, t, x }) {
 *   yield* MemRef.store(t, yield* MemRef.load(x))
 *   yield* MemRef.store(o, yield* MemRef.load(MemRef.transpose(t)))
 * })
 * const run = Kernel.run(transpose, { x: Float32Array.from({ length: 512 }, (_, k) => k) })
 * console.assert((await Effect.runPromise(run.pipe(Effect.provide(Discharge.layer)))).o[1] === 32)
 * ```
 */
export const workgroup = <D extends DType.Name, const S extends Shape.Shape>(
  dtype: DType.DType<D>,
  shape: S,
  layout?: Layout
): Spec<D, Shape.Mutable<S>> => make(dtype, shape, "workgroup", layout)
/** Memory that is split among the invocations, each of which touches its own elements; a wish, not a promise. */
export const register = <D extends DType.Name, const S extends Shape.Shape>(
  dtype: DType.DType<D>,
  shape: S
): Spec<D, Shape.Mutable<S>> => make(dtype, shape, "register")

// --- unions -------------------------------------------------------------------------------------------------------------

/** What shares memory in a union: scratch, a record of parts that lie one after the other, or again a union. */
export type Part = Spec<"f32" | "i32" | "u32", Shape.Shape> | Union<Parts> | Parts
/** Parts by name. */
export interface Parts {
  readonly [name: string]: Part
}
/** Declaration of alternatives that share memory. */
export interface Union<out P extends Parts> {
  readonly "~alternatives": P
}
/** Declaration of scratch that is one memory. */
export type Any = Spec<DType.Name, Shape.Shape, unknown> | Union<Parts>
/** What a body gets for a declaration: a ref, or refs by the names of a union's alternatives. */
export type RefsOf<P> =
  P extends Spec<DType.Name, Shape.Shape, infer R>
    ? R
    : P extends Union<infer A>
      ? { readonly [K in keyof A]: RefsOf<A[K]> }
      : { readonly [K in keyof P]: RefsOf<P[K]> }

/**
 * Alternatives that share memory: each begins where the others begin, and a record lays its parts one after the other.
 *
 * All are views of one memory of 32-bit words, as large as the largest alternative; what was written through one is read
 * through another as the same bits. So their dtypes are f32, i32 or u32, and they have no layouts of their own; else the
 * kernel fails with `KernelError` when it is traced.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { Discharge, f32, Kernel, MemRef, Scratch, u32 } from "effect-kernels"
 *
 * const bits = Kernel.make("bits", {
 *   grid: [1],
 *   refs: { x: MemRef.in(f32, [4]), o: MemRef.out(u32, [4]) },
 *   scratch: { s: Scratch.union({ value: Scratch.workgroup(f32, [4]), bits: Scratch.workgroup(u32, [4]) }) }
 * }, function*({ o, s, x }) {
 *   yield* MemRef.store(s.value, yield* MemRef.load(x))
 *   yield* MemRef.store(o, yield* MemRef.load(s.bits))
 * })
 * const run = Kernel.run(bits, { x: Float32Array.of(0, 1, -2, Infinity) }).pipe(Effect.provide(Discharge.layer))
 * console.assert((await Effect.runPromise(run)).o.join() === "0,1065353216,3221225472,2139095040")
 * ```
 */
export const union = <const P extends Parts>(alternatives: P): Union<P> => ({ "~alternatives": alternatives })

// --- scopes -------------------------------------------------------------------------------------------------------------

/** How the threads of a kernel that declares some have the scratch of a scope. */
export interface ScopeOptions {
  /** Whether all threads of a program instance that come by share it; no, if left out. */
  readonly collective?: boolean
}
/**
 * Gives `body` fresh scratch.
 *
 * In a kernel that declares threads, each has its own, and with `collective` those of a program instance share one. Where
 * there is one thread, both mean the same. Fails with `TypeMismatch` for a collective register.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { Discharge, i32, Kernel, MemRef, Scratch } from "effect-kernels"
 *
 * const reversed = Kernel.make("reversed", {
 *   grid: [1],
 *   refs: { x: MemRef.in(i32, [4]), o: MemRef.out(i32, [4]) }
 * }, function*({ o, x }) {
 *   yield* Scratch.scoped(Scratch.workgroup(i32, [4]), function*(s) {
 *     yield* MemRef.store(s, yield* MemRef.load(x))
 *     for (const k of [0, 1, 2, 3])
 *       yield* MemRef.store(MemRef.at(o, [k]), yield* MemRef.load(MemRef.at(s, [3 - k])))
 *   }, { collective: true })
 * })
 * const run = Kernel.run(reversed, { x: Int32Array.of(1, 2, 3, 4) }).pipe(Effect.provide(Discharge.layer))
 * console.assert((await Effect.runPromise(run)).o.join() === "4,3,2,1")
 * ```
 */
export const scoped = <const P extends Any, A, Eff extends AnyEffect = never, E = never, R = never>(
  spec: P,
  body: (refs: RefsOf<P>) => Body<A, Eff, E, R>,
  options?: ScopeOptions
): Effect.Effect<A, Effect.Error<Eff> | E, Scoped<Effect.Services<Eff> | R> | Memory> =>
  Impl.scoped(spec as any, body as any, options) as any
