/** Typing and effects of inline primitives: what their definitions declare. */
import { isStorage, widened } from "../../DType.ts"
import type { Draft, Scope } from "../../ir/primitive.ts"
import {
  type Aval,
  type Effect,
  type InlineArg,
  type InlineDef,
  joinEffects,
  read,
  type Region,
  regionEffects,
  showEffect,
  write
} from "../../ir/program.ts"
import { TypingError } from "../../ir/typing.ts"
import * as Shape from "../../Shape.ts"
import { checkNoScratch, checkSameTypes } from "./control.ts"
import * as P from "./params.ts"
import { checkedViewAval } from "./view.ts"

const definition = (eqn: Draft, scope: Pick<Scope, "inline">): InlineDef => scope.inline(P.text(eqn.params, "inline"))
const isTile = (arg: InlineArg): boolean => arg.kind === "tile"

const checkArg = (arg: InlineArg, actual: Aval): void => {
  if (actual.dtype !== arg.dtype)
    throw new TypingError(`argument "${arg.name}" is ${actual.dtype}`, `it is declared as ${arg.dtype}`)
  if (arg.shape !== null && !Shape.equals(actual.shape, arg.shape))
    throw new TypingError(
      `argument "${arg.name}" has shape ${Shape.show(actual.shape)}`,
      `it is declared as ${Shape.show(arg.shape)}`
    )
}
/** Fails where a tile is declared with a dtype that only memory has. */
export const checkTiles = (def: InlineDef): void => {
  for (const { dtype, name } of [...def.args.filter(isTile), ...def.results])
    if (isStorage(dtype))
      throw new TypingError(
        `"${name}" is declared as a tile of ${dtype}, which only refs have`,
        `use ${widened(dtype)}`
      )
}
const checkCount = (what: string, actual: number, expected: number): void => {
  if (actual !== expected) throw new TypingError(`takes ${expected} ${what}, got ${actual}`)
}

const commonShape = (operands: ReadonlyArray<Aval>): Shape.Shape => {
  let common: Shape.Shape = []
  for (const { shape } of operands) {
    if (shape.length === 0) continue
    if (common.length > 0 && !Shape.equals(common, shape))
      throw new TypingError(`operands of shapes ${Shape.show(common)} and ${Shape.show(shape)}`, "broadcast them")
    common = shape
  }
  return common
}

const resultTypes = (def: InlineDef, operands: ReadonlyArray<Aval>): ReadonlyArray<Aval> => {
  if (def.grain === "elementwise") return def.results.map((r) => P.result(r.dtype, commonShape(operands)))
  return def.results.map((r) => {
    if (r.shape === null)
      throw new TypingError(`result "${r.name}" has no shape`, "a block inline declares the shapes of its results")
    return P.result(r.dtype, r.shape)
  })
}

/** A rule may do to refs only what the definition declares. */
const checkRule = (eqn: Draft, rule: Region, declared: ReadonlyArray<Effect>, results: ReadonlyArray<Aval>): void => {
  checkNoScratch(rule)
  checkSameTypes("parameters of the rule", rule.params, eqn.operands)
  checkSameTypes("results of the rule", rule.results, results)
  const allowed = new Set(declared.map(showEffect))
  for (const e of regionEffects(rule)) {
    if (e._tag === "Debug")
      throw new TypingError("the rule prints or asserts", "do it around the call: the inline's WGSL does not")
    if (!("ref" in e)) continue
    const needs = e._tag === "Accum" ? [read(e.ref), write(e.ref)] : [e]
    if (needs.some((n) => !allowed.has(showEffect(n))))
      throw new TypingError(
        `the rule has the effect ${showEffect(e)}`,
        "declare that ref as an argument with this access"
      )
  }
}

const refEffects = (eqn: Draft, def: InlineDef): ReadonlyArray<Effect> => {
  const args = def.args.filter((arg) => !isTile(arg))
  return eqn.refs.flatMap((use, k) => {
    const kind = args[k]?.kind
    return [...(kind === "write" ? [] : [read(use.name)]), ...(kind === "read" ? [] : [write(use.name)])]
  })
}

export const inlineTyping = (eqn: Draft, scope: Scope): ReadonlyArray<Aval> => {
  const def = definition(eqn, scope)
  checkTiles(def)
  const tiles = def.args.filter(isTile)
  const refs = def.args.filter((arg) => !isTile(arg))
  if (def.grain === "elementwise" && refs.length > 0)
    throw new TypingError("an elementwise inline has ref arguments", "make it a block")
  checkCount("operands", eqn.operands.length, tiles.length)
  checkCount("refs", eqn.refs.length, refs.length)
  tiles.forEach((arg, k) => checkArg(def.grain === "elementwise" ? { ...arg, shape: null } : arg, eqn.operands[k]!))
  refs.forEach((arg, k) => {
    const use = eqn.refs[k]!
    checkArg(arg, checkedViewAval(use.view, scope.ref(use.name), eqn.indices))
  })
  const results = resultTypes(def, eqn.operands)
  if (eqn.regions.length > 1) throw new TypingError(`takes at most 1 rule, got ${eqn.regions.length}`)
  for (const rule of eqn.regions) checkRule(eqn, rule, refEffects(eqn, def), results)
  return results
}

/** The declared access to refs; without a rule also `Inline`, with one whatever else the rule does. */
export const inlineEffects = (eqn: Draft, scope: Pick<Scope, "inline">): ReadonlyArray<Effect> => {
  const def = definition(eqn, scope)
  const other: ReadonlyArray<Effect> =
    eqn.regions.length === 0
      ? [{ _tag: "Inline", name: def.name }]
      : eqn.regions.flatMap(regionEffects).filter((e) => !("ref" in e))
  return joinEffects([...refEffects(eqn, def), ...other])
}
