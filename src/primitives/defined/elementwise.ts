/** What of the results of elementwise primitives is undefined, where one operand may settle what others would change. */
import * as DType from "../../DType.ts"
import type { DefinedRule } from "../../ir/primitive.ts"
import type { Shadowed } from "../../ir/shadow.ts"
import { stepOf } from "../structural/access.ts"
import { originsOf, packed, rangeOf, type Settled, settling, worstOf } from "../structural/defined.ts"
import { words } from "../structural/words.ts"

/** Values of each operand that settle the result, whatever the other operand is. */
type Settling = (dtype: DType.Name) => readonly [left: ReadonlyArray<number>, right: ReadonlyArray<number>]

/** Clears the origins where a defined element of the operand is one of these values. */
const settle = (out: Int32Array, { origins, value }: Shadowed, by: ReadonlyArray<number>): void => {
  if (by.length === 0) return
  const step = stepOf(value)
  for (let i = 0; i < out.length; i++)
    if (out[i] !== 0 && !origins?.[i * step] && by.includes(value.data[i * step]!)) out[i] = 0
}
/** The rule of two operands either of which may settle the result. */
export const settledBy =
  (of: Settling): DefinedRule =>
  (_, __, operands, [result]) => {
    const out = worstOf(operands, result!.data.length)
    const values = of(operands[1]!.value.dtype)
    operands.forEach((operand, k) => settle(out, operand, values[k]!))
    return [packed(out)]
  }
/** The rule of operations that the same value settles on either side. */
export const absorbed = (op: Settled): DefinedRule =>
  settledBy((dtype) => {
    const value = settling(op, dtype)
    const values = value === undefined ? [] : [value]
    return [values, values]
  })
/** The rule of `<`-like relations: nothing is below the least or above the greatest value, and NaN is in no relation. */
export const related = (holds: (a: number, b: number) => boolean): DefinedRule =>
  settledBy((dtype) => {
    const [least, greatest] = DType.isFloat(dtype) ? [-Infinity, Infinity] : rangeOf(dtype)
    const all = DType.isFloat(dtype) ? [least, greatest, NaN] : [least, greatest]
    // What relates an extreme to the least and the greatest value alike relates it to all between.
    const settles = (f: (x: number) => boolean) => all.every((x) => f(x) === f(all[0]!))
    return [[...all].filter((a) => settles((b) => holds(a, b))), [...all].filter((b) => settles((a) => holds(a, b)))]
  })

export const select: DefinedRule = (_, __, [condition, yes, no], [result]) => {
  const [c, y, n] = [condition!, yes!, no!].map(originsOf) as [Int32Array, Int32Array, Int32Array]
  const [byC, byY, byN] = [stepOf(condition!.value), stepOf(yes!.value), stepOf(no!.value)]
  const holds = condition!.value.data
  const [ys, ns] = [words(yes!.value.data), words(no!.value.data)]
  const out = new Int32Array(result!.data.length)
  for (let i = 0; i < out.length; i++) {
    const [atC, atY, atN] = [i * byC, i * byY, i * byN]
    if (c[atC] === 0) out[i] = holds[atC] !== 0 ? y[atY]! : n[atN]!
    else if (y[atY] !== 0 || n[atN] !== 0 || ys[atY] !== ns[atN]) out[i] = Math.max(c[atC]!, y[atY]!, n[atN]!)
  }
  return [packed(out)]
}

/** Of integers: what is at least `hi` becomes `hi`. */
export const clamp: DefinedRule = (_, __, operands, [result]) => {
  const out = worstOf(operands, result!.data.length)
  const { dtype } = operands[2]!.value
  if (DType.isFloat(dtype)) return [packed(out)]
  const [least] = rangeOf(dtype)
  const [x, lo, hi] = operands.map(originsOf) as [Int32Array, Int32Array, Int32Array]
  const [xs, los, his] = operands.map((o): ArrayLike<number> => o.value.data) as [Numbers, Numbers, Numbers]
  const [byX, byLo, byHi] = operands.map((o) => stepOf(o.value)) as [number, number, number]
  for (let i = 0; i < out.length; i++) {
    if (out[i] === 0) continue
    const [atX, atLo, atHi] = [i * byX, i * byLo, i * byHi]
    // The least that max(x, lo) can be, and whether it is that.
    const bound = Math.max(x[atX] === 0 ? xs[atX]! : least, lo[atLo] === 0 ? los[atLo]! : least)
    const known = x[atX] === 0 && lo[atLo] === 0
    if (hi[atHi] === 0 ? bound >= his[atHi]! : known && bound === least) out[i] = 0
  }
  return [packed(out)]
}
type Numbers = ArrayLike<number>

/** Of integers: a product with 0 leaves what is added. */
export const multiplyAdd: DefinedRule = (_, __, operands, [result]) => {
  const out = worstOf(operands, result!.data.length)
  const c = operands[2]!
  if (!DType.isFloat(c.value.dtype)) {
    const product = worstOf(operands.slice(0, 2), out.length)
    for (const factor of operands.slice(0, 2)) settle(product, factor, [0])
    const added = originsOf(c)
    const by = stepOf(c.value)
    for (let i = 0; i < out.length; i++) out[i] = Math.max(product[i]!, added[i * by]!)
  }
  return [packed(out)]
}
