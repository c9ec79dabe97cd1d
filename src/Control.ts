/**
 * Control flow inside kernels, and where in the grid a program instance stands.
 *
 * Bodies are generator functions or functions that return an effect; their effects become those of the loop or branch.
 * Loops carry tiles, copies in flight, or records of these, which keep their types.
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
import type * as DType from "./DType.ts"
import type * as Effects from "./Effects.ts"
import type * as MemRef from "./MemRef.ts"
import type { Shape } from "./Shape.ts"
import type * as Tile from "./Tile.ts"
import * as Impl from "./trace/control.ts"
import * as Stateful from "./trace/stateful.ts"
import type { TypeId as TokenId } from "./trace/token.ts"

/** A copy in flight: a `Copy.Token`. */
export interface InFlight {
  readonly [TokenId]: typeof TokenId
}
/** What loops carry: a tile, a copy in flight, or a record of these. */
export type Carry = Tile.Any | InFlight | { readonly [name: string]: Carry }
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

/**
 * Number of this thread in its program instance: 0 up to the `threads` that the kernel declares, 0 if it declares none.
 *
 * It costs `Threads`, which Discharge and Gpu do not have.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { Control, i32, Kernel, MemRef } from "effect-kernels"
 *
 * const numbered = Kernel.make("numbered", {
 *   grid: [1],
 *   threads: 4,
 *   refs: { o: MemRef.out(i32, [4]) }
 * }, function*({ o }) {
 *   const thread = yield* Control.threadId()
 *   yield* MemRef.store(MemRef.at(o, [thread]), thread)
 * })
 * const text = await Effect.runPromise(Kernel.print(numbered))
 * console.assert(text.includes("threads 4") && text.includes("threadId ! Threads"))
 * ```
 */
export const threadId = (): Effect.Effect<Tile.I32, never, Effects.Threads> => Impl.threadId() as any

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

// --- state --------------------------------------------------------------------------------------------------------------

/** Tiles by name. */
export type Tiles = { readonly [name: string]: Tile.Any }
/** Refs that hold such tiles. */
export type StateRefs<T extends Tiles> = {
  readonly [K in keyof T]: T[K] extends Tile.Tile<infer D, infer S>
    ? MemRef.MemRef<Effects.ScratchName, D, S, "inout">
    : never
}

/**
 * Runs a body over values as refs: scratch that starts as the tiles of `init`; gives the tiles that it holds in the end.
 *
 * The refs end with the body. It costs `Memory`; bodies nest, and may use refs and tiles from around them.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { Control, Discharge, i32, Kernel, MemRef, Tile } from "effect-kernels"
 *
 * const fibonacci = Kernel.make("fibonacci", {
 *   grid: [1],
 *   refs: { o: MemRef.out(i32, [8]) }
 * }, function*({ o }) {
 *   const { v } = yield* Control.runState({ v: Tile.ones(i32, [8]) }, function*({ v }) {
 *     yield* Control.forEach(2, 8, function*(i) {
 *       const before = yield* MemRef.load(MemRef.at(v, [i.sub(1)]))
 *       yield* MemRef.store(MemRef.at(v, [i]), before.add(yield* MemRef.load(MemRef.at(v, [i.sub(2)]))))
 *     })
 *   })
 *   yield* MemRef.store(o, v)
 * })
 * const run = Kernel.run(fibonacci, {}).pipe(Effect.provide(Discharge.layer))
 * console.assert((await Effect.runPromise(run)).o.join() === "1,1,2,3,5,8,13,21")
 * ```
 */
export const runState = <const T extends Tiles, A, Eff extends AnyEffect = never, E = never, R = never>(
  init: T & Gives<NoInfer<A>, void>,
  body: (refs: StateRefs<T>) => Body<A, Eff, E, R>
): Effect.Effect<
  { readonly [K in keyof T]: T[K] },
  Effect.Error<Eff> | E,
  Effects.Scoped<Effect.Services<Eff> | R> | Effects.Memory
> => Stateful.runState(init, body as any) as any

/** Refs that a scan loads rows of, by name. */
export type Rows = { readonly [name: string]: MemRef.Any }
/** Refs that a scan stores rows to, by name. */
export type WritableRows = { readonly [name: string]: MemRef.Writable<string, DType.Name, Shape> }
type Row<S extends Shape> = number extends S["length"]
  ? Shape
  : S extends readonly [unknown, ...infer T extends Shape]
    ? T
    : never
/** A row of each ref. */
export type RowsOf<I extends Rows> = {
  readonly [K in keyof I]: I[K] extends MemRef.MemRef<string, infer D, infer S, MemRef.Access>
    ? Tile.Tile<DType.Widened<D>, Row<S>>
    : never
}
/** What the body of a scan gives: the next carry, and a row for each ref that is stored to. */
export type Scanned<C, O extends Rows> = { readonly carry: C } & ([keyof O] extends [never]
  ? unknown
  : { readonly out: RowsOf<O> })

/**
 * Threads a carry over the rows (along axis 0) of refs, first to last, or last to first with `reverse`.
 *
 * For each row `i`, loads row `i` of each ref of `in`, runs `body`, and stores the rows that it gives to row `i` of each
 * ref of `out`; gives the last carry. All refs have as many rows. A ref may be in both: its row is loaded before it is
 * stored. It reads and writes these refs.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { Control, Discharge, f32, Kernel, MemRef, Tile } from "effect-kernels"
 *
 * // Discounted sums of what is still to come.
 * const returns = Kernel.make("returns", {
 *   grid: [1],
 *   refs: { reward: MemRef.in(f32, [4]), o: MemRef.out(f32, [4]) }
 * }, function*({ o, reward }) {
 *   yield* Control.scan({ in: { reward }, out: { o } }, Tile.of(f32, 0), function*(later, { reward }) {
 *     const sum = later.mul(0.5).add(reward)
 *     return { carry: sum, out: { o: sum } }
 *   }, { reverse: true })
 * })
 * const run = Kernel.run(returns, { reward: Float32Array.of(0, 4, 0, 8) }).pipe(Effect.provide(Discharge.layer))
 * console.assert((await Effect.runPromise(run)).o.join() === "3,6,4,8")
 * ```
 */
export const scan = <
  C extends Carry,
  A,
  const I extends Rows = {},
  const O extends WritableRows = {},
  Eff extends AnyEffect = never,
  E = never,
  R = never
>(
  refs: { readonly in?: I; readonly out?: O },
  init: C & Gives<NoInfer<A>, Scanned<C, O>>,
  body: (carry: C, rows: RowsOf<I>, i: Tile.I32) => Body<A, Eff, E, R>,
  options?: { readonly reverse?: boolean }
): Run<C, Eff, E, R | Effects.Read<I[keyof I]["name"]> | Effects.Write<O[keyof O]["name"]>> =>
  Stateful.scan(refs, init as any, body as any, options?.reverse ?? false) as any
