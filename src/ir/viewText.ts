/**
 * Views in the text form: `[4*%0 + 1, 0 +: 8 step 2].reshape[2, 4].transpose[1, 0].bitcast[u32][gather %7, 1]`; positions
 * of blocks that reach over the edge as `[3*%0 +: 3 padded]`, parts of them as `[3*%0 + 1 +: 2 padded wholly, 1 padded]`.
 *
 * The scalars and index tiles that a view uses are named by `Slot`s: printing asks for the text of a position of the
 * equation's `indices`, reading asks for the position of what comes next.
 */
import * as DType from "../DType.ts"
import type { Cursor } from "./lexer.ts"
import { isNegative, readDType, readNumber, readNumbers, showNumber, showShape } from "./literal.ts"
import type { Param } from "./program.ts"
import type { Affine, Entry, Padded, Term, Transform, View } from "./view.ts"

// --- printing -----------------------------------------------------------------------------------------------------------

type ShowSlot = (index: number) => string

const showTerm = (term: Term, slot: ShowSlot): string =>
  term._tag === "Index"
    ? slot(term.index)
    : `(${showAffine(term.of, slot)} ${term._tag === "Mod" ? "mod" : "floordiv"} ${showNumber(term.by)})`

const showAffine = ({ constant, terms }: Affine, slot: ShowSlot): string => {
  const parts = terms.map(({ coefficient, term }): readonly [boolean, string] => {
    const factor = coefficient === 1 || coefficient === -1 ? "" : `${showNumber(Math.abs(coefficient))}*`
    return [isNegative(coefficient), factor + showTerm(term, slot)]
  })
  if (terms.length === 0 || !Object.is(constant, 0)) parts.push([isNegative(constant), showNumber(Math.abs(constant))])
  return parts.map(([minus, text], k) => (k === 0 ? (minus ? "-" : "") : minus ? " - " : " + ") + text).join("")
}

const showPadded = ({ padded }: { readonly padded?: Padded }): string =>
  padded === undefined ? "" : padded === true ? " padded" : ` padded ${padded}`

const showEntry = (entry: Entry, slot: ShowSlot): string => {
  if (entry._tag === "Point") return showAffine(entry.at, slot) + showPadded(entry)
  if (entry._tag === "Gather") return `gather ${slot(entry.index)}`
  const step = entry.stride === 1 ? "" : ` step ${showNumber(entry.stride)}`
  return `${showAffine(entry.start, slot)} +: ${showNumber(entry.size)}${step}${showPadded(entry)}`
}

const showTransform = (t: Transform, slot: ShowSlot): string => {
  switch (t._tag) {
    case "Index":
      return `[${t.at.map((entry) => showEntry(entry, slot)).join(", ")}]`
    case "Reshape":
      return `.reshape${showShape(t.shape)}`
    case "Transpose":
      return `.transpose${showShape(t.perm)}`
    case "Bitcast":
      return `.bitcast[${t.dtype}]`
  }
}
export const showView = (view: View, slot: ShowSlot): string => view.map((t) => showTransform(t, slot)).join("")

/** Positions of `indices` that the views use, in the order in which they print. */
export const slotsOf = (views: ReadonlyArray<View>): ReadonlyArray<number> => {
  const seen: Array<number> = []
  const note = (index: number) => {
    if (!seen.some((other) => Object.is(other, index))) seen.push(index)
    return ""
  }
  for (const view of views) showView(view, note)
  return seen
}

// --- reading ------------------------------------------------------------------------------------------------------------

type ReadSlot = () => number

const readTerm = (cursor: Cursor, slot: ReadSlot): Term => {
  if (!cursor.accept("(")) return { _tag: "Index", index: slot() }
  const of = cursor.nested(() => readAffine(cursor, slot))
  const _tag = cursor.accept("floordiv")
    ? "FloorDiv"
    : cursor.accept("mod")
      ? "Mod"
      : cursor.expected("'floordiv' or 'mod'")
  const by = readNumber(cursor, "a number")
  cursor.expect(")")
  return { _tag, of, by }
}

const readAffine = (cursor: Cursor, slot: ReadSlot): Affine => {
  let constant: number | undefined
  const terms: Array<Affine["terms"][number]> = []
  let sign = cursor.accept("-") ? -1 : 1
  for (;;) {
    const isTerm = cursor.sees("(") || cursor.sees("%") || cursor.sees("#")
    const factor = sign * (isTerm ? 1 : readNumber(cursor, "an index"))
    if (isTerm || cursor.accept("*")) terms.push({ coefficient: factor, term: readTerm(cursor, slot) })
    else constant = constant === undefined ? factor : constant + factor
    if (cursor.accept("+")) sign = 1
    else if (cursor.accept("-")) sign = -1
    else return { constant: constant ?? 0, terms }
  }
}

const readEntry = (cursor: Cursor, slot: ReadSlot): Entry => {
  if (cursor.accept("gather")) return { _tag: "Gather", index: slot() }
  const start = readAffine(cursor, slot)
  if (!cursor.accept("+:")) return { _tag: "Point", at: start, ...(cursor.accept("padded") ? { padded: true } : {}) }
  const size = readNumber(cursor, "a size")
  const stride = cursor.accept("step") ? readNumber(cursor, "a stride") : 1
  if (!cursor.accept("padded")) return { _tag: "Range", start, size, stride }
  return { _tag: "Range", start, size, stride, padded: cursor.accept("wholly") ? "wholly" : true }
}

const readTransform = (cursor: Cursor): Transform => {
  if (cursor.accept("reshape")) return { _tag: "Reshape", shape: readNumbers(cursor, "a size") }
  if (cursor.accept("transpose")) return { _tag: "Transpose", perm: readNumbers(cursor, "an axis") }
  if (!cursor.accept("bitcast")) return cursor.expected("'reshape', 'transpose' or 'bitcast'")
  cursor.expect("[")
  const dtype = readDType(cursor)
  cursor.expect("]")
  return { _tag: "Bitcast", dtype }
}

export const readView = (cursor: Cursor, slot: ReadSlot): View => {
  const view: Array<Transform> = []
  for (;;) {
    if (cursor.accept("[")) view.push({ _tag: "Index", at: cursor.list("]", () => readEntry(cursor, slot)) })
    else if (cursor.accept(".")) view.push(readTransform(cursor))
    else return view
  }
}

// --- views in parameters ------------------------------------------------------------------------------------------------

type Test = (param: Param | undefined) => boolean
const isNumber: Test = (p) => typeof p === "number"
const isTrue: Test = (p) => p === true
const listOf =
  (item: Test): Test =>
  (p) =>
    Array.isArray(p) && p.every(item)
type Tests = { readonly [key: string]: Test }
const record =
  (fields: Tests, optional: Tests = {}): Test =>
  (p) => {
    if (typeof p !== "object" || p === null || Array.isArray(p)) return false
    const tests: Tests = { ...optional, ...fields }
    const values = p as { readonly [key: string]: Param }
    return (
      Object.keys(fields).every((k) => Object.hasOwn(p, k)) &&
      Object.keys(p).every((k) => Object.hasOwn(tests, k) && tests[k]!(values[k]))
    )
  }
const is =
  (...tags: ReadonlyArray<string>): Test =>
  (p) =>
    typeof p === "string" && tags.includes(p)
const either =
  (...tests: ReadonlyArray<Test>): Test =>
  (p) =>
    tests.some((test) => test(p))

const isTerm: Test = (p) =>
  either(
    record({ _tag: is("Index"), index: isNumber }),
    record({ _tag: is("FloorDiv", "Mod"), of: isAffine, by: isNumber })
  )(p)
const isAffine = record({ constant: isNumber, terms: listOf(record({ coefficient: isNumber, term: isTerm })) })
const isEntry = either(
  record({ _tag: is("Point"), at: isAffine }, { padded: isTrue }),
  record(
    { _tag: is("Range"), start: isAffine, size: isNumber, stride: isNumber },
    { padded: either(isTrue, is("wholly")) }
  ),
  record({ _tag: is("Gather"), index: isNumber })
)
const isView = listOf(
  either(
    record({ _tag: is("Index"), at: listOf(isEntry) }),
    record({ _tag: is("Reshape"), shape: listOf(isNumber) }),
    record({ _tag: is("Transpose"), perm: listOf(isNumber) }),
    record({ _tag: is("Bitcast"), dtype: is(...DType.names) })
  )
)
/** The view that a parameter holds, if it is one. */
export const asView = (param: Param | undefined): View | undefined =>
  isView(param) ? (param as unknown as View) : undefined
/** A view as the value of a parameter. */
export const toParam = (view: View): Param => view as unknown as Param
