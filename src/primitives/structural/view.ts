/** Types of views that may come from anywhere. */
import { checkView } from "../../ir/checkView.ts"
import type { Aval } from "../../ir/program.ts"
import { viewAval } from "../../ir/view.ts"
import * as P from "./params.ts"

/** Type of what a view of anywhere shows of `on`. */
export const checkedViewAval = (u: unknown, on: Aval, indices: ReadonlyArray<Aval>): Aval => {
  const { dtype, shape } = viewAval(checkView(u, indices), on, indices)
  return P.result(dtype, shape)
}
