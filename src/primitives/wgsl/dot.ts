/** WGSL of the matrix product: each result is the sum along k, in order where one invocation sums it. */
import * as E from "../../ir/expr.ts"
import { type Expr, typeOf } from "../../ir/lowered.ts"
import type { WgslRule } from "../../ir/primitive.ts"
import type { Atom, Eqn } from "../../ir/program.ts"
import { type Fold, reduction } from "./fold.ts"

const sum = (eqn: Eqn): Fold => {
  const { dtype } = eqn.results[0]!
  const merge: Fold["merge"] = ([a], [b]) => [E.apply("add", dtype, dtype, [a!, b!])]
  return { dtypes: [dtype], empty: [E.constant(typeOf(dtype), 0)], step: merge, merge }
}
const depth = (eqn: Eqn): number => eqn.operands[0]!.shape.at(eqn.params.transposeA === true ? -2 : -1)!

export const dot: WgslRule = {
  _tag: "Block",
  owned: true,
  access: (eqn, k) => ((k === 0 ? eqn.results[0]!.shape.at(-1)! : eqn.results[0]!.shape.at(-2)!) > 1 ? "many" : "any"),
  emit: (ctx, eqn) => {
    const [a, b] = eqn.operands as [Atom, Atom]
    const result = eqn.results[0]!
    const pair = (swapped: boolean, x: Expr, y: Expr): ReadonlyArray<Expr> => (swapped ? [y, x] : [x, y])
    reduction(ctx, {
      fold: sum(eqn),
      result,
      outer: result.shape,
      count: depth(eqn),
      item: (outer, k) => {
        const batch = outer.slice(0, -2)
        const [row, column] = outer.slice(-2) as [Expr, Expr]
        const x = ctx.at(a, [...batch, ...pair(eqn.params.transposeA === true, row, k)])
        const y = ctx.at(b, [...batch, ...pair(eqn.params.transposeB === true, k, column)])
        return [E.apply("mul", result.dtype, result.dtype, [x, y])]
      },
      finish: ([x]) => x!
    })
  }
}
