/** Float sums of an element's steps: whether every order of adding gives the same. */
import * as DType from "../DType.ts"
import { lowBit } from "../primitives/scalar/float.ts"
import type { Memory } from "./memory.ts"

/** Terms of a sum: all their magnitudes, and the finest power of 2 that all are multiples of. */
export interface Sum {
  magnitude: number
  quantum: number
}
const note = (sum: Sum, x: number): void => {
  // What infinities and NaN make of a sum, they make of it in any order.
  if (x === 0 || !Number.isFinite(x)) return
  sum.magnitude += Math.abs(x)
  sum.quantum = Math.min(sum.quantum, lowBit(x))
}

/** Notes that a number is added to an element. */
export const addExactly = (memory: Memory, cell: number, x: number): void => {
  memory.sums ??= new Map()
  let sum = memory.sums.get(cell)
  if (sum === undefined) {
    memory.sums.set(cell, (sum = { magnitude: 0, quantum: Infinity }))
    note(sum, memory.value.data[cell]!)
  }
  note(sum, x)
}
const bits: { readonly [dtype: string]: number } = { f32: 24, f16: 11, bf16: 8 }
/** Every partial sum, in any order, is a multiple of the quantum that the dtype has exactly. */
export const isExact = (memory: Memory, cell: number): boolean => {
  const { magnitude, quantum } = memory.sums!.get(cell)!
  const { dtype } = memory.type
  const most = 2 ** (bits[dtype] ?? bits[DType.widened(dtype)] ?? 24)
  return magnitude === 0 || magnitude / quantum <= most
}
