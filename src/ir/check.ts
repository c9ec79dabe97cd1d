/**
 * The checker: everything that a program must keep, computed again from nothing but the program and the records.
 *
 * It runs on programs from text and JSON, after each pass, and on what rules emit, so it trusts none of them.
 */
import { InvalidProgram } from "../Errors.ts"
import * as DType from "../DType.ts"
import * as Shape from "../Shape.ts"
import { sameType } from "./aval.ts"
import { unbalance } from "./balance.ts"
import { checkView } from "./checkView.ts"
import { showAval, showLiteral } from "./literal.ts"
import { checkPlacement } from "./placement.ts"
import type { Primitive, Scope } from "./primitive.ts"
import { printEqn, printHeader } from "./print.ts"
import {
  type Access,
  type Atom,
  type Aval,
  type Effect,
  type Eqn,
  equations,
  type InlineDef,
  isVar,
  joinEffects,
  type Literal,
  type Program,
  type RefType,
  type RefUse,
  type Region,
  type Role,
  type Scratch,
  showEffect,
  type Var
} from "./program.ts"
import { called, checkRole } from "./role.ts"
import { suggest } from "./suggest.ts"
import { unbalanced } from "./tokens.ts"
import { TypingError } from "./typing.ts"
import { viewAval } from "./view.ts"
import { asView } from "./viewText.ts"

/** Gives the record of a primitive. */
export type Lookup = (name: string) => Primitive | undefined

interface Ref extends RefType {
  readonly access: Access | "scratch"
}
interface Context {
  readonly lookup: Lookup
  readonly discharged: ReadonlySet<string>
  /** Variables and refs in scope. */
  readonly values: Map<number, Var>
  readonly refs: Map<string, Ref>
  /** Every variable and ref that the program has had so far, since both are unique in it. */
  readonly ids: Set<number>
  readonly names: Set<string>
  readonly scope: Scope
}

/** Carries a finding out of the walk. */
class Found {
  readonly finding: InvalidProgram
  constructor(finding: InvalidProgram) {
    this.finding = finding
  }
}
const refuse = (detail: string): never => {
  throw new TypingError(detail)
}
const detailOf = (error: unknown): string => {
  if (error instanceof TypingError) return error.hint === undefined ? error.detail : `${error.detail}; ${error.hint}`
  return `a rule of the primitive cannot make sense of it: ${error instanceof Error ? error.message : String(error)}`
}

// --- values -------------------------------------------------------------------------------------------------------------

const checkShape = (what: string, shape: Shape.Shape): void => {
  if (!Shape.isValid(shape)) refuse(`${what} has the shape ${Shape.show(shape)}; sizes are whole numbers of at least 0`)
}

const define = (ctx: Context, v: Var): void => {
  if (!Number.isInteger(v.id) || v.id < 0) refuse(`%${v.id} is no variable; ids are whole numbers of at least 0`)
  if (ctx.ids.has(v.id)) refuse(`%${v.id} is defined twice`)
  checkShape(`%${v.id}`, v.shape)
  ctx.ids.add(v.id)
  ctx.values.set(v.id, v)
}

const checkLiteral = (l: Literal): void => {
  if (l.shape.length > 0) refuse(`the literal ${showLiteral(l)} has rank ${l.shape.length}; literals are scalars`)
  const value = DType.round(l.dtype)(l.value)
  if (value !== l.value && !(DType.isFloat(DType.widened(l.dtype)) && Number.isNaN(l.value)))
    refuse(`${l.value} is no value of ${l.dtype}`)
}
const checkVar = (ctx: Context, v: Var): void => {
  const definition = ctx.values.get(v.id)
  if (definition === undefined)
    return refuse(
      ctx.ids.has(v.id)
        ? `%${v.id} is used outside the region that defines it`
        : `%${v.id} is used before it is defined`
    )
  if (!sameType(v, definition)) refuse(`%${v.id} is used as ${showAval(v)} and defined as ${showAval(definition)}`)
}
const checkAtom = (ctx: Context, atom: Atom): void => (isVar(atom) ? checkVar(ctx, atom) : checkLiteral(atom))

// --- refs ---------------------------------------------------------------------------------------------------------------

const declare = (ctx: Context, name: string, ref: Ref): void => {
  if (ctx.names.has(name)) refuse(`two refs are named "${name}"`)
  checkShape(`ref "${name}"`, ref.shape)
  ctx.names.add(name)
  ctx.refs.set(name, ref)
}
const declareScratch = (ctx: Context, scratch: Scratch): void => {
  checkRole(`scratch "${scratch.name}"`, scratch)
  declare(ctx, scratch.name, { ...scratch, access: "scratch" })
  checkPlacement(`scratch "${scratch.name}"`, scratch.shape, scratch)
}

const refInScope = (ctx: Pick<Context, "refs" | "names" | "discharged">, name: string): Ref => {
  const ref = ctx.refs.get(name)
  if (ref === undefined)
    return refuse(
      ctx.names.has(name)
        ? `ref "${name}" is used outside its scope`
        : `there is no ref "${name}"${suggest(name, ctx.refs.keys())}`
    )
  return ctx.discharged.has(name) ? refuse(`ref "${name}" is used though it has been discharged`) : ref
}

const checkUse = (
  ctx: Context,
  role: Role["kind"] | undefined,
  { name, view }: RefUse,
  indices: ReadonlyArray<Aval>
): void => {
  const ref = refInScope(ctx, name)
  if (ref.role?.kind !== role) refuse(`ref "${name}" is ${called(ref.role?.kind)}, and ${called(role)} is needed`)
  checkView(view, indices)
  viewAval(view, ref, indices)
}

// --- equations ----------------------------------------------------------------------------------------------------------

const showTypes = (avals: ReadonlyArray<Aval>): string =>
  avals.length === 0 ? "nothing" : avals.map(showAval).join(", ")
const checkResults = (eqn: Eqn, types: ReadonlyArray<Aval>): void => {
  if (types.length !== eqn.results.length || types.some((type, k) => !sameType(type, eqn.results[k]!)))
    refuse(`the results are declared as ${showTypes(eqn.results)}, and ${eqn.primitive} gives ${showTypes(types)}`)
}

const showEffects = (effects: ReadonlyArray<Effect>): string =>
  effects.length === 0 ? "none" : joinEffects(effects).map(showEffect).join(", ")
const checkEffects = (ctx: Context, eqn: Eqn, effects: ReadonlyArray<Effect>): void => {
  const [declared, actual] = [showEffects(eqn.effects), showEffects(effects)]
  if (declared !== actual) refuse(`the effects are declared as ${declared}, and ${eqn.primitive} has ${actual}`)
  for (const e of eqn.effects)
    if ((e._tag === "Write" || e._tag === "Accum") && ctx.refs.get(e.ref)?.access === "in")
      refuse(`${showEffect(e)}: ref "${e.ref}" is declared as in`)
}

const checkEqn = (ctx: Context, eqn: Eqn): void => {
  const record = ctx.lookup(eqn.primitive) ?? refuse(`there is no primitive ${eqn.primitive}`)
  for (const atom of [...eqn.operands, ...eqn.indices]) checkAtom(ctx, atom)
  for (const [k, use] of eqn.refs.entries())
    checkUse(ctx, k === (record.roleAt ?? 0) ? record.role : undefined, use, eqn.indices)
  const view = asView(eqn.params["view"])
  if (view !== undefined) checkView(view, eqn.indices)
  for (const region of eqn.regions) checkRegion(ctx, region)
  checkResults(eqn, record.typing(eqn, ctx.scope))
  checkEffects(ctx, eqn, record.effects(eqn, ctx.scope))
  for (const v of eqn.results) define(ctx, v)
}

/** The equations around number `k`, which is marked. */
const neighbours = (region: Region, k: number): string => {
  const from = Math.max(0, k - 3)
  return region.eqns
    .slice(from, k + 4)
    .map((eqn, i) => `${from + i === k ? ">" : " "} ${printEqn(eqn)}`)
    .join("\n")
}

/** The equations around one that stands somewhere in a region. */
const neighboursIn = (region: Region, eqn: Eqn): string => {
  const inside = [region, ...[...equations(region)].flatMap((e) => e.regions)].find((r) => r.eqns.includes(eqn))!
  return neighbours(inside, inside.eqns.indexOf(eqn))
}
/** Products in flight are waited for before their accumulator is looked at. */
const checkProducts = (body: Region): void => {
  const found = unbalance(body)
  if (found === undefined) return
  const detail = `${found.eqn.primitive} of "${found.ref}": ${found.detail}; ${found.hint}`
  throw new Found(
    new InvalidProgram({ equation: printEqn(found.eqn), detail, neighbours: neighboursIn(body, found.eqn) })
  )
}
/** Copies in flight are waited for once, on every path. */
const checkTokens = (body: Region, lookup: Lookup): void => {
  const found = unbalanced(body, lookup)
  if (found === undefined) return
  const { at, detail, hint, region } = found
  const equation = printEqn(region.eqns[at]!)
  throw new Found(new InvalidProgram({ equation, detail: `${detail}; ${hint}`, neighbours: neighbours(region, at) }))
}

const checkRegion = (ctx: Context, region: Region): void => {
  for (const v of region.params) define(ctx, v)
  for (const scratch of region.refs) declareScratch(ctx, scratch)
  for (const [k, eqn] of region.eqns.entries()) {
    try {
      checkEqn(ctx, eqn)
    } catch (error) {
      if (error instanceof Found) throw error
      throw new Found(
        new InvalidProgram({ equation: printEqn(eqn), detail: detailOf(error), neighbours: neighbours(region, k) })
      )
    }
  }
  for (const atom of region.results) checkAtom(ctx, atom)
  for (const v of [...region.params, ...region.eqns.flatMap((eqn) => eqn.results)]) ctx.values.delete(v.id)
  for (const { name } of region.refs) ctx.refs.delete(name)
}

// --- programs -----------------------------------------------------------------------------------------------------------

const checkGrid = ({ grid }: Program): void => {
  for (const [axis, { size }] of grid.entries())
    if (!Number.isInteger(size) || size < 0)
      refuse(`grid axis ${axis} has size ${size}; sizes are whole numbers of at least 0`)
}

const checkThreads = ({ threads }: Program): void => {
  if (threads !== undefined && (!Number.isInteger(threads) || threads < 1))
    refuse(`the kernel has ${threads} threads; it takes a whole number of at least 1`)
}

const declareRefs = (ctx: Context, program: Program): void => {
  for (const { name, dtype, shape, access, scalar } of program.refs) {
    declare(ctx, name, { dtype, shape, access })
    if (scalar && (shape.length > 0 || access !== "in")) refuse(`scalar "${name}" must be an in ref of rank 0`)
    if (scalar && DType.isStorage(dtype)) refuse(`scalar "${name}" is ${dtype}, which only arrays are`)
  }
}

const checkInlines = ({ inlines }: Program): void => {
  for (const [key, def] of Object.entries(inlines)) {
    if (key !== def.name) refuse(`inline "${key}" is defined under the name "${def.name}"`)
    const names = [...def.args, ...def.results].map((a) => a.name)
    if (new Set(names).size < names.length) refuse(`inline "${key}" has two arguments or results of one name`)
    for (const { name, shape } of [...def.args, ...def.results])
      if (shape !== null) checkShape(`"${name}" of inline "${key}"`, shape)
  }
}

/** One parameter and one result per discharged ref, of its type; nothing else. */
const checkDischarged = ({ discharged, refs, body }: Program): void => {
  if (new Set(discharged).size < discharged.length) refuse("a ref is discharged twice")
  const declared = new Map<string, Aval>([...refs, ...body.refs].map((ref) => [ref.name, ref]))
  const types = discharged.map((name) => declared.get(name) ?? refuse(`there is no ref "${name}" to be discharged`))
  for (const [what, actual] of [
    ["parameters", body.params],
    ["results", body.results]
  ] as const)
    if (actual.length !== types.length || types.some((type, k) => !sameType(type, actual[k]!)))
      refuse(`the body has the ${what} ${showTypes(actual)}, and the discharged refs are ${showTypes(types)}`)
}

const start = (program: Program, lookup: Lookup): Context => {
  const own = {
    lookup,
    discharged: new Set(program.discharged),
    values: new Map<number, Var>(),
    refs: new Map<string, Ref>(),
    ids: new Set<number>(),
    names: new Set<string>()
  }
  const inline = (name: string): InlineDef =>
    Object.hasOwn(program.inlines, name)
      ? program.inlines[name]!
      : refuse(`inline "${name}" is not defined${suggest(name, Object.keys(program.inlines))}`)
  return { ...own, scope: { ref: (name) => refInScope(own, name), rank: program.grid.length, inline } }
}

/**
 * The first rule of the IR that a program breaks, with the equation that breaks it, or `undefined`.
 *
 * Variables are defined once, before their uses and in scope; result types and effects are those that the records give;
 * refs and views are valid, `in` refs are not written; what is in flight is waited for, once, and not looked at before; grid,
 * threads, names, inlines and what was discharged are consistent.
 */
export const check = (program: Program, lookup: Lookup): InvalidProgram | undefined => {
  try {
    const ctx = start(program, lookup)
    checkGrid(program)
    checkThreads(program)
    declareRefs(ctx, program)
    checkInlines(program)
    checkDischarged(program)
    checkRegion(ctx, program.body)
    checkProducts(program.body)
    checkTokens(program.body, lookup)
    return undefined
  } catch (error) {
    if (error instanceof Found) return error.finding
    if (!(error instanceof TypingError)) throw error
    return new InvalidProgram({
      equation: `kernel ${program.name}`,
      detail: detailOf(error),
      neighbours: printHeader(program)
    })
  }
}
