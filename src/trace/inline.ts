/** Inline WGSL, as the trace emits it: a definition, a call, and what it means if a discharge rule was given. */
import { Effect } from "effect"
import type { InlineArg, InlineDef, Region, Source } from "../ir/program.ts"
import { TypingError } from "../ir/typing.ts"
import { checkTiles } from "../primitives/structural/inline.ts"
import { Collector } from "./affine.ts"
import { AccessError, isMemRef, type MemRefImpl, use } from "./ref.ts"
import type { TraceState } from "./state.ts"
import * as Shape from "../Shape.ts"
import { apply, isTile, OperandError, operand, refuse, type TileImpl } from "./tile.ts"
import { control, runBody } from "./tracer.ts"

/** What an inline means: from its operands by name to its results by name (or the one result). */
export type Rule = (operands: { readonly [name: string]: TileImpl | MemRefImpl }) => unknown
export interface Definition extends InlineDef {
  readonly rule: Rule | undefined
  readonly position: Source
}
type Given = { readonly [name: string]: TileImpl | MemRefImpl }

/** The definition as data, registered with the program; a name stands for one definition. */
const register = (state: TraceState, def: Definition, source: Source): void => {
  const { name, grain, args, results, wgsl, position } = def
  const known = state.inlines.get(name)
  if (known === undefined)
    state.inlines.set(name, { name, grain, args, results, wgsl, source: position.show() ?? null })
  else if (
    JSON.stringify([known.grain, known.args, known.results, known.wgsl]) !==
    JSON.stringify([grain, args, results, wgsl])
  )
    refuse(def.name, source, `two different inlines are named "${name}"`, "give each its own name")
}

const tileOf = (def: Definition, arg: InlineArg, given: unknown, source: Source): TileImpl => {
  const tile = operand(def.name, given, arg.dtype, source)
  if (tile.dtype !== arg.dtype)
    refuse(def.name, source, `operand "${arg.name}" is ${tile.dtype}, not ${arg.dtype}`, "convert it")
  if (arg.shape !== null && !Shape.equals(arg.shape, tile.shape))
    refuse(def.name, source, `operand "${arg.name}" has shape ${Shape.show(tile.shape)}, not ${Shape.show(arg.shape)}`)
  return tile
}
const refOf = (def: Definition, arg: InlineArg, given: unknown, source: Source): MemRefImpl => {
  if (!isMemRef(given)) return refuse(def.name, source, `operand "${arg.name}" must be a ref`)
  if (arg.kind !== "read" && given.access === "in") throw new AccessError(given.name, source)
  if (given.dtype !== arg.dtype)
    refuse(def.name, source, `operand "${arg.name}" is a ref to ${given.dtype}, not ${arg.dtype}`)
  if (arg.shape !== null && !Shape.equals(arg.shape, given.shape))
    refuse(
      def.name,
      source,
      `operand "${arg.name}" shows shape ${Shape.show(given.shape)}, not ${Shape.show(arg.shape)}`
    )
  return given
}

/** The operands by name, checked; a single one may be given without its name. */
const operandsOf = (def: Definition, given: unknown, source: Source): Given => {
  const single = def.args.length === 1 && (isTile(given) || isMemRef(given) || typeof given === "number")
  const byName = (single ? { [def.args[0]!.name]: given } : given) as { readonly [name: string]: unknown }
  if (typeof byName !== "object" || byName === null || isTile(byName) || isMemRef(byName))
    return refuse(def.name, source, `takes operands ${def.args.map((a) => a.name).join(", ")}`, "give a record of them")
  for (const name of Object.keys(byName))
    if (!def.args.some((a) => a.name === name)) refuse(def.name, source, `has no operand "${name}"`)
  return Object.fromEntries(
    def.args.map((arg) => [
      arg.name,
      arg.kind === "tile" ? tileOf(def, arg, byName[arg.name], source) : refOf(def, arg, byName[arg.name], source)
    ])
  )
}
const stretched = (def: Definition, operands: Given): Given => {
  if (def.grain !== "elementwise") return operands
  const tiles = Object.values(operands) as ReadonlyArray<TileImpl>
  const shape = tiles.reduce<Shape.Shape | undefined>((s, t) => (s === undefined ? s : Shape.broadcast(s, t.shape)), [])
  if (shape === undefined)
    throw new TypingError(`operands of shapes ${tiles.map((t) => Shape.show(t.shape)).join(", ")} do not broadcast`)
  return Object.fromEntries(
    Object.entries(operands as { [name: string]: TileImpl }).map(([name, t]) => [
      name,
      t.shape.length === 0 || Shape.equals(t.shape, shape) ? t : apply("broadcast", [t], { shape })
    ])
  )
}

/** The results that a rule gives, by name or as the only one; `shapes` is what they must have. */
export const resultsOf = (
  def: InlineDef,
  value: unknown,
  shapes: ReadonlyArray<Shape.Shape | null>,
  source: Source | undefined
): ReadonlyArray<TileImpl> =>
  def.results.map((r, k) => {
    const given =
      isTile(value) && def.results.length === 1 ? value : (value as { [name: string]: unknown } | undefined)?.[r.name]
    if (!isTile(given)) return refuse(def.name, source, `its discharge rule gives no tile for result "${r.name}"`)
    const shape = shapes[k] ?? given.shape
    if (given.dtype !== r.dtype || !Shape.equals(given.shape, shape))
      refuse(
        def.name,
        source,
        `its discharge rule gives ${given.dtype}${Shape.show(given.shape)} for result "${r.name}"`,
        `give ${r.dtype}${Shape.show(shape)}`
      )
    return given
  })

/** Shapes that the results have, as far as they are known: declared, or elementwise that of all operands together. */
const shapesOf = (def: InlineDef, operands: Given): ReadonlyArray<Shape.Shape | null> => {
  const common = Object.values(operands).reduce<Shape.Shape>((s, t) => (t.shape.length > 0 ? t.shape : s), [])
  return def.results.map((r) => r.shape ?? (def.grain === "elementwise" ? common : null))
}

/** Traces what an inline means into a region over its tile operands. */
const traceRule = (
  state: TraceState,
  def: Definition,
  rule: Rule,
  operands: Given,
  source: Source
): Effect.Effect<Region, unknown, unknown> =>
  Effect.suspend(() => {
    const names = def.args.filter((a) => a.kind === "tile").map((a) => a.name)
    const block = state.open(
      names.map((n) => operands[n] as TileImpl),
      "scope"
    )
    const params = new Map(state.tiles(block).map((t, k) => [names[k]!, t]))
    const inside = Object.fromEntries(def.args.map((a) => [a.name, params.get(a.name) ?? operands[a.name]!]))
    return runBody(state, () => rule(inside)).pipe(
      Effect.map((value) => state.close(block, resultsOf(def, value, shapesOf(def, operands), source))),
      Effect.onError(() => Effect.sync(() => state.abandon(block)))
    )
  })

const emit = (
  state: TraceState,
  def: Definition,
  operands: Given,
  regions: ReadonlyArray<Region>,
  source: Source
): unknown => {
  const into = new Collector()
  const tiles = def.args.flatMap((a) => (a.kind === "tile" ? [operands[a.name] as TileImpl] : []))
  const refs = def.args.flatMap((a) =>
    a.kind === "tile" ? [] : [use(state, operands[a.name] as MemRefImpl, source, into).use]
  )
  const results = state.emit({
    primitive: "inline",
    params: { inline: def.name },
    operands: tiles,
    indices: into.tiles,
    refs,
    regions,
    source
  })
  return def.grain === "elementwise" ? results[0] : Object.fromEntries(def.results.map((r, k) => [r.name, results[k]]))
}

/** Calls an inline. */
export const call = (def: Definition, given: unknown) =>
  control(def.name, (state, source) =>
    Effect.suspend(() => {
      register(state, def, source)
      let operands: Given
      try {
        checkTiles(def)
        operands = stretched(def, operandsOf(def, given, source))
      } catch (e) {
        throw e instanceof TypingError ? new OperandError(def.name, e, source) : e
      }
      if (def.rule === undefined) return Effect.succeed(emit(state, def, operands, [], source))
      return Effect.map(traceRule(state, def, def.rule, operands, source), (region) =>
        emit(state, def, operands, [region], source)
      )
    })
  )
