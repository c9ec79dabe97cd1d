/**
 * Reads the text form of programs, by recursive descent; the grammar is what `print` writes, plus blank lines and `//`
 * comments. Whether the program makes sense is `check`'s business.
 */
import { Result } from "effect"
import { ParseError } from "../Errors.ts"
import { Cursor, SyntaxFailure } from "./lexer.ts"
import { readAval, readDType, readName, readNumber, readNumbers, readString } from "./literal.ts"
import { formatVersion } from "./print.ts"
import type { Access, GridAxis, InlineArg, InlineDef, Program, RefDecl } from "./program.ts"
import { type Context, readPosition, readRegion } from "./readRegion.ts"

const readVersion = ({ cursor }: Context): void => {
  if (!(cursor.sees("effect") && cursor.sees("-", 1) && cursor.sees("kernels", 2)))
    cursor.expected(`'effect-kernels ${formatVersion}'`)
  for (let k = 0; k < 3; k++) cursor.take()
  const { at } = cursor.peek()
  const version = readNumber(cursor, "the version of the format")
  if (version !== formatVersion)
    cursor.error(`this is format version ${version}; this library reads version ${formatVersion}`, at)
  cursor.endLine()
}

const readAxis = (cursor: Cursor): GridAxis => ({
  size: readNumber(cursor, "the size of a grid axis"),
  semantics: cursor.accept("sequential") ? "sequential" : "parallel"
})
const readGrid = ({ cursor }: Context): ReadonlyArray<GridAxis> => {
  cursor.expect("grid")
  cursor.expect("[")
  const grid = cursor.list("]", () => readAxis(cursor))
  cursor.endLine()
  return grid
}

const readThreads = ({ cursor }: Context): Pick<Program, "threads"> => {
  if (!cursor.accept("threads")) return {}
  const threads = readNumber(cursor, "the number of threads")
  cursor.endLine()
  return { threads }
}

const accesses: ReadonlyArray<Access> = ["in", "out", "inout"]
const readRef = ({ cursor }: Context): RefDecl => {
  const scalar = cursor.accept("scalar")
  const access = accesses.find((a) => cursor.accept(a)) ?? cursor.expected("'in', 'out' or 'inout'")
  const name = readName(cursor, "the name of a ref")
  cursor.expect(":")
  const aval = readAval(cursor)
  cursor.endLine()
  return { name, ...aval, access, scalar }
}

const readDischarged = ({ cursor }: Context): ReadonlyArray<string> => {
  if (!cursor.accept("discharged")) return []
  const names = [readName(cursor, "the name of a ref")]
  while (cursor.accept(",")) names.push(readName(cursor, "the name of a ref"))
  cursor.endLine()
  return names
}

const readInlineType = (cursor: Cursor): Pick<InlineArg, "dtype" | "shape"> => {
  const dtype = readDType(cursor)
  return { dtype, shape: cursor.sees("[") ? readNumbers(cursor, "a size") : null }
}
const readInlineResult = (cursor: Cursor): InlineDef["results"][number] => {
  const name = readName(cursor, "the name of an argument or result")
  cursor.expect(":")
  return { name, ...readInlineType(cursor) }
}
const kinds: ReadonlyArray<InlineArg["kind"]> = ["read", "write", "readwrite"]
const readInlineArg = (cursor: Cursor): InlineArg => {
  const kind = cursor.sees(":", 1) ? undefined : kinds.find((k) => cursor.accept(k))
  return { kind: kind ?? "tile", ...readInlineResult(cursor) }
}

const readLines = (cursor: Cursor): string => {
  let text = ""
  do {
    text += readString(cursor, "a quoted line of WGSL")
    cursor.endLine()
  } while (cursor.peek().kind === "string")
  return text
}

type NamedInline = readonly [key: string, def: InlineDef]
const readInline = ({ cursor }: Context, before: ReadonlyArray<NamedInline>): NamedInline => {
  const { at } = cursor.peek()
  const key = readName(cursor, "the name of an inline")
  if (before.some(([other]) => other === key)) cursor.error(`inline ${key} is defined twice`, at)
  const name = cursor.accept("=") ? readName(cursor, "the name of an inline") : key
  const grain = cursor.accept("elementwise") ? "elementwise" : cursor.accept("block") ? "block" : undefined
  if (grain === undefined) return cursor.expected("'elementwise' or 'block'")
  cursor.expect("(")
  const args = cursor.list(")", () => readInlineArg(cursor))
  cursor.expect("->")
  cursor.expect("(")
  const results = cursor.list(")", () => readInlineResult(cursor))
  const source = readPosition(cursor) ?? null
  cursor.endLine()
  return [key, { name, grain, args, results, wgsl: readLines(cursor), source }]
}

const readProgram = (ctx: Context): Program => {
  const { cursor } = ctx
  readVersion(ctx)
  cursor.expect("kernel")
  const name = readName(cursor, "the name of the kernel")
  cursor.endLine()
  const grid = readGrid(ctx)
  const threads = readThreads(ctx)
  const refs: Array<RefDecl> = []
  while (cursor.sees("scalar") || accesses.some((a) => cursor.sees(a))) refs.push(readRef(ctx))
  const discharged = readDischarged(ctx)
  const inlines: Array<NamedInline> = []
  while (cursor.accept("inline")) inlines.push(readInline(ctx, inlines))
  if (!cursor.accept("body")) cursor.expected("a ref, 'discharged', 'inline' or 'body'")
  const body = readRegion(ctx)
  cursor.endLine()
  if (cursor.peek().kind !== "end") cursor.expected("the end of the text")
  return { name, grid, ...threads, refs, body, discharged, inlines: Object.fromEntries(inlines) }
}

const parseError = (text: string, { at, detail }: SyntaxFailure): ParseError => {
  const before = text.slice(0, at).split("\n")
  return new ParseError({ line: before.length, column: before.at(-1)!.length + 1, detail })
}

/**
 * The program that a text in the form of `print` describes.
 *
 * Names of primitives must be among `primitives`, if given. Fails with the position (from 1) of the first mistake. The
 * program is not checked: that is `check`.
 */
export const parse = (text: string, primitives?: ReadonlySet<string>): Result.Result<Program, ParseError> => {
  if (typeof text !== "string")
    return Result.fail(new ParseError({ line: 1, column: 1, detail: `a program is a text, not ${typeof text}` }))
  try {
    return Result.succeed(readProgram({ cursor: new Cursor(text), defined: new Map(), primitives }))
  } catch (failure) {
    if (failure instanceof SyntaxFailure) return Result.fail(parseError(text, failure))
    throw failure
  }
}
