/** Float sums of an element's steps: whether every order of adding gives the same. */
import * as DType from "../DType.ts"
import { lowBit } from "../primitives/scalar/float.ts"

/** Terms of a sum: all their magnitudes, and the finest power of 2 that all are multiples of. */
export interface Sum {
  magnitude: number
  quantum: number
}
/** A sum that begins with what is there. */
export const sumFrom = (x: number): Sum => addTo({ magnitude: 0, quantum: Infinity }, x)
export const addTo = (sum: Sum, x: number): Sum => {
  // What infinities and NaN make of a sum, they make of it in any order.
  if (x === 0 || !Number.isFinite(x)) return sum
  sum.magnitude += Math.abs(x)
  sum.quantum = Math.min(sum.quantum, lowBit(x))
  return sum
}
const bits: { readonly [dtype: string]: number } = { f32: 24, f16: 11, bf16: 8 }
/** Every partial sum, in any order, is a multiple of the quantum that the dtype has exactly. */
export const isExact = ({ magnitude, quantum }: Sum, dtype: DType.Name): boolean =>
  magnitude === 0 || magnitude / quantum <= 2 ** (bits[dtype] ?? bits[DType.widened(dtype)]!)
