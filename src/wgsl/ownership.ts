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

/** `coefficient · (of div by) mod modulus`, where `of` is an element or the counter of a loop. */
interface Digit {
  readonly coefficient: number
  readonly of: string
  readonly by: number
  readonly modulus: number
}
/** Locals in which indices may be affine. */
export interface Locals {
  /** Those that keep one value as long as the program instance runs. */
  readonly fixed: ReadonlySet<string>
  /** Counters of loops that run from at least 0 to below this. */
  readonly counters: ReadonlyMap<string, number>
}
/** The digits in an index, times their weights; `undefined` if it is anything else than those and `fixed` locals. */
const digits = (e: Expr, scale: number, locals: Locals): ReadonlyArray<Digit> | undefined => {
  if (e._tag === "Const" || (e._tag === "Local" && locals.fixed.has(e.name))) return []
  if (e._tag === "Index" && e.op === "add") {
    const a = digits(e.a, scale, locals)
    const b = a && digits(e.b, scale, locals)
    return b && [...a, ...b]
  }
  if (e._tag === "Index" && e.op === "mul" && e.b._tag === "Const") return digits(e.a, scale * e.b.value, locals)
  const { by, coefficient, modulus, of } = E.digit(e)
  if (of._tag !== "Local") return undefined
  if (of.name === "el" || locals.counters.has(of.name))
    return [{ coefficient: scale * coefficient, of: of.name, by, modulus }]
  return locals.fixed.has(of.name) ? [] : undefined
}

/** The largest amount by which a digit changes an index. */
const weightOf = ({ by, coefficient, modulus }: Digit, count: number): number =>
  Math.abs(coefficient) * (Math.min(modulus, Math.ceil(count / by)) - 1)
/** How far apart the indices of elements below `count` are at most, if different elements always give different ones. */
const reachOf = (of: ReadonlyArray<Digit>, count: number): number | undefined => {
  let next = 1
  for (const d of [...of].sort((a, b) => a.by - b.by)) {
    if (d.by !== next) return undefined
    next = d.by * d.modulus
  }
  if (next < count) return undefined
  let reach = 0
  for (const d of [...of].sort((a, b) => Math.abs(a.coefficient) - Math.abs(b.coefficient))) {
    if (Math.abs(d.coefficient) <= reach) return undefined
    reach += weightOf(d, count)
  }
  return reach
}
const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b))
/** Whether counters move an index by whole multiples of more than `reach`, and never so far that it wraps around. */
const stepsOver = (of: ReadonlyArray<Digit>, reach: number, counters: Locals["counters"]): boolean => {
  if (of.length === 0) return true
  const step = of.reduce((n, d) => gcd(Math.abs(d.coefficient), n), 0)
  const way = of.reduce((n, d) => n + weightOf(d, counters.get(d.of)!), 0)
  return step > reach && way + reach < 2 ** 31
}

/**
 * A key for the index if each element has cells of its own, whenever they are looked at; `undefined` otherwise. The cells may
 * change from turn to turn of a loop, as long as the cell of one element is never that of another.
 */
export const ownKey = (index: Expr, count: number, locals: Locals): string | undefined => {
  const all = digits(index, 1, locals)
  if (all === undefined) return undefined
  const reach = reachOf(
    all.filter((d) => d.of === "el"),
    count
  )
  const moving = all.filter((d) => d.of !== "el")
  return reach !== undefined && stepsOver(moving, reach, locals.counters) ? E.key(index) : undefined
}
