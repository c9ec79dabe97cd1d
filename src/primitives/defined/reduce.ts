/** Reductions of tiles with undefined elements: one is enough, unless a defined one settles the result. */
import type { DefinedRule } from "../../ir/primitive.ts"
import { packed, type Settled, settling } from "../structural/defined.ts"
import { alongAxis, groupsOf } from "../structural/reduce.ts"

/** `op` is the reduction that a value may settle. */
export const reduced =
  (op?: Settled): DefinedRule =>
  (_, eqn, [a], [result]) => {
    const { origins, value } = a!
    if (origins === undefined) return [undefined]
    const { bases, offsets } = groupsOf(eqn, value)
    const settled = op === undefined ? undefined : settling(op, value.dtype)
    const out = new Int32Array(result!.data.length)
    for (let i = 0; i < out.length; i++) {
      let worst = 0
      for (let l = 0; l < offsets.length; l++) {
        const at = bases[i]! + offsets[l]!
        const origin = origins[at]!
        if (origin > worst) worst = origin
        else if (origin === 0 && value.data[at] === settled) {
          worst = 0
          break
        }
      }
      out[i] = worst
    }
    return [packed(out)]
  }

/** What comes after a value that settles is settled. */
export const scanned =
  (op?: Settled): DefinedRule =>
  (_, eqn, [a]) => {
    const { origins, value } = a!
    if (origins === undefined) return [undefined]
    const settled = op === undefined ? undefined : settling(op, value.dtype)
    const out = new Int32Array(value.data.length)
    alongAxis(eqn, value, (first, by, count) => {
      let worst = 0
      for (let k = 0, at = first; k < count; k++, at += by) {
        const origin = origins[at]!
        if (origin === 0 && value.data[at] === settled) break
        if (origin > worst) worst = origin
        out[at] = worst
      }
    })
    return [packed(out)]
  }
