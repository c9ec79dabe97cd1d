/**
 * The matrix pipeline: products of matrices that are added to accumulators while the program goes on.
 *
 * An accumulator is scratch that only these operations take; it starts as 0. `multiplyAccumulate` issues an addition and
 * returns at once, `wait` waits for what was issued, and only then may the accumulator be looked at: a kernel that reads or
 * sets one while something is in flight, or ends before it has waited, fails with a `KernelError` when it is traced. What is
 * multiplied is what the factors hold when the multiply-accumulate is issued.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { Control, Discharge, f32, Kernel, MemRef, Pipeline } from "effect-kernels"
 *
 * // Each program instance makes a block of 2 × 2 of the product, two columns of `a` and rows of `b` at a time.
 * const matmul = Kernel.make("matmul", {
 *   grid: [2, 2],
 *   refs: {
 *     a: MemRef.in(f32, [4, 6], { block: [2, 6], index: (i) => [i, 0] }),
 *     b: MemRef.in(f32, [6, 4], { block: [6, 2], index: (_, j) => [0, j] }),
 *     o: MemRef.out(f32, [4, 4], { block: [2, 2], index: (i, j) => [i, j] })
 *   },
 *   scratch: { acc: Pipeline.accumulator(f32, [2, 2]) }
 * }, function*({ a, acc, b, o }) {
 *   yield* Control.forEach(0, 3, function*(k) {
 *     const at = MemRef.slice(k.mul(2), 2)
 *     yield* Pipeline.multiplyAccumulate(acc, MemRef.at(a, [":", at]), MemRef.at(b, [at, ":"]))
 *   })
 *   yield* Pipeline.wait()
 *   yield* MemRef.store(o, yield* Pipeline.read(acc))
 * })
 * const run = Kernel.run(matmul, { a: new Float32Array(24).fill(1), b: new Float32Array(24).fill(2) }).pipe(
 *   Effect.provide(Discharge.layer)
 * )
 * console.assert((await Effect.runPromise(run)).o.every((x) => x === 12))
 * ```
 */
import type { Effect } from "effect"
import type * as DType from "./DType.ts"
import type { Memory, Pipeline as InFlight, Read } from "./Effects.ts"
import type * as MemRef from "./MemRef.ts"
import type * as Scratch from "./Scratch.ts"
import type * as Shape from "./Shape.ts"
import type * as Tile from "./Tile.ts"
import { calledAt } from "./trace/position.ts"
import * as Impl from "./trace/pipeline.ts"

type S_ = Shape.Shape
/** Dtypes in which products are summed. */
export type Summed = "f32" | "i32" | "u32"

declare const TypeId: unique symbol
type TypeId = typeof TypeId
/** What products of shape `S` are added to; a `MemRef` it is not. */
export interface Accumulator<out D extends DType.Name, out S extends S_> {
  readonly [TypeId]: TypeId
  readonly dtype: D
  readonly shape: S
}

/**
 * Declares an accumulator for products of shape `[…, m, n]`, for `scratch` of a kernel or `Scratch.scoped`.
 *
 * f32 takes products of f32 and of f16, i32 and u32 those of their own dtype. It starts as 0; that of a kernel keeps its
 * values over the cells of sequential axes.
 */
export const accumulator = <D extends Summed, const S extends readonly [...S_, number, number]>(
  dtype: DType.DType<D>,
  shape: S
): Scratch.Spec<D, Shape.Mutable<S>, Accumulator<D, Shape.Mutable<S>>> => ({
  dtype,
  shape: shape as unknown as Shape.Mutable<S>,
  space: "register",
  role: { kind: "accumulator" }
})

/** Dtypes that products are made of; those of storage count as what a load gives. */
export type Factored = Exclude<DType.Name, "bool">
/** A factor: a ref or view, named `N`, or a tile. */
export type Factor<N extends string, D extends DType.Name, S extends S_> =
  MemRef.MemRef<N, D, S, MemRef.Access> | Tile.Tile<D & DType.Compute, S>
type Reads<N extends string> = N extends string ? Read<N> : never

/** A product of another shape than its accumulator's. */
export interface ProductMismatch<Given extends S_, Product extends S_> {
  readonly "~the product has another shape than the accumulator": readonly [Given, Product]
}
/** Whether dimensions may be equal, as far as they are known. */
type MayEqual<A extends S_, B extends S_> = number extends A["length"] | B["length"]
  ? true
  : A["length"] extends B["length"]
    ? false extends { [I in keyof A]: Alike<A[I], B[I & keyof B]> }[number]
      ? false
      : true
    : false
type Alike<A, B> = A extends B ? true : B extends A ? true : false
type Takes<S extends S_, Product extends S_> = MayEqual<S, Product> extends true ? unknown : ProductMismatch<S, Product>

/**
 * Issues `acc += a · b`: products over the last two axes, as `Tile.dot` has them, with equal leading batches.
 *
 * `a` is `[…, m, k]` (`[…, k, m]` with `transposeA`), `b` is `[…, k, n]` (`[…, n, k]` with `transposeB`). The sum over k is
 * `Tile.dot`'s, and is added to the accumulator; f16 is summed in f32, integers wrap around;
 * refs of storage dtypes count as what a load of them gives, so that i8 is summed in i32 and bf16 in f32.
 */
export const multiplyAccumulate = <
  DA extends Summed,
  S extends S_,
  D extends Factored,
  A extends S_,
  B extends S_,
  NA extends string = never,
  NB extends string = never,
  TA extends boolean = false,
  TB extends boolean = false
>(
  acc: Accumulator<DA, S> &
    Accumulator<Tile.Accumulated<DType.Widened<NoInfer<D>>>, S_> &
    Takes<S, Tile.Dot<A, B, TA, TB>>,
  a: Factor<NA, D, A>,
  b: Factor<NB, NoInfer<D>, B> & Tile.Factors<A, B, TA, TB>,
  options?: { readonly transposeA?: TA; readonly transposeB?: TB }
): Effect.Effect<void, never, Memory | InFlight | Reads<NA> | Reads<NB>> =>
  calledAt(multiplyAccumulate, () => Impl.multiplyAccumulate(acc, a, b, options)) as any

/** Waits until at most `atMost` multiply-accumulates of this program instance are in flight, those issued first being done. */
export const wait = (atMost = 0): Effect.Effect<void, never, InFlight> => calledAt(wait, () => Impl.wait(atMost)) as any

/** The tile in an accumulator; fails the kernel with `Unbalanced` while a multiply-accumulate of it is in flight. */
export const read = <D extends Summed, S extends S_>(
  acc: Accumulator<D, S>
): Effect.Effect<Tile.Tile<D, S>, never, Memory | InFlight> => calledAt(read, () => Impl.read(acc)) as any

/** Stores a tile, or a number everywhere, to an accumulator; fails the kernel as {@link read} does. */
export const set = <D extends Summed, S extends S_, V extends S_ = []>(
  acc: Accumulator<D, S>,
  value: MemRef.Value<D, S, V>
): Effect.Effect<void, never, Memory | InFlight> => calledAt(set, () => Impl.set(acc, value)) as any
