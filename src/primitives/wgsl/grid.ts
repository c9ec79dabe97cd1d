/** WGSL of the grid primitives. */
import * as E from "../../ir/expr.ts"
import type { WgslRule } from "../../ir/primitive.ts"

export const programId: WgslRule = {
  _tag: "Element",
  access: () => "same",
  at: (ctx, eqn) => ctx.programId(eqn.params.axis as number)
}
export const numPrograms: WgslRule = {
  _tag: "Element",
  access: () => "same",
  at: (ctx, eqn) => E.integer(ctx.numPrograms(eqn.params.axis as number))
}
