/** Random words made into numbers, element by element. */
import { f32, i32, u32 } from "../DType.ts"
import type * as Shape from "../Shape.ts"
import * as Tile from "../Tile.ts"
import { type Call, mistake, type Words } from "./arguments.ts"
import { multiplied, type Pair } from "./ciphers.ts"

export type Floats = Tile.Tile<"f32", Shape.Shape>

/** The upper 24 bits as multiples of 2^-24 in [0, 1): each is exact in f32. */
export const unit = (bits: Words): Floats =>
  bits
    .shr(8)
    .convert(f32)
    .mul(2 ** -24)

type Bound = number | Tile.Scalar<"f32">
/** The difference of two bounds; of numbers, one that f32 has. */
const width = (call: Call, min: Bound, max: Bound): Bound => {
  if (typeof min !== "number" || typeof max !== "number") return Tile.sub(max as Tile.Scalar<"f32">, min)
  if (min <= max && Number.isFinite(Math.fround(max - min))) return max - min
  throw mistake(call, `the bounds are ${min} and ${max}`, "give min below max, and a finite difference")
}
/** Numbers in [0, 1) stretched to [min, max): those that rounding takes to `max` become `min`. */
export const between = (call: Call, unit: Floats, min: Bound, max: Bound): Floats => {
  const stretched = unit.mul(width(call, min, max)).add(min)
  return stretched.lt(max).select(stretched, typeof min === "number" ? Tile.of(f32, min) : min)
}

/** The upper 24 bits as odd multiples of 2^-24 in (-1, 1): exact, symmetric, and never 0 or ±1. */
const symmetric = (bits: Words): Floats =>
  bits
    .bitcast(i32)
    .shr(8)
    .mul(2)
    .add(1)
    .convert(f32)
    .mul(2 ** -24)

/**
 * Giles, "Approximating the erfinv function" (GPU Computing Gems, Jade edition, 2012), single precision: polynomials, from
 * the highest coefficient, for erfinv(x) / x in w = -log(1 - x²), where w < 5 in w - 2.5, beyond in √w - 3.
 */
const central = [
  2.81022636e-8, 3.43273939e-7, -3.5233877e-6, -4.39150654e-6, 2.1858087e-4, -1.25372503e-3, -4.17768164e-3,
  0.246640727, 1.50140941
] as const
const tail = [
  -2.00214257e-4, 1.00950558e-4, 1.34934322e-3, -3.67342844e-3, 5.73950773e-3, -7.6224613e-3, 9.43887047e-3, 1.00167406,
  2.83297682
] as const

const polynomial = ([highest, second, ...rest]: readonly [number, number, ...Array<number>], x: Floats): Floats =>
  rest.reduce((sum, c) => sum.fma(x, c), x.mul(highest).add(second))

/** The normal quantile of the word as a fraction: √2 · erfinv. */
export const normal = (bits: Words): Floats => {
  const x = symmetric(bits)
  const size = x.abs()
  // Not 1 - x², which cancels in the tails; 1 - |x| is exact.
  const w = Tile.sub(1, size).mul(size.add(1)).log().neg()
  const ratio = w.lt(5).select(polynomial(central, w.sub(2.5)), polynomial(tail, w.sqrt().sub(3)))
  return ratio.mul(x).mul(Math.SQRT2)
}

/** Whole numbers below `span`: the 64-bit fraction of the two words, times `span`, rounded down. */
const below = ([high, low]: Pair, span: Words): Words => {
  const [whole, fraction] = multiplied(high, span)
  const sum = fraction.add(multiplied(low, span)[0])
  return whole.add(sum.lt(fraction).convert(u32))
}
/** Whole numbers from `low` up to but not including `high`; the span of two i32 is a u32. */
export const integers = (
  words: Pair,
  low: Tile.Scalar<"i32">,
  high: Tile.Scalar<"i32">
): Tile.Tile<"i32", Shape.Shape> => {
  const span = high.gt(low).select(high.sub(low), 0).bitcast(u32)
  return below(words, span).bitcast(i32).add(low)
}
