/** What rules of definedness share: the rule of a primitive, origins of elements, and values that settle a result. */
import * as DType from "../../DType.ts"
import type { ArrayValue } from "../../ir/array.ts"
import type { DefinedRule, Primitive } from "../../ir/primitive.ts"
import type { Origins, Shadowed } from "../../ir/shadow.ts"
import { stepOf } from "./access.ts"

/** The origins, if anything is undefined. */
export const packed = (origins: Int32Array): Origins => {
  for (let i = 0; i < origins.length; i++) if (origins[i] !== 0) return origins
  return undefined
}
/** An origin per element of a value. */
export const originsOf = ({ origins, value }: Shadowed): Int32Array => origins ?? new Int32Array(value.data.length)
/** Origins as a value: what moves or reduces elements can do so to them. */
export const asValue = (operand: Shadowed): ArrayValue => ({
  dtype: "i32",
  shape: operand.value.shape,
  data: originsOf(operand)
})

/** The greatest origin among elements i of all operands; scalars stretch. */
export const worstOf = (operands: ReadonlyArray<Shadowed>, size: number): Int32Array => {
  const out = new Int32Array(size)
  for (const { origins, value } of operands) {
    if (origins === undefined) continue
    const by = stepOf(value)
    for (let i = 0; i < size; i++) if (origins[i * by]! > out[i]!) out[i] = origins[i * by]!
  }
  return out
}
/** An element of the result is undefined where any operand's is. */
const elementByElement: DefinedRule = (_, __, operands, results) =>
  results.map(({ data }) => packed(worstOf(operands, data.length)))
/** All of the results is undefined where anything is: what holds of a primitive that says nothing. */
const altogether: DefinedRule = (_, __, operands, results) => {
  let worst = 0
  for (const { origins } of operands) if (origins !== undefined) for (const o of origins) worst = Math.max(worst, o)
  return results.map(({ data }) => packed(new Int32Array(data.length).fill(worst)))
}
/** The rule of primitives whose results do not come from operands. */
export const nothing: DefinedRule = (_, eqn) => eqn.results.map(() => undefined)

/** Which elements of a primitive's results are undefined, where an element of an operand is. */
export const definedOf = (record: Pick<Primitive, "defined" | "elementwise">): DefinedRule =>
  record.defined ?? (record.elementwise === undefined ? altogether : elementByElement)

/** Operations of two operands that one of them may settle. */
export type Settled = "and" | "or" | "mul" | "max" | "min"
/** Least and greatest value of a dtype that has no NaN. */
export const rangeOf = (dtype: DType.Name): readonly [least: number, greatest: number] =>
  dtype === "bool" ? [0, 1] : dtype === "u32" ? [0, 4294967295] : [-2147483648, 2147483647]
/** The operand that settles the result, whatever the other is; floats have none, because of NaN. */
export const settling = (op: Settled, dtype: DType.Name): number | undefined => {
  if (DType.isFloat(dtype)) return undefined
  const [least, greatest] = rangeOf(dtype)
  switch (op) {
    case "and":
    case "mul":
      return 0
    case "or":
      return dtype === "i32" ? -1 : greatest
    case "max":
      return greatest
    case "min":
      return least
  }
}
