/** Which cells of a memory the invocations touch in a loop over elements: each its own, or any. */
import * as E from "../ir/expr.ts"
import type { Expr } from "../ir/lowered.ts"

/** An index with the locals in it replaced by what they name. */
export const spelledOut = (e: Expr, named: ReadonlyMap<string, Expr>): Expr => {
  if (e._tag === "Local") {
    const value = named.get(e.name)
    return value === undefined ? e : spelledOut(value, named)
  }
  return e._tag === "Index" ? { ...e, a: spelledOut(e.a, named), b: spelledOut(e.b, named) } : e
}

/** `coefficient · (el div by) mod modulus`. */
interface Digit {
  readonly coefficient: number
  readonly by: number
  readonly modulus: number
}
/** The digits of `el` in an index, times their weights; `undefined` if it is anything else than those and `fixed` locals. */
const digits = (e: Expr, scale: number, fixed: ReadonlySet<string>): ReadonlyArray<Digit> | undefined => {
  if (e._tag === "Const" || (e._tag === "Local" && fixed.has(e.name))) return []
  if (e._tag === "Index" && e.op === "add") {
    const a = digits(e.a, scale, fixed)
    const b = a && digits(e.b, scale, fixed)
    return b && [...a, ...b]
  }
  if (e._tag === "Index" && e.op === "mul" && e.b._tag === "Const") return digits(e.a, scale * e.b.value, fixed)
  const { by, coefficient, modulus, of } = E.digit(e)
  if (of._tag === "Local" && of.name === "el") return [{ coefficient: scale * coefficient, by, modulus }]
  const isFixed = of._tag === "Local" && fixed.has(of.name)
  return isFixed ? [] : undefined
}

/** Whether different elements below `count` always give different indices. */
const isInjective = (of: ReadonlyArray<Digit>, count: number): boolean => {
  let next = 1
  for (const d of [...of].sort((a, b) => a.by - b.by)) {
    if (d.by !== next) return false
    next = d.by * d.modulus
  }
  if (next < count) return false
  let reach = 0
  for (const d of [...of].sort((a, b) => Math.abs(a.coefficient) - Math.abs(b.coefficient))) {
    const weight = Math.abs(d.coefficient)
    if (weight <= reach) return false
    reach += weight * (Math.min(d.modulus, Math.ceil(count / d.by)) - 1)
  }
  return true
}

/**
 * A key for the index if each element has a cell of its own, the same whenever it is looked at; `undefined` otherwise.
 * `fixed` are the locals that keep one value as long as the program instance runs.
 */
export const ownKey = (index: Expr, count: number, fixed: ReadonlySet<string>): string | undefined => {
  const of = digits(index, 1, fixed)
  return of !== undefined && isInjective(of, count) ? E.key(index) : undefined
}
