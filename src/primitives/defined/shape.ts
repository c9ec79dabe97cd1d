/** Undefined elements that are moved: their origins move with them. */
import type { DefinedContext, DefinedRule } from "../../ir/primitive.ts"
import type { Eqn } from "../../ir/program.ts"
import type { Shadowed } from "../../ir/shadow.ts"
import * as Shape from "../../Shape.ts"
import { asValue, packed } from "../structural/defined.ts"
import { isPosition, overNumbers } from "../structural/moves.ts"
import * as P from "../structural/params.ts"

const move = (ctx: DefinedContext, eqn: Eqn, operands: ReadonlyArray<Shadowed>): Int32Array => {
  const numbers = operands.map((operand, k) => (isPosition(eqn, k) ? operand.value : asValue(operand)))
  return ctx.evaluate(overNumbers(eqn), numbers)[0]!.data as Int32Array
}
export const moved: DefinedRule = (ctx, eqn, operands) => [packed(move(ctx, eqn, operands))]

/** What an undefined position picks is undefined; what a position out of range gives is 0, whatever the tile holds. */
export const taken: DefinedRule = (ctx, eqn, operands, [result]) => {
  const [a, { origins, value: positions }] = operands as [Shadowed, Shadowed]
  const out = a.origins === undefined ? new Int32Array(result!.data.length) : move(ctx, eqn, operands)
  if (origins === undefined) return [packed(out)]
  const inner = Shape.size(a.value.shape.slice(P.integer(eqn.params, "axis") + 1))
  for (let to = 0, k = 0; to < out.length; to += inner, k = (k + 1) % positions.data.length)
    if (origins[k] !== 0) out.fill(origins[k]!, to, to + inner)
  return [packed(out)]
}
