/** Which float results every interpreter gets the same, whatever it may reorder, fuse or flush. */
import type * as DType from "../../DType.ts"
import type { Accuracy } from "../../ir/primitive.ts"
import { lowBit } from "../../primitives/scalar/float.ts"
import { anything, exact, isNormal } from "./trust.ts"

interface Format {
  /** Bits of the significand. */
  readonly bits: number
  readonly max: number
  /** Exponent of the smallest normal number. */
  readonly least: number
}
const formats: { readonly [N in DType.Float | "bf16"]: Format } = {
  f32: { bits: 24, max: 3.4028234663852886e38, least: -126 },
  f16: { bits: 11, max: 65504, least: -14 },
  bf16: { bits: 8, max: 3.3895313892515355e38, least: -126 }
}

/** Trust in a number of that trust when bf16 has kept it. */
export const keptTrust = (trust: number, x: number): number => {
  if (trust <= exact || !Number.isFinite(x)) return trust
  const most = Math.abs(x) + trust
  return most < formats.bf16.max ? trust + ulp("bf16", most) : anything
}
/** Distance between neighbours at x. */
export const ulp = (dtype: DType.Float | "bf16", x: number): number => {
  const { bits, least } = formats[dtype]
  const exponent = x === 0 ? least : Math.max(least, Math.floor(Math.log2(Math.abs(x))))
  return 2 ** (exponent + 1 - bits)
}

/** Sum of magnitudes and the finest power of 2 among the terms; every partial sum is a multiple of it, at most that large. */
const spread = (terms: ReadonlyArray<number>, bitsOf: (k: number) => number) => {
  let magnitude = 0
  let quantum = Infinity
  terms.forEach((x, k) => {
    if (x === 0 || !Number.isFinite(x)) return
    magnitude += Math.abs(x)
    quantum = Math.min(quantum, bitsOf(k))
  })
  return { magnitude, quantum }
}
/** Sums of which every partial sum, in any order, is exact; else within `bound`. */
export const sumTrust = (
  dtype: DType.Float,
  terms: ReadonlyArray<number>,
  bound: () => number,
  bitsOf: (k: number) => number = (k) => lowBit(terms[k]!)
): number => {
  const { bits, least, max } = formats[dtype]
  const { magnitude, quantum } = spread(terms, bitsOf)
  if (magnitude > max / 2) return anything
  if (terms.some((x) => !Number.isFinite(x) || !isNormal(dtype, x)))
    return terms.every(Number.isFinite) ? anything : exact
  if (magnitude === 0 || (magnitude / quantum <= 2 ** bits && quantum >= 2 ** least)) return exact
  return bound()
}

/** Products of which every partial product, in any order, is exact; else within `bound`. */
export const productTrust = (dtype: DType.Float, factors: ReadonlyArray<number>, bound: () => number): number => {
  const { bits, least } = formats[dtype]
  let odd = 1
  let scale = 0
  for (const x of factors) {
    if (x === 0 || !Number.isFinite(x)) continue
    odd *= Math.abs(x) / lowBit(x)
    scale += Math.abs(Math.log2(Math.abs(x)))
  }
  if (scale >= -least - 2) return anything
  return factors.some((x) => !Number.isFinite(x)) || odd <= 2 ** bits ? exact : bound()
}

export const boundOf = (accuracy: Accuracy, args: ReadonlyArray<number>, result: number, dtype: DType.Name): number =>
  accuracy._tag === "Bounded" ? accuracy.bound(args, result, dtype) : exact
