/**
 * Pipelines: work that goes on while the program does something else.
 *
 * The matrix pipeline adds products of matrices to accumulators. An accumulator is scratch that only these operations take;
 * it starts as 0. `multiplyAccumulate` issues an addition and returns at once, `wait` waits for what was issued, and only
 * then may the accumulator be looked at: a kernel that reads or sets one while something is in flight, or ends before it has
 * waited, fails with a `KernelError` when it is traced. What is multiplied is what the factors hold when the
 * multiply-accumulate is issued.
 *
 * Software pipelines (`emit`) are loops whose blocks are fetched some steps ahead.
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
import type * as Block from "./Block.ts"
import type { AnyEffect, Body, Carry, Gives, Run } from "./Control.ts"
import type * as DType from "./DType.ts"
import type { Memory, Pipeline as InFlight, Read, Write } from "./Effects.ts"
import type * as MemRef from "./MemRef.ts"
import type * as Scratch from "./Scratch.ts"
import type * as Shape from "./Shape.ts"
import type * as Tile from "./Tile.ts"
import { emit as emitImpl } from "./trace/emit/emit.ts"
import { Blocks as BlocksImpl } from "./trace/emit/plan.ts"
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

/** A factor of a product: a ref or view, or a tile. */
export type Factor =
  MemRef.MemRef<string, DType.Numeric | DType.Storage, S_, MemRef.Access> | Tile.Tile<DType.Numeric, S_>
type DtypeOf<F> =
  F extends MemRef.MemRef<string, infer D, S_, MemRef.Access>
    ? DType.Widened<D>
    : F extends Tile.Tile<infer D, S_>
      ? D
      : never
type ShapeOf<F> =
  F extends MemRef.MemRef<string, DType.Name, infer S, MemRef.Access>
    ? S
    : F extends Tile.Tile<DType.Compute, infer S>
      ? S
      : never
type Reads<F> = F extends MemRef.MemRef<infer N, DType.Name, S_, MemRef.Access> ? Read<N> : never

/** Factors of different dtypes; memory counts with the dtype that a load of it gives. */
export interface DtypeMismatch<A, B> {
  readonly "~the factors have different dtypes": readonly [A, B]
}
type Together<A, B, TA, TB> = [DtypeOf<A>, DtypeOf<B>] extends [DtypeOf<B>, DtypeOf<A>]
  ? Tile.Factors<ShapeOf<A>, ShapeOf<B>, TA, TB>
  : DtypeMismatch<DtypeOf<A>, DtypeOf<B>>
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
 * `Tile.dot`'s, and is added to the accumulator; f16 is summed in f32, integers wrap around. Refs of storage dtypes count as
 * what a load of them gives: i8 is summed in i32, beside i8, i4 or i32, and bf16 in f32.
 */
export const multiplyAccumulate = <
  D extends Summed,
  S extends S_,
  A extends Factor,
  B extends Factor,
  TA extends boolean = false,
  TB extends boolean = false
>(
  acc: Accumulator<D, S> &
    Accumulator<Tile.Accumulated<DtypeOf<A>>, S_> &
    Takes<S, Tile.Dot<ShapeOf<A>, ShapeOf<B>, TA, TB>>,
  a: A,
  b: B & Together<A, B, TA, TB>,
  options?: { readonly transposeA?: TA; readonly transposeB?: TB }
): Effect.Effect<void, never, Memory | InFlight | Reads<A> | Reads<B>> =>
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

// --- software pipelines -------------------------------------------------------------------------------------------------

/** The ref named `N`, cut into blocks of shape `S` by the steps of a pipeline. */
export interface Blocks<out N extends string, out D extends DType.Name, out S extends S_, out A extends MemRef.Access> {
  readonly "~blocks": MemRef.MemRef<N, D, S, A>
}
/** Streams of blocks, by the names that the body knows them by. */
export type Streams = { readonly [name: string]: Blocks<string, DType.Name, S_, MemRef.Access> }
/** Streams that are written. */
export type WritableStreams = { readonly [name: string]: Blocks<string, DType.Name, S_, "out" | "inout"> }

/**
 * Cuts a ref into blocks: `index` says which one a step has, as in block specs of kernels, from one i32 scalar per axis of
 * the pipeline's grid. It may use any tile of the body.
 */
export const block = <
  N extends string,
  D extends DType.Name,
  S extends S_,
  A extends MemRef.Access,
  const B extends Block.Spec,
  const P = Block.Position
>(
  ref: MemRef.MemRef<N, D, S, A> & Block.Fits<S, NoInfer<B>, NoInfer<P>>,
  options: { readonly block: B; readonly index?: (...ids: Block.Ids) => P }
): Blocks<N, D, Block.ShapeOf<B>, A> => new BlocksImpl(ref, options as any) as any

export interface EmitOptions<I extends Streams, O extends WritableStreams> {
  /** Sizes of the axes; steps go over them in row-major order. */
  readonly grid: ReadonlyArray<number>
  /** Blocks that are fetched ahead. */
  readonly in?: I
  /** Blocks that stay as long as the steps show them, and go back then. */
  readonly out?: O
  /** Steps whose blocks are in memory or on their way at once, 2 if left out; 1 is a plain loop over the refs themselves. */
  readonly maxConcurrentSteps?: number
  /** Steps for which a block stays as it is after its own, for work that is still in flight; less than `maxConcurrentSteps`. */
  readonly delayRelease?: number
}
/** What the body gets of a stream. */
type Seen<B, A extends MemRef.Access> =
  B extends Blocks<infer N, infer D, infer S, MemRef.Access> ? MemRef.MemRef<N, D, S, A> : never
/** The blocks of a step, by name. */
export type Seens<I extends Streams, O extends Streams> = { readonly [K in keyof I]: Seen<I[K], "in"> } & {
  readonly [K in keyof O]: Seen<O[K], "inout">
}
type NameOf<T extends Streams> = T[keyof T]["~blocks"]["name"]
type Touched<I extends Streams, O extends Streams> =
  | ([keyof I] extends [never] ? never : Read<NameOf<I>>)
  | ([keyof O] extends [never] ? never : Read<NameOf<O>> | Write<NameOf<O>>)

/**
 * Runs `body` for each step of a grid, in order, threading a carry (or `undefined`); blocks of `in` streams are copied to
 * workgroup memory some steps ahead, blocks of `out` streams stay there while consecutive steps show them.
 *
 * It means the plain loop over the same blocks, whatever `maxConcurrentSteps` is: out blocks can be read and hold what was
 * in their ref. A pipeline may stand in another one's body. It reads and writes the refs of its streams, and has the
 * effects `Memory` and `Pipeline`.
 *
 * Fails with a `KernelError` where a ref is written and read by two streams, where the body reaches around a stream to its
 * ref, and where a block does not fit its ref.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { Discharge, f32, Kernel, MemRef, Pipeline, Tile } from "effect-kernels"
 *
 * // A product whose blocks along k are fetched two steps ahead.
 * const matmul = Kernel.make("matmul", {
 *   grid: [2],
 *   refs: {
 *     a: MemRef.in(f32, [4, 8], { block: [2, 8], index: (i) => [i, 0] }),
 *     b: MemRef.in(f32, [8, 4]),
 *     o: MemRef.out(f32, [4, 4], { block: [2, 4], index: (i) => [i, 0] })
 *   }
 * }, function*({ a, b, o }) {
 *   const sum = yield* Pipeline.emit({
 *     grid: [4],
 *     in: {
 *       x: Pipeline.block(a, { block: [2, 2], index: (k) => [0, k] }),
 *       y: Pipeline.block(b, { block: [2, 4], index: (k) => [k, 0] })
 *     },
 *     maxConcurrentSteps: 3
 *   }, Tile.zeros(f32, [2, 4]), function*(acc, { x, y }) {
 *     return acc.add(Tile.dot(yield* MemRef.load(x), yield* MemRef.load(y)))
 *   })
 *   yield* MemRef.store(o, sum)
 * })
 * const args = { a: new Float32Array(32).fill(1), b: new Float32Array(32).fill(2) }
 * const { o } = await Effect.runPromise(Kernel.run(matmul, args).pipe(Effect.provide(Discharge.layer)))
 * console.assert(o.every((x) => x === 16))
 * ```
 */
export const emit = <
  C extends Carry | undefined,
  A,
  const I extends Streams = {},
  const O extends WritableStreams = {},
  Eff extends AnyEffect = never,
  E = never,
  R = never
>(
  options: EmitOptions<I, O>,
  init: C & Gives<NoInfer<A>, C | (undefined extends C ? void : never)>,
  body: (carry: C, refs: Seens<I, O>, ...ids: Block.Ids) => Body<A, Eff, E, R>
): Run<C, Eff, E, R | Touched<I, O> | Memory | InFlight> => emitImpl(options as any, init, body as any) as any
