/** WGSL of the matrix product: each result is the sum along k, in order where one invocation sums it. */
import type * as DType from "../../DType.ts"
import * as E from "../../ir/expr.ts"
import { type Expr, typeOf } from "../../ir/lowered.ts"
import type { BlockContext, WgslRule } from "../../ir/primitive.ts"
import type { Atom, Aval, Params } from "../../ir/program.ts"
import { type Fold, reduction, type Target, toResult } from "./fold.ts"

/** A factor: its type, and its elements. */
export interface Factor {
  readonly aval: Aval
  readonly at: (coords: ReadonlyArray<Expr>) => Expr
}

const sum = (dtype: DType.Name): Fold => {
  const merge: Fold["merge"] = ([a], [b]) => [E.apply("add", dtype, dtype, [a!, b!])]
  return { dtypes: [dtype], empty: [E.constant(typeOf(dtype), 0)], step: merge, merge }
}
/** Emits the product of two factors, of this type. */
export const product = (
  ctx: BlockContext,
  { dtype, shape }: Aval,
  [a, b]: readonly [Factor, Factor],
  params: Params,
  into: Target
): void => {
  const pair = (swapped: boolean, x: Expr, y: Expr): ReadonlyArray<Expr> => (swapped ? [y, x] : [x, y])
  const [transposeA, transposeB] = [params.transposeA === true, params.transposeB === true]
  reduction(ctx, {
    fold: sum(dtype),
    into,
    outer: shape,
    count: a.aval.shape.at(transposeA ? -2 : -1)!,
    item: (outer, k) => {
      const batch = outer.slice(0, -2)
      const [row, column] = outer.slice(-2) as [Expr, Expr]
      const x = a.at([...batch, ...pair(transposeA, row, k)])
      const y = b.at([...batch, ...pair(transposeB, k, column)])
      return [E.apply("mul", dtype, dtype, [x, y])]
    },
    finish: ([x]) => x!
  })
}

export const tileFactor = (ctx: BlockContext, tile: Atom): Factor => ({
  aval: tile,
  at: (coords) => ctx.at(tile, coords)
})

export const dot: WgslRule = {
  _tag: "Block",
  owned: true,
  access: (eqn, k) => (eqn.results[0]!.shape.at(k === 0 ? -1 : -2)! > 1 ? "many" : "any"),
  emit: (ctx, eqn) => {
    const [a, b] = eqn.operands as [Atom, Atom]
    const result = eqn.results[0]!
    product(ctx, result, [tileFactor(ctx, a), tileFactor(ctx, b)], eqn.params, toResult(ctx, result))
  }
}
