/** Reads equations and regions of the text form. */
import type { Cursor } from "./lexer.ts"
import { readAval, readLiteral, readName, readNumber, readNumbers, readRecord, readString } from "./literal.ts"
import {
  type Atom,
  type Aval,
  type Effect,
  type Eqn,
  type Params,
  plainEffects,
  type RefUse,
  type Region,
  type Role,
  type Scratch,
  type Source,
  type Var
} from "./program.ts"
import { suggest } from "./suggest.ts"
import type { View } from "./view.ts"
import { readView, toParam } from "./viewText.ts"

/** The text, and what it has said so far. */
export interface Context {
  readonly cursor: Cursor
  /** Types of the variables that the text has defined so far. */
  readonly defined: Map<number, Aval>
  readonly primitives: ReadonlySet<string> | undefined
}

// --- variables ----------------------------------------------------------------------------------------------------------

const readId = ({ cursor }: Context): number => {
  cursor.expect("%")
  return readNumber(cursor, "the number of a variable")
}
const readDefinition = (ctx: Context): Var => {
  const id = readId(ctx)
  ctx.cursor.expect(":")
  const aval = readAval(ctx.cursor)
  ctx.defined.set(id, aval)
  return { _tag: "Var", id, ...aval }
}
const readUse = (ctx: Context): Var => {
  const { at } = ctx.cursor.peek()
  const id = readId(ctx)
  const aval = ctx.cursor.accept(":") ? readAval(ctx.cursor) : ctx.defined.get(id)
  if (aval === undefined) return ctx.cursor.error(`%${id} is used before it is defined`, at)
  return { _tag: "Var", id, ...aval }
}
const readAtom = (ctx: Context): Atom => (ctx.cursor.sees("%") ? readUse(ctx) : readLiteral(ctx.cursor))

// --- equations ----------------------------------------------------------------------------------------------------------

/** Reads views and gathers what they index with, in the order in which it appears. */
const slots = (ctx: Context) => {
  const named: Array<Var> = []
  let numbered: number | undefined
  const slot = (): number => {
    const { at } = ctx.cursor.peek()
    if (ctx.cursor.accept("#")) {
      numbered ??= at
      return readNumber(ctx.cursor, "a position in the list of indices")
    }
    if (!ctx.cursor.sees("%")) return ctx.cursor.expected("a variable")
    const v = readUse(ctx)
    const known = named.findIndex((other) => Object.is(other.id, v.id))
    return known >= 0 ? known : named.push(v) - 1
  }
  const indices = (): ReadonlyArray<Atom> => {
    const { at } = ctx.cursor.peek()
    if (!ctx.cursor.accept("#")) {
      if (numbered !== undefined)
        ctx.cursor.error("a numbered index needs the list of indices, #(…), after the refs", numbered)
      return named
    }
    if (named.length > 0) ctx.cursor.error("a list of indices stands beside views that name variables", at)
    ctx.cursor.expect("(")
    return ctx.cursor.list(")", () => readAtom(ctx))
  }
  return { slot, indices }
}

const readPrimitive = ({ cursor, primitives }: Context): string => {
  const { at } = cursor.peek()
  const name = readName(cursor, "an equation")
  if (primitives !== undefined && !primitives.has(name))
    cursor.error(`unknown primitive ${name}${suggest(name, primitives)}`, at)
  return name
}

/** Whether `{` opens parameters; that of a region is followed by its own parameters, or ends the line. */
const seesParams = (cursor: Cursor): boolean =>
  cursor.sees("{") && !cursor.sees("(", 1) && cursor.peek(1).kind !== "newline"

const readUses = (
  ctx: Context,
  slot: () => number
): { readonly view: View | undefined; readonly refs: ReadonlyArray<RefUse> } => {
  const { cursor } = ctx
  const view = cursor.accept("&") ? readView(cursor, slot) : undefined
  const refs: Array<RefUse> = []
  while (cursor.peek().kind === "word" || cursor.peek().kind === "string")
    refs.push({ name: readName(cursor, "a ref"), view: readView(cursor, slot) })
  return { view, refs }
}

const readEffect = ({ cursor }: Context): Effect => {
  for (const _tag of plainEffects) if (cursor.accept(_tag)) return { _tag }
  const { text } = cursor.peek()
  if (text !== "Read" && text !== "Write" && text !== "Accum" && text !== "Inline")
    return cursor.expected(`an effect (Read, Write, Accum, Inline, ${plainEffects.join(", ")})`)
  cursor.take()
  cursor.expect("(")
  const name = readName(cursor, "a name")
  cursor.expect(")")
  return text === "Inline" ? { _tag: text, name } : { _tag: text, ref: name }
}
const readEffects = (ctx: Context): ReadonlyArray<Effect> => {
  if (!ctx.cursor.accept("!")) return []
  const effects = [readEffect(ctx)]
  while (ctx.cursor.accept(",")) effects.push(readEffect(ctx))
  return effects
}

/** Where something was written, if the text says so. */
export const readPosition = (cursor: Cursor): string | undefined =>
  cursor.accept("@") ? readString(cursor, "a source position") : undefined
const sourceOf = (text: string | undefined): Source | undefined =>
  text === undefined ? undefined : { show: () => text }

const readResults = (ctx: Context): ReadonlyArray<Var> => {
  if (!ctx.cursor.sees("%")) return []
  const results = [readDefinition(ctx)]
  while (ctx.cursor.accept(",")) results.push(readDefinition(ctx))
  ctx.cursor.expect("=")
  return results
}

const readEqn = (ctx: Context): Eqn => {
  const { cursor } = ctx
  const results = readResults(ctx)
  const primitive = readPrimitive(ctx)
  const data: Params = seesParams(cursor) ? cursor.nested(() => readRecord(cursor)) : {}
  const { slot, indices: readIndices } = slots(ctx)
  const { at } = cursor.peek()
  const { view, refs } = readUses(ctx, slot)
  if (view !== undefined && Object.hasOwn(data, "view")) cursor.error("the parameter view is given twice", at)
  const params = view === undefined ? data : { ...data, view: toParam(view) }
  const indices = readIndices()
  const operands = cursor.accept("(") ? cursor.list(")", () => readAtom(ctx)) : []
  const effects = readEffects(ctx)
  const source = sourceOf(readPosition(cursor))
  const regions: Array<Region> = []
  while (cursor.sees("{")) regions.push(cursor.nested(() => readRegion(ctx)))
  cursor.endLine()
  return { primitive, params, operands, indices, refs, regions, results, effects, source }
}

// --- regions ------------------------------------------------------------------------------------------------------------

const readRole = (cursor: Cursor): Role | undefined => {
  if (cursor.accept("accumulator")) return { kind: "accumulator" }
  if (!cursor.accept("barrier")) return undefined
  cursor.expect("(")
  const arrivals = readNumber(cursor, "the number of arrivals")
  cursor.expect(")")
  return { kind: "barrier", arrivals }
}
const readScratch = ({ cursor }: Context): Scratch => {
  const name = readName(cursor, "the name of a scratch ref")
  cursor.expect(":")
  const aval = readAval(cursor)
  const space = cursor.accept("workgroup") ? "workgroup" : cursor.accept("register") ? "register" : undefined
  if (space === undefined) return cursor.expected("'workgroup' or 'register'")
  const role = readRole(cursor)
  const placement = {
    ...(cursor.accept("tiling") ? { tiling: readNumbers(cursor, "a size") } : {}),
    ...(cursor.accept("swizzle") ? { swizzle: readNumber(cursor, "a number of bytes") } : {})
  }
  cursor.endLine()
  return { name, ...aval, space, ...(role === undefined ? {} : { role }), ...placement }
}

const readRegionParams = (ctx: Context): ReadonlyArray<Var> => {
  if (!ctx.cursor.accept("(")) return []
  const params = ctx.cursor.list(")", () => readDefinition(ctx))
  ctx.cursor.expect("=>")
  return params
}

const readYield = (ctx: Context): ReadonlyArray<Atom> => {
  if (!ctx.cursor.accept("yield")) return []
  const results = [readAtom(ctx)]
  while (ctx.cursor.accept(",")) results.push(readAtom(ctx))
  ctx.cursor.endLine()
  return results
}

export const readRegion = (ctx: Context): Region => {
  const { cursor } = ctx
  cursor.expect("{")
  const params = readRegionParams(ctx)
  cursor.endLine()
  const refs: Array<Scratch> = []
  while (cursor.accept("scratch")) refs.push(readScratch(ctx))
  const eqns: Array<Eqn> = []
  while (!cursor.sees("}") && !cursor.sees("yield")) eqns.push(readEqn(ctx))
  const results = readYield(ctx)
  cursor.expect("}")
  return { params, refs, eqns, results }
}
