/**
 * Counter-based random numbers inside kernels.
 *
 * A key and a counter give a word, with no state between: threefry2x32 with 20 rounds stands behind everything here. It is
 * made of u32 operations, so every interpreter gives the same bits. Names are `jax.random`'s, and the words of `key` (for
 * 32-bit seeds), `foldIn`, `split` and `bits` equal those of its partitionable threefry2x32; the distributions have their own
 * way from words to numbers.
 *
 * The element of a tile at row-major position `p` gets the counter `[0, p]`. Where the tile is a block of a larger array,
 * `offset` and `within` say where it stands, and the array gets the same numbers however it is cut into blocks. Two draws
 * from one key are the same numbers: use a key once, and split it for more.
 *
 * @example
 * ```ts
 * import { Control, Discharge, f32, Kernel, MemRef, Random } from "effect-kernels"
 * import { Effect } from "effect"
 *
 * const noise = (n: number, block: number) =>
 *   Kernel.make("noise", {
 *     grid: [n / block],
 *     refs: { o: MemRef.out(f32, [n], { block: [block], index: (i) => [i] }) }
 *   }, function*({ o }) {
 *     const offset = (yield* Control.programId(0)).mul(block)
 *     yield* MemRef.store(o, Random.uniform(Random.key(7), [block], { offset }))
 *   })
 * const run = (block: number) => Kernel.run(noise(64, block), {}).pipe(Effect.provide(Discharge.layer), Effect.runPromise)
 * console.assert((await run(16)).o.join() === (await run(64)).o.join())
 * ```
 */
import type * as DType from "./DType.ts"
import { u32 } from "./DType.ts"
import * as Args from "./random/arguments.ts"
import * as Ciphers from "./random/ciphers.ts"
import { counters, type Position } from "./random/counters.ts"
import * as Distributions from "./random/distributions.ts"
import { toBf16, toF16 } from "./random/stochastic.ts"
import type * as Shape from "./Shape.ts"
import * as Tile from "./Tile.ts"

/** Two u32 scalars; any pair of them is a key. */
export type Key = Args.Key
/** A whole number from 0 to 2^32 - 1, or a scalar; an i32 scalar is taken by its bits. */
export type Whole = Args.Whole
export type { Position } from "./random/counters.ts"

// --- ciphers ------------------------------------------------------------------------------------------------------------

/**
 * Threefry with two 32-bit words and 20 rounds: a word pair per counter pair.
 *
 * Shapes of the counter words broadcast. Salmon, Moraes, Dror, Shaw: "Parallel Random Numbers: As Easy as 1, 2, 3" (SC 2011).
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { Discharge, Kernel, MemRef, Random, Tile, u32 } from "effect-kernels"
 *
 * const refs = { o: MemRef.out(u32, [2, 1]) }
 * const zeros = Kernel.make("zeros", { grid: [1], refs }, function*({ o }) {
 *   const zero = Tile.zeros(u32, [1])
 *   const [x0, x1] = Random.threefry2x32(Random.key(0), [zero, zero])
 *   yield* MemRef.store(MemRef.at(o, [0]), x0)
 *   yield* MemRef.store(MemRef.at(o, [1]), x1)
 * })
 * const { o } = await Effect.runPromise(Kernel.run(zeros, {}).pipe(Effect.provide(Discharge.layer)))
 * console.log(Array.from(o, (word) => word.toString(16))) // => [ '6b200159', '99ba4efe' ]
 * ```
 */
export const threefry2x32 = <A extends Shape.Shape, B extends Shape.Shape>(
  key: Key,
  counter: readonly [Tile.Tile<"u32", A>, Tile.Tile<"u32", B>]
): readonly [Tile.Tile<"u32", Shape.Broadcast<A, B>>, Tile.Tile<"u32", Shape.Broadcast<A, B>>] => {
  const call = Args.called("threefry2x32")
  Args.checkKey(call, key)
  Args.checkWords(call, counter, 2)
  return Ciphers.threefry2x32(key, counter) as any
}

/**
 * Philox with four 32-bit words and 10 rounds: four words per counter of four, all of one shape.
 *
 * From the paper of `threefry2x32`. It takes several times as many operations here, because WGSL has no 64-bit product.
 */
export const philox4x32 = <S extends Shape.Shape>(
  key: Key,
  counter: readonly [Tile.Tile<"u32", S>, Tile.Tile<"u32", S>, Tile.Tile<"u32", S>, Tile.Tile<"u32", S>]
): readonly [Tile.Tile<"u32", S>, Tile.Tile<"u32", S>, Tile.Tile<"u32", S>, Tile.Tile<"u32", S>] => {
  const call = Args.called("philox4x32")
  Args.checkKey(call, key)
  Args.checkWords(call, counter, 4)
  return Ciphers.philox4x32(key, counter) as any
}

// --- keys ---------------------------------------------------------------------------------------------------------------

/**
 * The key of a seed: a whole number from 0 to 2^53 - 1, whose upper bits go to the first word, or an i32 or u32 scalar.
 *
 * It may be made outside of the body, unless the seed is a scalar of the kernel.
 */
export const key = (seed: Whole): Key => {
  const call = Args.called("key")
  if (typeof seed !== "number") return [Tile.of(u32, 0), Args.word(call, "seed", seed)]
  if (!Number.isSafeInteger(seed) || seed < 0)
    throw Args.mistake(call, `the seed is ${seed}`, "give a whole number from 0 to 2^53 - 1")
  return [Tile.of(u32, Math.floor(seed / 2 ** 32)), Tile.of(u32, seed >>> 0)]
}

const folded = (key: Key, data: Tile.Scalar<"u32">): Key =>
  Ciphers.threefry2x32(key, [Tile.of(u32, 0), data]) as unknown as Key
/** A new key of this one and a whole number, such as a program id or the number of a step. */
export const foldIn = (key: Key, data: Whole): Key => {
  const call = Args.called("foldIn")
  Args.checkKey(call, key)
  return folded(key, Args.word(call, "data", data))
}

/**
 * Several new keys of this one, two if left out; the i-th is `foldIn(key, i)`.
 *
 * @example
 * ```ts
 * import { Random } from "effect-kernels"
 *
 * const [weights, noise] = Random.split(Random.key(42))
 * const layers = Random.split(weights, 12)
 * console.assert(noise.length === 2 && layers.length === 12)
 * ```
 */
export const split: {
  (key: Key): readonly [Key, Key]
  (key: Key, count: number): ReadonlyArray<Key>
} = (key: Key, count: number = 2): any => {
  const call = Args.called("split")
  Args.checkKey(call, key)
  if (!Number.isInteger(count) || count < 1)
    throw Args.mistake(call, `the number of keys is ${count}`, "give a whole number of at least 1")
  return Array.from({ length: count }, (_, i) => folded(key, Tile.of(u32, i)))
}

// --- draws --------------------------------------------------------------------------------------------------------------

/** Both words of each element of a tile. */
const draw = (call: Args.Call, key: Key, shape: Shape.Shape, position?: Position): Ciphers.Pair => {
  Args.checkKey(call, key)
  return Ciphers.threefry2x32(key, [Tile.of(u32, 0), counters(call, shape, position)])
}
const word = (...args: Parameters<typeof draw>): Args.Words => {
  const [high, low] = draw(...args)
  return high.xor(low)
}

/**
 * Random words, all 2^32 equally often: `x0 xor x1` of `threefry2x32(key, [0, p])` for the element at position p.
 *
 * Positions count modulo 2^32. The same bits on every interpreter.
 */
export const bits = <const S extends Shape.Shape>(
  key: Key,
  shape: S,
  position?: Position
): Tile.Tile<"u32", Shape.Mutable<S>> => word(Args.called("bits"), key, shape, position) as any

export interface UniformOptions extends Position {
  /** Lower bound, which can be drawn; 0, if left out. */
  readonly min?: number | Tile.Scalar<"f32">
  /** Upper bound, which is never drawn; 1, if left out. */
  readonly max?: number | Tile.Scalar<"f32">
}
/**
 * Random f32 from `min` up to but not including `max`: the upper 24 bits of each word, times 2^-24.
 *
 * Without bounds the same bits on every interpreter; with bounds, `min + (max - min) · u` is rounded as f32 is. Numbers that
 * are not finite or not in order are refused; of scalars out of order all elements are `min`.
 */
export const uniform = <const S extends Shape.Shape>(
  key: Key,
  shape: S,
  options: UniformOptions = {}
): Tile.Tile<"f32", Shape.Mutable<S>> => {
  const call = Args.called("uniform")
  const unit = Distributions.unit(word(call, key, shape, options))
  if (options.min === undefined && options.max === undefined) return unit as any
  const [min, max] = [Args.bound(call, options.min ?? 0), Args.bound(call, options.max ?? 1)]
  return Distributions.between(call, unit, min, max) as any
}

/**
 * Random f32 of the standard normal distribution: the quantile of an odd multiple of 2^-25, so that none lies beyond 5.42.
 *
 * One word gives one number, by the inverse error function (Giles, 2012), with a relative error below 2e-6 on every
 * interpreter.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { Discharge, f32, Kernel, MemRef, Random } from "effect-kernels"
 *
 * const refs = { o: MemRef.out(f32, [1000]) }
 * const weights = Kernel.make("weights", { grid: [1], refs }, function*({ o }) {
 *   yield* MemRef.store(o, Random.normal(Random.key(42), [1000]).mul(0.1).add(3))
 * })
 * const { o } = await Effect.runPromise(Kernel.run(weights, {}).pipe(Effect.provide(Discharge.layer)))
 * const mean = o.reduce((sum, v) => sum + v) / 1000
 * console.assert(Math.abs(mean - 3) < 0.01)
 * ```
 */
export const normal = <const S extends Shape.Shape>(
  key: Key,
  shape: S,
  position?: Position
): Tile.Tile<"f32", Shape.Mutable<S>> => Distributions.normal(word(Args.called("normal"), key, shape, position)) as any

/**
 * Random i32 from `low` up to but not including `high`; the same on every interpreter.
 *
 * Both words of an element are used as one 64-bit fraction, so that no value comes more often than another by more than
 * one part in 2^32. Numbers out of order are refused; of scalars out of order all elements are `low`.
 */
export const randint = <const S extends Shape.Shape>(
  key: Key,
  shape: S,
  low: number | Tile.Scalar<"i32">,
  high: number | Tile.Scalar<"i32">,
  position?: Position
): Tile.Tile<"i32", Shape.Mutable<S>> => {
  const call = Args.called("randint")
  if (typeof low === "number" && typeof high === "number" && !(low < high))
    throw Args.mistake(call, `nothing lies from ${low} up to but not including ${high}`, "give low below high")
  const [from, to] = [Args.integer(call, low), Args.integer(call, high)]
  return Distributions.integers(draw(call, key, shape, position), from, to) as any
}

/**
 * Rounds f32 to one of its two neighbours in f16 or bf16, to each as often as the number is close to it, by the bits of the
 * key. bf16 is a storage dtype: its values come as f32, and storing them to a bf16 ref changes nothing.
 *
 * The mean of many roundings is the number itself, within 2^-32 of the spacing; values of the dtype stay, and so do infinities
 * and NaN. Beyond the largest value (65504 in f16) the neighbour above is infinite. The same bits on every interpreter.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { Discharge, f16, f32, Kernel, MemRef, Random, Tile } from "effect-kernels"
 *
 * const refs = { o: MemRef.out(f16, [1000]) }
 * const third = Kernel.make("third", { grid: [1], refs }, function*({ o }) {
 *   yield* MemRef.store(o, Random.stochasticRound(Tile.full(f32, [1000], 1 / 3), Random.key(3), f16))
 * })
 * const { o } = await Effect.runPromise(Kernel.run(third, {}).pipe(Effect.provide(Discharge.layer)))
 * const values = Array.from(o)
 * console.assert(new Set(values).size === 2)
 * console.assert(Math.abs(values.reduce((sum, v) => sum + v) / 1000 - 1 / 3) < 1e-5)
 * ```
 */
export const stochasticRound = <S extends Shape.Shape, D extends "f16" | "bf16">(
  x: Tile.Tile<"f32", S>,
  key: Key,
  dtype: DType.DType<D>,
  position?: Position
): Tile.Tile<DType.Widened<D>, S> => {
  const call = Args.called("stochasticRound")
  Args.checkRounding(call, x, dtype)
  const round: (x: any, random: Args.Words) => Tile.Any = dtype.name === "bf16" ? toBf16 : toF16
  return round(x, word(call, key, x.shape, position)) as any
}
