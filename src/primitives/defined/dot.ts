/** Products of matrices with undefined elements. */
import * as DType from "../../DType.ts"
import type { DefinedRule } from "../../ir/primitive.ts"
import type { Shadowed } from "../../ir/shadow.ts"
import { originsOf, packed } from "../structural/defined.ts"
import { type Placed, place, sizesOf } from "../structural/dot.ts"

/** The greatest origin in each line of factors that are multiplied, `count` lines of `k`. */
const worstIn = ({ base, data }: Placed, line: number, step: number, count: number, k: number): Int32Array => {
  const out = new Int32Array(count)
  for (let i = 0; i < count; i++)
    for (let l = 0, at = base + i * line; l < k; l++, at += step) if (data[at]! > out[i]!) out[i] = data[at]!
  return out
}
interface Factor {
  readonly origins: Placed
  readonly values: Placed
}
/** Products of integers: what is multiplied by a defined 0 does not count. */
const look = (a: Factor, b: Factor, i: number, j: number, k: number): number => {
  let worst = 0
  for (let l = 0; l < k; l++) {
    const at = a.origins.base + i * a.origins.row + l * a.origins.column
    const bt = b.origins.base + l * b.origins.row + j * b.origins.column
    const origin = Math.max(a.origins.data[at]!, b.origins.data[bt]!)
    if (origin <= worst) continue
    const isZero =
      (a.origins.data[at] === 0 && a.values.data[at] === 0) || (b.origins.data[bt] === 0 && b.values.data[bt] === 0)
    if (!isZero) worst = origin
  }
  return worst
}

export const product: DefinedRule = (_, eqn, operands, [result]) => {
  const [a, b] = operands as [Shadowed, Shadowed]
  const { k, m, n, transposeA, transposeB } = sizesOf(eqn, a.value, b.value)
  const [as, bs] = [originsOf(a), originsOf(b)]
  const isExact = !DType.isFloat(a.value.dtype)
  const out = new Int32Array(result!.data.length)
  for (let batch = 0, to = 0; to < out.length; batch++) {
    const left = (data: Placed["data"]) => place(data, batch, m, k, transposeA)
    const right = (data: Placed["data"]) => place(data, batch, k, n, transposeB)
    const [x, y] = [
      { origins: left(as), values: left(a.value.data) },
      { origins: right(bs), values: right(b.value.data) }
    ]
    const rows = worstIn(x.origins, x.origins.row, x.origins.column, m, k)
    const columns = worstIn(y.origins, y.origins.column, y.origins.row, n, k)
    for (let i = 0; i < m; i++)
      for (let j = 0; j < n; j++, to++) {
        const worst = Math.max(rows[i]!, columns[j]!)
        out[to] = worst > 0 && isExact ? look(x, y, i, j, k) : worst
      }
  }
  return [packed(out)]
}
