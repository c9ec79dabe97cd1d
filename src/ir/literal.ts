/**
 * The leaves of the text form: numbers, names, types, literals, parameters; how each is printed and how it is read.
 *
 * Numbers print as the shortest decimal that gives the same value in their element type. What has no such form (NaN,
 * infinities, numbers that are no value of their type) prints as `f32(nan)`.
 */
import * as DType from "../DType.ts"
import type { Cursor } from "./lexer.ts"
import type { Aval, Literal, Param } from "./program.ts"

// --- names and strings --------------------------------------------------------------------------------------------------

/** Words that begin a statement where a primitive's name may stand, too. */
const reserved = new Set(["scratch", "yield"])
/** A name, quoted where it is no identifier. */
export const showName = (name: string): string =>
  /^[A-Za-z_]\w*$/.test(name) && !reserved.has(name) ? name : JSON.stringify(name)

export const readString = (cursor: Cursor, what: string): string => {
  const token = cursor.peek()
  if (token.kind !== "string") return cursor.expected(what)
  cursor.take()
  try {
    return JSON.parse(token.text) as string
  } catch {
    return cursor.error("a string with an escape or a character that JSON does not allow", token.at)
  }
}
export const readName = (cursor: Cursor, what: string): string =>
  cursor.peek().kind === "word" ? cursor.take().text : readString(cursor, what)

// --- numbers ------------------------------------------------------------------------------------------------------------

export const isNegative = (n: number): boolean => n < 0 || Object.is(n, -0)
/** A number such that `readNumber` gives exactly it. */
export const showNumber = (n: number): string => {
  if (Number.isNaN(n)) return "nan"
  if (!Number.isFinite(n)) return n > 0 ? "inf" : "-inf"
  return Object.is(n, -0) ? "-0" : String(n)
}
export const readNumber = (cursor: Cursor, what: string): number => {
  const sign = cursor.accept("-") ? -1 : 1
  if (cursor.accept("inf")) return sign * Infinity
  if (cursor.accept("nan")) return NaN
  return cursor.peek().kind === "number" ? sign * Number(cursor.take().text) : cursor.expected(what)
}

// --- types --------------------------------------------------------------------------------------------------------------

export const showShape = (shape: ReadonlyArray<number>): string => `[${shape.map(showNumber).join(", ")}]`
/** `f32[2, 3]`. */
export const showAval = (aval: Aval): string => aval.dtype + showShape(aval.shape)

export const readNumbers = (cursor: Cursor, what: string): ReadonlyArray<number> => {
  cursor.expect("[")
  return cursor.list("]", () => readNumber(cursor, what))
}
const isDType = (text: string): text is DType.Name => (DType.names as ReadonlyArray<string>).includes(text)
export const readDType = (cursor: Cursor): DType.Name => {
  const { kind, text } = cursor.peek()
  if (kind !== "word" || !isDType(text)) return cursor.expected(`an element type (${DType.names.join(", ")})`)
  cursor.take()
  return text
}
export const readAval = (cursor: Cursor): Aval => ({ dtype: readDType(cursor), shape: readNumbers(cursor, "a size") })

// --- literals -----------------------------------------------------------------------------------------------------------

const suffixes = { f32: "f", f16: "h", i32: "i", u32: "u" } as const
const dtypes: { readonly [suffix: string]: DType.Name } = { f: "f32", h: "f16", i: "i32", u: "u32" }

/** The fewest digits that round to `value` (9 suffice for f32); whole numbers of no more digits than that as they are. */
const shortest = (dtype: DType.Float, value: number): string => {
  if (Number.isInteger(value) && Math.abs(value) < 1e9) return showNumber(value)
  const round = DType.round(dtype)
  let digits = 1
  while (digits < 9 && round(Number(value.toPrecision(digits))) !== value) digits++
  return showNumber(Number(value.toPrecision(digits)))
}

/** `0.5f`, `-3i`, `7u`, `1h`, `true`, `f32(nan)`. */
export const showLiteral = ({ dtype, shape, value }: Literal): string => {
  const exact = shape.length === 0 && Number.isFinite(value) && Object.is(DType.round(dtype)(value), value)
  if (!exact || DType.isStorage(dtype))
    return `${dtype}${shape.length === 0 ? "" : showShape(shape)}(${showNumber(value)})`
  if (dtype === "bool") return value === 1 ? "true" : "false"
  return (DType.isFloat(dtype) ? shortest(dtype, value) : showNumber(value)) + suffixes[dtype]
}

const literal = (dtype: DType.Name, value: number, shape: Aval["shape"] = []): Literal => ({
  _tag: "Literal",
  dtype,
  shape,
  value
})
const readPlainLiteral = (cursor: Cursor): Literal => {
  const sign = cursor.accept("-") ? -1 : 1
  const { kind, text, at } = cursor.peek()
  if (kind !== "literal") return cursor.expected("a literal with its type, such as 0.5f or 3i")
  cursor.take()
  const dtype = dtypes[text.at(-1)!]!
  const written = sign * Number(text.slice(0, -1))
  const value = DType.round(dtype)(written)
  if (DType.isFloat(dtype) ? !Number.isFinite(value) : value !== written)
    cursor.error(`${text} is no value of ${dtype}`, at)
  return literal(dtype, value)
}
export const readLiteral = (cursor: Cursor): Literal => {
  if (cursor.peek().kind !== "word") return readPlainLiteral(cursor)
  if (cursor.accept("true")) return literal("bool", 1)
  if (cursor.accept("false")) return literal("bool", 0)
  const dtype = readDType(cursor)
  const shape = cursor.sees("[") ? readNumbers(cursor, "a size") : []
  cursor.expect("(")
  const value = readNumber(cursor, "a number")
  cursor.expect(")")
  return literal(dtype, value, shape)
}

// --- parameters ---------------------------------------------------------------------------------------------------------

/** `{axis: 0, shape: [2, 3]}`; keys in order, so that equal parameters print alike. */
export const showRecord = (record: { readonly [key: string]: Param }): string =>
  `{${Object.keys(record)
    .sort()
    .map((key) => `${showName(key)}: ${showParam(record[key]!)}`)
    .join(", ")}}`
const isList = (param: Param): param is ReadonlyArray<Param> => Array.isArray(param)
const showParam = (param: Param): string => {
  if (typeof param === "string") return JSON.stringify(param)
  if (typeof param === "number") return showNumber(param)
  if (param === null || typeof param === "boolean") return String(param)
  return isList(param) ? `[${param.map(showParam).join(", ")}]` : showRecord(param)
}

export const readRecord = (cursor: Cursor): { readonly [key: string]: Param } => {
  cursor.expect("{")
  const entries = new Map<string, Param>()
  cursor.list("}", () => {
    const { at } = cursor.peek()
    const key = readName(cursor, "the name of a parameter")
    if (entries.has(key)) cursor.error(`the parameter ${key} is given twice`, at)
    cursor.expect(":")
    entries.set(key, readParam(cursor))
  })
  return Object.fromEntries(entries)
}
const words: { readonly [word: string]: Param } = { true: true, false: false, null: null }
const readParam = (cursor: Cursor): Param => {
  const { kind, text } = cursor.peek()
  if (kind === "string") return readString(cursor, "a string")
  if (kind === "word" && Object.hasOwn(words, text)) return words[cursor.take().text]!
  if (cursor.sees("{")) return cursor.nested(() => readRecord(cursor))
  if (cursor.accept("[")) return cursor.nested(() => cursor.list("]", () => readParam(cursor)))
  return readNumber(cursor, "the value of a parameter")
}
