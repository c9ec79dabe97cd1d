/**
 * Inline WGSL: primitives of one's own, in two grains.
 *
 * `elementwise` is a WGSL function of scalars, lifted over tiles. `block` is a list of statements that the whole workgroup
 * runs, over tiles and refs. With a discharge rule, a body over tiles, an inline is an ordinary primitive on every
 * interpreter; without one it costs the effect `Inline<name>`, which only `Gpu` interprets.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { Discharge, f32, Inline, Interpreter, Kernel, MemRef } from "effect-kernels"
 *
 * const double = Inline.elementwise("double", { args: { x: f32 }, result: f32, wgsl: "return x + x;" })
 * const kernel = Kernel.make("doubled", {
 *   grid: [1],
 *   refs: { x: MemRef.in(f32, [2]), o: MemRef.out(f32, [2]) }
 * }, function*({ x, o }) {
 *   yield* MemRef.store(o, yield* double(yield* MemRef.load(x)))
 * })
 * const run = Kernel.run(kernel, { x: Float32Array.of(1, 2) }).pipe(
 *   Interpreter.provide(Discharge.layer),
 *   Effect.catchTag("NotImplemented", (e) => Effect.succeed(e.primitive))
 * )
 * console.assert((await Effect.runPromise(run)) === "double")
 * ```
 */
import type { Effect } from "effect"
import type { Body, Gives } from "./Control.ts"
import type * as DType from "./DType.ts"
import type * as Effects from "./Effects.ts"
import type * as MemRef from "./MemRef.ts"
import type * as Shape from "./Shape.ts"
import type * as Tile from "./Tile.ts"
import * as Impl from "./trace/inline.ts"
import { capture } from "./trace/position.ts"

type Dtypes = { readonly [name: string]: DType.DType<DType.Compute> }
type TilesOf<A extends Dtypes, S extends Shape.Shape> = { readonly [K in keyof A]: Tile.Tile<A[K]["name"], S> | number }

/** An inline over scalars; call it with a record of tiles, or with the one tile it takes. */
export interface Elementwise<out Name extends string, in out A extends Dtypes, out D extends DType.Compute, out Cost> {
  <S extends Shape.Shape>(
    operands: Tile.Tile<A[keyof A]["name"], S> | TilesOf<A, S>
  ): Effect.Effect<Tile.Tile<D, S>, never, Cost>
  readonly inline: Name
  readonly definition: Impl.Definition
  readonly "~rule"?: ElementwiseRule<A, D>
}

/** What an inline over scalars is made of. */
export interface ElementwiseOptions<A extends Dtypes, D extends DType.Compute> {
  /** Dtypes of the arguments, by the names that the text uses. */
  readonly args: A
  readonly result: DType.DType<D>
  /** Body of a WGSL function over the arguments; f16 arguments come as f32. */
  readonly wgsl: string
}
type Whole<A extends Dtypes> = { readonly [K in keyof A]: Tile.Tile<A[K]["name"], Shape.Shape> }
type Result<D extends DType.Compute> =
  Tile.Tile<D, Shape.Shape> | Body<Tile.Tile<D, Shape.Shape>, Effect.Effect<any>, never, never>
/** The meaning of an inline over scalars, over whole tiles. */
export type ElementwiseRule<A extends Dtypes, D extends DType.Compute> = (operands: Whole<A>) => Result<D>

const callable = <F>(definition: Impl.Definition): F =>
  Object.assign((given: unknown) => Impl.call(definition, given), { inline: definition.name, definition }) as F

/** What an inline costs: nothing where a discharge rule is given with it; `Rule`, what it gives, is else `unknown`. */
type CostOf<Name extends string, Rule> = unknown extends Rule ? Effects.Inline<Name> : never

/** An inline primitive over scalars. */
export const elementwise = <const Name extends string, A extends Dtypes, D extends DType.Compute, Rule = unknown>(
  name: Name,
  options: ElementwiseOptions<A, D> & {
    readonly result: Gives<NoInfer<Rule>, Result<D>>
    /** What it means on every interpreter; without it, only `Gpu` knows. */
    readonly discharge?: (operands: Whole<A>) => Rule
  }
): Elementwise<Name, A, D, CostOf<Name, Rule>> =>
  callable({
    name,
    grain: "elementwise",
    args: Object.entries(options.args).map(([arg, dtype]) => ({
      name: arg,
      kind: "tile",
      dtype: dtype.name,
      shape: null
    })),
    results: [{ name: "result", dtype: options.result.name, shape: null }],
    wgsl: options.wgsl,
    source: null,
    rule: options.discharge as Impl.Rule | undefined,
    position: capture()
  })

// --- block --------------------------------------------------------------------------------------------------------------

/** Declaration of an operand or result of a block inline. */
export interface Operand<
  out Kind extends "tile" | "read" | "write" | "readwrite",
  out D extends DType.Name,
  out S extends Shape.Shape
> {
  readonly kind: Kind
  readonly dtype: DType.DType<D>
  readonly shape: S | null
}
const operand =
  <Kind extends "tile" | "read" | "write" | "readwrite", Has extends DType.Name = DType.Name>(kind: Kind) =>
  <D extends Has, const S extends Shape.Shape = Shape.Shape>(
    dtype: DType.DType<D>,
    shape?: S
  ): Operand<Kind, D, Shape.Mutable<S>> =>
    ({ kind, dtype, shape: shape ?? null }) as Operand<Kind, D, Shape.Mutable<S>>
/** A tile. */
export const tile = operand<"tile", DType.Compute>("tile")
/** A ref that the text loads from; elements of storage dtypes come widened, and are kept as the ref keeps them. */
export const read = operand("read")
/** A ref that the text stores to. */
export const write = operand("write")
/** A ref that the text loads from and stores to. */
export const readwrite = operand("readwrite")

export type Operands = {
  readonly [name: string]: Operand<"tile" | "read" | "write" | "readwrite", DType.Name, Shape.Shape>
}
export type Results = { readonly [name: string]: Operand<"tile", DType.Compute, Shape.Shape> }
type Given<O> =
  O extends Operand<infer K, infer D, infer S>
    ? K extends "tile"
      ? Tile.Tile<DType.Widened<D>, S>
      : K extends "read"
        ? MemRef.MemRef<string, D, S, MemRef.Access>
        : MemRef.Writable<string, D, S>
    : never
type Args<O extends Operands> = { readonly [K in keyof O]: Given<O[K]> }
type Made<R extends Results> = { readonly [K in keyof R]: Given<R[K]> }
type NameOf<X> = X extends MemRef.MemRef<infer N, any, any, any> ? N : never
type RefEffects<O extends Operands, A> = {
  [K in keyof O]: K extends keyof A
    ? O[K]["kind"] extends "read"
      ? Effects.Read<NameOf<A[K]>>
      : O[K]["kind"] extends "write"
        ? Effects.Write<NameOf<A[K]>>
        : O[K]["kind"] extends "readwrite"
          ? Effects.Read<NameOf<A[K]>> | Effects.Write<NameOf<A[K]>>
          : never
    : never
}[keyof O]

/** An inline over whole tiles and refs. */
export interface Block<out Name extends string, in out O extends Operands, in out R extends Results, out Cost> {
  <const A extends Args<O>>(args: A): Effect.Effect<Made<R>, never, Cost | RefEffects<O, A>>
  readonly inline: Name
  readonly definition: Impl.Definition
  readonly "~rule"?: BlockRule<O, R>
}
/** What a block inline is made of. */
export interface BlockOptions<O extends Operands, R extends Results> {
  readonly operands: O
  readonly results: R
  /**
   * Statements that every invocation of the workgroup runs, with the same control flow where they use barriers.
   *
   * `lane` and `lanes` tell which invocation runs and how many there are; an operand or result `x` is reached element by
   * element, in row-major order, by `x_load(i)` and `x_store(i, value)`.
   */
  readonly wgsl: string
}
type BlockResult<R extends Results> = Made<R> | Body<Made<R>, Effect.Effect<any, never, any>, never, any>
/** The meaning of a block inline, over tiles and refs. */
export type BlockRule<O extends Operands, R extends Results> = (operands: Args<O>) => BlockResult<R>

/** An inline primitive over whole tiles and refs. */
export const block = <const Name extends string, O extends Operands, R extends Results, Rule = unknown>(
  name: Name,
  options: BlockOptions<O, R> & {
    readonly results: Gives<NoInfer<Rule>, BlockResult<R>>
    /** What it means on every interpreter; without it, only `Gpu` knows. */
    readonly discharge?: (operands: Args<O>) => Rule
  }
): Block<Name, O, R, CostOf<Name, Rule>> =>
  callable({
    name,
    grain: "block",
    args: Object.entries(options.operands).map(([arg, o]) => ({
      name: arg,
      kind: o.kind,
      dtype: o.dtype.name,
      shape: o.shape
    })),
    results: Object.entries(options.results).map(([result, o]) => ({
      name: result,
      dtype: o.dtype.name,
      shape: o.shape
    })),
    wgsl: options.wgsl,
    source: null,
    rule: options.discharge as Impl.Rule | undefined,
    position: capture()
  })

/** Any inline, of which `Rule` says what it means. */
export interface Any<out Name extends string, out Rule> {
  readonly inline: Name
  readonly definition: Impl.Definition
  readonly "~rule"?: Rule
}
