/**
 * Composition of views: consecutive `Index` steps become one, so that programs show `x[4*%0 + 2]` and not
 * `x[4*%0 +: 4][2]`.
 *
 * The second step's bounds are checked against the part that the first shows, and that check cannot be kept in one step.
 * So steps are joined only where it is implied: the second stays inside the first, or the first shows a whole axis.
 */
import type * as Shape from "../Shape.ts"
import type { Aval } from "./aval.ts"
import { type Affine, type Entry, type Padded, type Term, type Transform, transformAval, type View } from "./view.ts"

/** The least and the largest value that a number may have. */
export interface Interval {
  readonly low: number
  readonly high: number
}
/** What an i32 may be. */
export const anything: Interval = { low: -(2 ** 31), high: 2 ** 31 - 1 }
/** Sums that may wrap around can be anything. */
export const wrapped = (low: number, high: number): Interval =>
  low >= anything.low && high <= anything.high ? { low, high } : anything
/** Where the scalars lie that an equation's views index with. */
export type Ranges = (index: number) => Interval

const sameTerm = (a: Term, b: Term): boolean => JSON.stringify(a) === JSON.stringify(b)
export const addAffine = (a: Affine, b: Affine): Affine => {
  const terms = [...a.terms]
  for (const t of b.terms) {
    const k = terms.findIndex((u) => sameTerm(u.term, t.term))
    if (k < 0) terms.push(t)
    else terms[k] = { coefficient: (terms[k]!.coefficient + t.coefficient) | 0, term: t.term }
  }
  return { constant: (a.constant + b.constant) | 0, terms: terms.filter((t) => t.coefficient !== 0) }
}
export const scaleAffine = (a: Affine, n: number): Affine => ({
  constant: Math.imul(a.constant, n),
  terms: a.terms
    .map((t) => ({ coefficient: Math.imul(t.coefficient, n), term: t.term }))
    .filter((t) => t.coefficient !== 0)
})

const rangeOfTerm = (term: Term, ranges: Ranges): Interval => {
  if (term._tag === "Index") return ranges(term.index)
  const { high, low } = rangeOf(term.of, ranges)
  if (term._tag === "FloorDiv") return { low: Math.floor(low / term.by), high: Math.floor(high / term.by) }
  return low >= 0 && high < term.by ? { low, high } : { low: 0, high: term.by - 1 }
}
/** Where the value of an affine form lies. */
export const rangeOf = (a: Affine, ranges: Ranges): Interval => {
  let low = a.constant
  let high = a.constant
  for (const { coefficient, term } of a.terms) {
    const of = rangeOfTerm(term, ranges)
    low += Math.min(coefficient * of.low, coefficient * of.high)
    high += Math.max(coefficient * of.low, coefficient * of.high)
    if (!Number.isSafeInteger(low) || !Number.isSafeInteger(high)) return anything
  }
  return wrapped(low, high)
}

type Range = Entry & { readonly _tag: "Range" }
const shows = (e: Range, size: number): boolean =>
  e.start.terms.length === 0 && e.start.constant === 0 && e.stride === 1 && e.size === size

/** Whether an entry never leaves an axis of that size. */
const staysInside = (e: Entry, size: number, ranges: Ranges): boolean => {
  if (e._tag === "Gather") return false
  const { high, low } = rangeOf(e._tag === "Point" ? e.at : e.start, ranges)
  const extent = e._tag === "Point" ? 0 : Math.max(0, e.size - 1) * e.stride
  return low >= 0 && high + extent < size
}
/** The entry without the mark of a block specification where it never leaves an axis of that size. */
const unpadded = (e: Entry, size: number, ranges: Ranges): Entry => {
  if (e._tag === "Gather" || e.padded === undefined || !staysInside(e, size, ranges)) return e
  const { padded: _, ...rest } = e
  return rest
}
/** The mark of what `second` shows of a marked range: part of a block may lie wholly beside the ref. */
const partOf = (first: Range, second: Range): { readonly padded?: Padded } =>
  first.padded === undefined ? {} : { padded: shows(second, first.size) ? first.padded : "wholly" }
/** `second` of what `first` shows of an axis of size `dim`, if that is one entry. */
const composeRange = (first: Range, second: Entry, dim: number, ranges: Ranges): Entry | undefined => {
  if (shows(first, dim)) return second
  if (second._tag === "Gather" || !staysInside(second, first.size, ranges)) return undefined
  const at = (a: Affine): Affine => addAffine(first.start, scaleAffine(a, first.stride))
  if (second._tag === "Point")
    return { _tag: "Point", at: at(second.at), ...(first.padded === undefined ? {} : { padded: true }) }
  const stride = first.stride * second.stride
  if (stride >= 2 ** 31) return undefined
  return { _tag: "Range", start: at(second.start), size: second.size, stride, ...partOf(first, second) }
}

const gathers = (at: ReadonlyArray<Entry>): boolean => at.some((e) => e._tag === "Gather")

/** One index that does what two do, one after the other, over axes of these sizes; `undefined` where none does. */
export const composeIndex = (
  first: ReadonlyArray<Entry>,
  second: ReadonlyArray<Entry>,
  shape: Shape.Shape,
  indices: ReadonlyArray<Aval>,
  ranges: Ranges
): ReadonlyArray<Entry> | undefined => {
  // Index tiles of one step go together element by element, those of two steps do not.
  if (gathers(first) && gathers(second)) return undefined
  const out: Array<Entry> = []
  let next = 0
  let placed = false
  for (const [axis, e] of first.entries()) {
    let entry: Entry | undefined = e
    if (e._tag === "Range") entry = composeRange(e, second[next++]!, shape[axis]!, ranges)
    else if (e._tag === "Gather" && !placed) {
      placed = true
      for (const size of indices[e.index]!.shape) {
        const of = second[next++]!
        if (of._tag !== "Range" || !shows(of, size)) return undefined
      }
    }
    if (entry === undefined) return undefined
    out.push(entry)
  }
  return out
}

/**
 * The view with neighbouring `Index` steps joined where that shows the same elements of `on`, and without the marks of
 * block specifications where no position is outside.
 */
export const composeView = (view: View, on: Aval, indices: ReadonlyArray<Aval>, ranges: Ranges): View => {
  const out: Array<Transform> = []
  /** What each step of `out` looks at, and what the last one shows. */
  const seen: Array<Aval> = [on]
  for (const step of view) {
    const last = out.at(-1)
    const below = seen.at(-2)
    const joined =
      step._tag === "Index" && last?._tag === "Index" && below !== undefined
        ? composeIndex(last.at, step.at, below.shape, indices, ranges)
        : undefined
    if (joined !== undefined) {
      out.pop()
      seen.pop()
    }
    const { shape } = seen.at(-1)!
    const at = joined ?? (step._tag === "Index" ? step.at : undefined)
    const next: Transform =
      at === undefined ? step : { _tag: "Index", at: at.map((e, axis) => unpadded(e, shape[axis]!, ranges)) }
    out.push(next)
    seen.push(transformAval(next, seen.at(-1)!, indices, true))
  }
  return out
}
