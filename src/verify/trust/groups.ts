/** Trust in results that many elements go into: reductions, scans and matrix products. */
import * as DType from "../../DType.ts"
import type { ArrayValue } from "../../ir/array.ts"
import type { EvalContext, Primitive } from "../../ir/primitive.ts"
import type { Eqn } from "../../ir/program.ts"
import { lowBit } from "../../primitives/scalar/float.ts"
import { reduceEvaluate } from "../../primitives/structural/reduce.ts"
import * as Shape from "../../Shape.ts"
import { boundOf, productTrust, sumTrust } from "./floats.ts"
import { anything, best, exact, isNormal, note, type Trust, trustAt, trustOf } from "./trust.ts"

/** Trust in a result of elements that are all known. */
type Rule = (record: Primitive, dtype: DType.Name, elements: ReadonlyArray<number>, y: number) => number
const exactly: Rule = (_, dtype) => best(dtype)
const sum: Rule = (record, dtype, elements, y) =>
  DType.isFloat(dtype) ? sumTrust(dtype, elements, () => boundOf(record.accuracy, elements, y, dtype)) : best(dtype)
const product: Rule = (record, dtype, elements, y) =>
  DType.isFloat(dtype)
    ? elements.every((x) => isNormal(dtype, x))
      ? productTrust(dtype, elements, () => boundOf(record.accuracy, elements, y, dtype))
      : anything
    : best(dtype)
const picked: Rule = (_, dtype, elements) => (elements.every((x) => isNormal(dtype, x)) ? exact : anything)

const rules: { readonly [primitive: string]: Rule } = {
  reduceSum: sum,
  cumsum: sum,
  reduceProd: product,
  reduceMax: picked,
  reduceMin: picked,
  cummax: picked,
  argmax: picked,
  argmin: picked,
  reduceAny: exactly,
  reduceAll: exactly
}
/** Whose result moves no further than the elements do. */
const steady = new Set(["reduceMax", "reduceMin", "cummax"])

const groupTrust = (
  record: Primitive,
  dtype: DType.Name,
  elements: ReadonlyArray<number>,
  worst: number,
  y: number
): number => {
  if (worst > exact) return steady.has(record.name) ? worst : anything
  return rules[record.name]!(record, dtype, elements, y)
}
const worstOf = (trust: Trust | undefined, places: ReadonlyArray<number>): number =>
  places.reduce((worst, at) => Math.max(worst, trustAt(trust, at)), -1)

/** Trust per element of the result, from where its elements stand in the operand. */
const byGroups = (
  record: Primitive,
  operand: ArrayValue,
  result: ArrayValue,
  groups: ReadonlyArray<ReadonlyArray<number>>
): ArrayValue => {
  const trust = trustOf(operand)
  const of = (group: ReadonlyArray<number>, k: number): number =>
    groupTrust(
      record,
      operand.dtype,
      group.map((at) => operand.data[at]!),
      worstOf(trust, group),
      result.data[k]!
    )
  const isFloat = DType.isFloat(result.dtype)
  return note(
    result,
    Float64Array.from(groups, (group, k) => (isFloat ? of(group, k) : of(group, k) > exact ? anything : -1))
  )
}

const reduceGroups = (ctx: EvalContext, eqn: Eqn, operand: ArrayValue): ReadonlyArray<ReadonlyArray<number>> => {
  const groups: Array<ReadonlyArray<number>> = []
  const collect = reduceEvaluate(() => (_, base, offsets) => {
    groups.push(Array.from(offsets, (o) => base + o))
    return 0
  })
  collect(ctx, eqn, [operand])
  return groups
}
const scanGroups = (eqn: Eqn, { shape }: ArrayValue): ReadonlyArray<ReadonlyArray<number>> => {
  const axis = eqn.params["axis"] as number
  const stride = Shape.strides(shape)[axis]!
  return Array.from({ length: Shape.size(shape) }, (_, at) => {
    const k = Math.floor(at / stride) % shape[axis]!
    const places = Array.from({ length: shape[axis]! }, (_, i) => at + (i - k) * stride)
    return eqn.params["reverse"] === true ? places.slice(k) : places.slice(0, k + 1)
  })
}

/** Reductions and scans; `undefined` for any other primitive. */
export const reduceTrust = (
  record: Primitive,
  ctx: EvalContext,
  eqn: Eqn,
  operand: ArrayValue,
  result: ArrayValue
): ArrayValue | undefined => {
  if (rules[record.name] === undefined) return undefined
  if (!DType.isFloat(operand.dtype) && trustOf(operand) === undefined) return result
  const groups = "axes" in eqn.params ? reduceGroups(ctx, eqn, operand) : scanGroups(eqn, operand)
  return byGroups(record, operand, result, groups)
}

/** Matrix products: every partial sum of exact products must be exact. */
export const dotTrust = (
  record: Primitive,
  eqn: Eqn,
  [a, b]: ReadonlyArray<ArrayValue>,
  result: ArrayValue
): ArrayValue => {
  const [ta, tb] = [trustOf(a!), trustOf(b!)]
  if (!DType.isFloat(result.dtype) && ta === undefined && tb === undefined) return result
  const [m, n] = result.shape.slice(-2) as [number, number]
  const [transposeA, transposeB] = [eqn.params["transposeA"] === true, eqn.params["transposeB"] === true]
  const k = a!.shape.at(transposeA ? -2 : -1)!
  const trust = Float64Array.from(result.data, (y, at) => {
    const [batch, i, j] = [Math.floor(at / (m * n)), Math.floor(at / n) % m, at % n]
    const pairs = Array.from(
      { length: k },
      (_, l) =>
        [
          batch * m * k + (transposeA ? l * m + i : i * k + l),
          batch * k * n + (transposeB ? j * k + l : l * n + j)
        ] as const
    )
    if (pairs.some(([p, q]) => trustAt(ta, p) > exact || trustAt(tb, q) > exact)) return anything
    if (!DType.isFloat(result.dtype)) return best(result.dtype)
    const factors = pairs.map(([p, q]) => [a!.data[p]!, b!.data[q]!] as const)
    if (factors.some((f) => f.some((x) => !isNormal(a!.dtype, x)))) return anything
    const bits = (l: number): number => lowBit(factors[l]![0]) * lowBit(factors[l]![1])
    const terms = factors.map(([x, z]) => x * z)
    return sumTrust("f32", terms, () => boundOf(record.accuracy, factors.flat(), y, "f32"), bits)
  })
  return note(result, trust)
}
