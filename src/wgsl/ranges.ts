/** Bounds of index expressions, so that guards that always hold are left out. */
import type { Expr } from "../ir/lowered.ts"

export interface Interval {
  readonly lo: number
  readonly hi: number
}
/** Bounds of locals. */
export type Known = (name: string) => Interval | undefined

const interval = (lo: number, hi: number): Interval | undefined =>
  lo >= -2147483648 && hi <= 2147483647 ? { lo, hi } : undefined
const corners = (a: Interval, b: Interval, f: (x: number, y: number) => number): Interval | undefined => {
  const all = [f(a.lo, b.lo), f(a.lo, b.hi), f(a.hi, b.lo), f(a.hi, b.hi)]
  return interval(Math.min(...all), Math.max(...all))
}
const modulo = (a: Interval, n: number): Interval =>
  Math.floor(a.lo / n) === Math.floor(a.hi / n)
    ? { lo: a.lo - Math.floor(a.lo / n) * n, hi: a.hi - Math.floor(a.lo / n) * n }
    : { lo: 0, hi: n - 1 }
const combine: { readonly [op: string]: (a: Interval, b: Interval) => Interval | undefined } = {
  add: (a, b) => interval(a.lo + b.lo, a.hi + b.hi),
  sub: (a, b) => interval(a.lo - b.hi, a.hi - b.lo),
  mul: (a, b) => corners(a, b, (x, y) => x * y),
  min: (a, b) => ({ lo: Math.min(a.lo, b.lo), hi: Math.min(a.hi, b.hi) }),
  max: (a, b) => ({ lo: Math.max(a.lo, b.lo), hi: Math.max(a.hi, b.hi) })
}

/** Bounds of an i32 expression if nothing in it wraps around; `undefined` where nothing is known. */
export const rangeOf = (e: Expr, known: Known): Interval | undefined => {
  if (e._tag === "Const") return { lo: e.value, hi: e.value }
  if (e._tag === "Local") return known(e.name)
  if (e._tag === "Select") {
    const yes = rangeOf(e.yes, known)
    const no = yes && rangeOf(e.no, known)
    return no && { lo: Math.min(yes.lo, no.lo), hi: Math.max(yes.hi, no.hi) }
  }
  if (e._tag === "Apply")
    return e.dtype === "i32" && e.result === "i32" ? applied(e.primitive, e.args, known) : undefined
  if (e._tag !== "Index") return undefined
  const a = rangeOf(e.a, known)
  if (a === undefined) return undefined
  if (e.b._tag === "Const" && (e.op === "div" || e.op === "floorDiv"))
    return { lo: Math.floor(a.lo / e.b.value), hi: Math.floor(a.hi / e.b.value) }
  if (e.b._tag === "Const" && (e.op === "mod" || e.op === "floorMod")) return modulo(a, e.b.value)
  const b = rangeOf(e.b, known)
  return b && combine[e.op]?.(a, b)
}
const applied = (primitive: string, args: ReadonlyArray<Expr>, known: Known): Interval | undefined => {
  if (!Object.hasOwn(combine, primitive)) return undefined
  const [a, b] = args.map((arg) => rangeOf(arg, known))
  return a && b && combine[primitive]!(a, b)
}
