/** Trust in values that are moved: each element is as good as the one it came from. */
import type { ArrayValue } from "../../ir/array.ts"
import type { EvalContext, EvalRule } from "../../ir/primitive.ts"
import type { Eqn } from "../../ir/program.ts"
import { isPosition, overNumbers } from "../../primitives/structural/moves.ts"
import * as Shape from "../../Shape.ts"
import { note, type Trust, trustAt, trustOf, word } from "./trust.ts"

/** Numbers of the elements of all operands, from 1; 0 stands for a value out of nowhere. */
const numbered = (operands: ReadonlyArray<ArrayValue>): ReadonlyArray<ArrayValue> => {
  let next = 1
  return operands.map(({ data, shape }) => ({ dtype: "i32", shape, data: Int32Array.from(data, () => next++) }))
}
/** A primitive that moves elements is asked to move their numbers, which tell where each came from. */
export const moveTrust = (
  rule: EvalRule,
  ctx: EvalContext,
  eqn: Eqn,
  operands: ReadonlyArray<ArrayValue>,
  result: ArrayValue
): ArrayValue => {
  const trusts = operands.map(trustOf)
  if (trusts.every((t) => t === undefined)) return result
  const moved = numbered(operands).map((numbers, k) => (isPosition(eqn, k) ? operands[k]! : numbers))
  const [from] = rule(ctx, overNumbers(eqn), moved)
  const all = operands.flatMap((o, k) => Array.from({ length: Shape.size(o.shape) }, (_, i) => trustAt(trusts[k], i)))
  const positions = operands.flatMap((_, k) => (isPosition(eqn, k) ? [...(trusts[k] ?? [])] : []))
  const worst = Math.max(word, ...positions)
  const trust: Trust = Float64Array.from(from!.data, (n) =>
    Math.max(n === 0 ? word : all[n - 1]!, worst > 0 ? worst : word)
  )
  return note(result, trust)
}
