/**
 * Control flow inside kernels, and where in the grid a program instance stands.
 *
 * Bodies are generator functions or functions that return an effect; their effects become those of the loop or branch.
 * Loops carry tiles, or records of tiles, which keep their types.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { Control, Discharge, f32, Kernel, MemRef, Tile } from "effect-kernels"
 *
 * const powers = Kernel.make("powers", {
 *   grid: [1],
 *   refs: { x: MemRef.in(f32, [4]), o: MemRef.out(f32, [4]) }
 * }, function*({ x, o }) {
 *   const v = yield* MemRef.load(x)
 *   const cubed = yield* Control.fori(0, 3, Tile.ones(f32, [4]), function*(_, acc) {
 *     return acc.mul(v)
 *   })
 *   yield* MemRef.store(o, cubed)
 * })
 * const run = Kernel.run(powers, { x: Float32Array.of(1, 2, 3, 4) }).pipe(Effect.provide(Discharge.layer))
 * console.assert((await Effect.runPromise(run)).o.join() === "1,8,27,64")
 * ```
 */
import type { Effect } from "effect"
import type * as Tile from "./Tile.ts"
import * as Impl from "./trace/control.ts"

/** What loops carry: a tile, or a record of these. */
export type Carry = Tile.Any | { readonly [name: string]: Carry }
/**
 * A body: a generator of operations (of type `Eff`), or a function's effect.
 *
 * `Eff` stands for itself, because TypeScript collects the union of what a generator yields only for a type parameter.
 */
export type Body<A, Eff, E, R> = Effect.Effect<A, E, R> | Generator<Eff, A, never>
/** Any effect, as generators yield them. */
export type AnyEffect = Effect.Effect<any, any, any>
/** What running a body gives, fails with and needs. */
export type Run<A, Eff, E, R> = Effect.Effect<A, Effect.Error<Eff> | E, Effect.Services<Eff> | R>

/** Position of this program instance (and of the cell it stands at) along an axis of the grid. */
export const programId = (axis: number): Effect.Effect<Tile.I32> => Impl.programId(axis) as any
/** Size of the grid along an axis. */
export const numPrograms = (axis: number): Effect.Effect<Tile.I32> => Impl.numPrograms(axis) as any

/*
 * What a body gives back is checked at an argument beside it: at the body itself, a mistake is told in ten lines about
 * generators.
 */
/** A body that gives `Given` back where `Expected` is needed. */
export interface BodyGives<Given, Expected> {
  readonly "~the body gives another type": readonly [Given, Expected]
}
/** `unknown` if a body may give `A` back where `B` is needed; also while `A` is not inferred yet. */
export type Gives<A, B> = unknown extends A ? unknown : [A] extends [B] ? unknown : BodyGives<A, B>

/** Runs `body` for each `i` with `lo ≤ i < hi`, threading a carry; bounds are numbers or i32 scalars. */
export const fori = <C extends Carry, A, Eff extends AnyEffect = never, E = never, R = never>(
  lo: Tile.I32 | number,
  hi: Tile.I32 | number,
  init: C & Gives<NoInfer<A>, C>,
  body: (i: Tile.I32, carry: C) => Body<A, Eff, E, R>
): Run<C, Eff, E, R> => Impl.fori(lo, hi, init as any, body as any) as any
/** Runs `body` for each `i` with `lo ≤ i < hi`. */
export const forEach = <A, Eff extends AnyEffect = never, E = never, R = never>(
  lo: Tile.I32 | number,
  hi: (Tile.I32 | number) & Gives<NoInfer<A>, void>,
  body: (i: Tile.I32) => Body<A, Eff, E, R>
): Run<void, Eff, E, R> => Impl.fori(lo, hi, undefined, body as any) as any
/** Runs `body` as long as `condition` holds; what the condition does to memory happens each time it is asked. */
export const whileLoop = <
  C extends Carry,
  P,
  A,
  Eff extends AnyEffect = never,
  E = never,
  R = never,
  Eff2 extends AnyEffect = never,
  E2 = never,
  R2 = never
>(
  init: C & Gives<NoInfer<P>, Tile.Scalar<"bool">> & Gives<NoInfer<A>, C>,
  condition: (carry: C) => Body<P, Eff, E, R>,
  body: (carry: C) => Body<A, Eff2, E2, R2>
): Run<C, Eff | Eff2, E | E2, R | R2> => Impl.whileLoop(init as any, condition as any, body as any) as any

/** Runs the body if a bool scalar is true; for a tile of conditions use masks or `Tile.select`. */
export const when = <A, Eff extends AnyEffect = never, E = never, R = never>(
  predicate: Tile.Scalar<"bool"> & Gives<NoInfer<A>, void>,
  body: () => Body<A, Eff, E, R>
): Run<void, Eff, E, R> => Impl.cond("when", predicate, body as any, () => undefined) as any
/** Runs one of two bodies, which give the same types. */
export const cond = <
  C extends Carry | void,
  A,
  Eff extends AnyEffect = never,
  E = never,
  R = never,
  Eff2 extends AnyEffect = never,
  E2 = never,
  R2 = never
>(
  predicate: Tile.Scalar<"bool"> & Gives<NoInfer<A>, C>,
  onTrue: () => Body<C, Eff, E, R>,
  onFalse: () => Body<A, Eff2, E2, R2>
): Run<C, Eff | Eff2, E | E2, R | R2> => Impl.cond("cond", predicate, onTrue as any, onFalse as any) as any
