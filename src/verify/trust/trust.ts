/**
 * How far each element of a value can be trusted, which decides how interpreters are compared.
 *
 * A number per element: `word`, every interpreter has this very word; `exact`, each has this number (the sign of zero and
 * the payload of a NaN may differ); a positive number, each is within this distance; `anything`, nothing is promised.
 * Trust stands beside the storage of a value. Storage that nothing is noted for is trusted to the word: it came from an
 * argument, a literal, a counter.
 */
import * as DType from "../../DType.ts"
import type { ArrayValue, Data } from "../../ir/array.ts"

export const word = -1
export const exact = 0
export const anything = Infinity
export type Trust = Float64Array

const noted = new WeakMap<Data, Trust>()
/** Trust per element, `undefined` where every element is trusted to the word. */
export const trustOf = ({ data }: ArrayValue): Trust | undefined => noted.get(data)
export const trustAt = (trust: Trust | undefined, at: number): number => (trust === undefined ? word : trust[at]!)
export const note = <V extends ArrayValue>(value: V, trust: Trust): V => {
  if (trust.some((t) => t !== word)) noted.set(value.data, trust)
  return value
}
export const isTrusted = (trust: Trust | undefined): boolean => trust === undefined || trust.every((t) => t <= exact)

/** Trust in a result that is known as well as one can know a value of that dtype that was computed. */
export const best = (dtype: DType.Name): number => (DType.isFloat(dtype) ? exact : word)

const smallestNormal: { readonly [N in DType.Float]: number } = { f32: 2 ** -126, f16: 2 ** -14 }
/** Not subnormal: those may be taken for 0. */
export const isNormal = (dtype: DType.Name, x: number): boolean =>
  !DType.isFloat(dtype) || !(Math.abs(x) < smallestNormal[dtype]) || x === 0

/** Trust in the same word under another dtype: what is known only as a number has no known word if it is 0 or NaN. */
export const recast = (trust: number, from: DType.Name, to: DType.Name, value: number): number => {
  if (from === to || trust === word) return trust
  if (trust > exact) return anything
  return value === 0 || !Number.isFinite(value) || !isNormal(from, value) ? anything : word
}
