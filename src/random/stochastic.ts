/** Stochastic rounding: up or down to a neighbour in a narrower dtype, up as often as the number is close to it. */
import { f16, f32, u32 } from "../DType.ts"
import type * as Shape from "../Shape.ts"
import * as Tile from "../Tile.ts"
import type { Words } from "./arguments.ts"
import type { Floats } from "./distributions.ts"

/** Of f16: bits of the fraction, and the biased f32 exponent of the smallest normal number, below which the spacing is constant. */
const format = { fraction: 10, smallest: 127 - 14 } as const

/** A power of 2, given by its biased exponent. */
const power = (exponent: Words): Floats => exponent.shl(23).bitcast(f32)

/**
 * The lower half of the bits of `x` is the fraction that bf16 has no room for; a random word below it rounds up. A carry runs
 * into the exponent, as it should, to infinity in the end.
 */
export const toBf16 = (x: Floats, random: Words): Floats => {
  const bits = x.bitcast(u32)
  const up = random.lt(bits.shl(16))
  const rounded = bits.and(0xffff0000).add(up.select(Tile.of(u32, 0x10000), 0))
  return bits.and(0x7f800000).eq(0x7f800000).select(x, rounded.bitcast(f32))
}

/**
 * `x` in units of the spacing of f16 around it is split into a whole part and a fraction; a random word below the fraction
 * rounds up. Each step is exact, on normal numbers, and so gives the same bits on every interpreter.
 */
export const toF16 = (x: Floats, random: Words): Tile.Tile<"f16", Shape.Shape> => {
  const bits = x.bitcast(u32)
  const exponent = bits.shr(23).and(0xff)
  const scale = exponent.max(format.smallest)
  const units = x.abs().mul(power(Tile.sub(2 * 127 + format.fraction, scale)))
  const whole = units.floor()
  const up = random.lt(
    units
      .sub(whole)
      .mul(2 ** 32)
      .convert(u32)
  )
  const size = whole.add(up.convert(f32)).mul(power(scale.sub(format.fraction)))
  const rounded = size.bitcast(u32).or(bits.and(0x80000000)).bitcast(f32)
  // NaN and the infinities have no neighbours; WGSL lets a compiler assume that arithmetic never meets them.
  return exponent.eq(0xff).select(x, rounded).convert(f16)
}
