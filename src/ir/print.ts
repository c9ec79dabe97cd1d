/**
 * The text form of programs: stable, readable, and complete, so that `parse(print(p))` is `p`.
 *
 * One equation is one line: results, primitive, parameters, refs with their views, operands, effects, then its regions.
 * Uses of variables show no type unless it differs from what the text has defined before.
 */
import { showAval, showLiteral, showName, showNumber, showRecord, showShape } from "./literal.ts"
import {
  type Atom,
  type Aval,
  type Eqn,
  type GridAxis,
  type InlineArg,
  type InlineDef,
  isVar,
  type Program,
  type RefDecl,
  type Region,
  type Scratch,
  showEffect,
  type Var
} from "./program.ts"
import type { View } from "./view.ts"
import { asView, showView, slotsOf } from "./viewText.ts"

/** Version of the text form and of the JSON form. */
export const formatVersion = 1

/** How much is printed, and what a reader of the text knows so far. */
interface Context {
  readonly positions: boolean
  /** Types of the variables that the text has defined; `undefined` for excerpts, whose reader knows all. */
  readonly defined: Map<number, Aval> | undefined
}

// --- equations ----------------------------------------------------------------------------------------------------------

const define = (ctx: Context, v: Var): string => {
  ctx.defined?.set(v.id, v)
  return `%${showNumber(v.id)}: ${showAval(v)}`
}
const isKnown = (ctx: Context, v: Var): boolean => {
  if (ctx.defined === undefined) return true
  const aval = ctx.defined.get(v.id)
  return aval !== undefined && showAval(aval) === showAval(v)
}
const showAtom = (ctx: Context, atom: Atom): string =>
  isVar(atom) ? `%${showNumber(atom.id)}${isKnown(ctx, atom) ? "" : `: ${showAval(atom)}`}` : showLiteral(atom)
const showAtoms = (ctx: Context, atoms: ReadonlyArray<Atom>): string =>
  atoms.map((atom) => showAtom(ctx, atom)).join(", ")

/** Whether the indices are exactly the variables that the views name, in the order in which they print. */
const areImplied = (ctx: Context, views: ReadonlyArray<View>, indices: ReadonlyArray<Atom>): boolean => {
  const slots = slotsOf(views)
  const ids = new Set(indices.map((atom) => (isVar(atom) && isKnown(ctx, atom) ? atom.id : undefined)))
  return (
    slots.length === indices.length &&
    slots.every((slot, k) => Object.is(slot, k)) &&
    ids.size === indices.length &&
    !ids.has(undefined)
  )
}

const showRefs = (ctx: Context, eqn: Eqn, view: View | undefined): ReadonlyArray<string> => {
  const views = [...(view === undefined ? [] : [view]), ...eqn.refs.map((ref) => ref.view)]
  const implied = areImplied(ctx, views, eqn.indices)
  const slot = (k: number) => (implied ? showAtom(ctx, eqn.indices[k]!) : `#${showNumber(k)}`)
  return [
    ...(view === undefined ? [] : [`&${showView(view, slot)}`]),
    ...eqn.refs.map((ref) => showName(ref.name) + showView(ref.view, slot)),
    ...(implied ? [] : [`#(${showAtoms(ctx, eqn.indices)})`])
  ]
}

const showParams = (eqn: Eqn, view: View | undefined): ReadonlyArray<string> => {
  const { view: _, ...rest } = eqn.params
  const params = view === undefined ? eqn.params : rest
  return Object.keys(params).length === 0 ? [] : [showRecord(params)]
}

const showSource = (ctx: Context, text: string | null | undefined): ReadonlyArray<string> =>
  ctx.positions && typeof text === "string" ? [`@${JSON.stringify(text)}`] : []

const showEqn = (ctx: Context, eqn: Eqn): string => {
  const view = asView(eqn.params["view"])
  const results = eqn.results.map((v) => define(ctx, v)).join(", ")
  return [
    ...(results === "" ? [] : [`${results} =`]),
    showName(eqn.primitive),
    ...showParams(eqn, view),
    ...showRefs(ctx, eqn, view),
    ...(eqn.operands.length === 0 ? [] : [`(${showAtoms(ctx, eqn.operands)})`]),
    ...(eqn.effects.length === 0 ? [] : [`! ${eqn.effects.map(quotedEffect).join(", ")}`]),
    ...showSource(ctx, ctx.positions ? eqn.source?.show() : undefined)
  ].join(" ")
}
const quotedEffect = (effect: Eqn["effects"][number]): string =>
  showEffect(
    "ref" in effect
      ? { ...effect, ref: showName(effect.ref) }
      : "name" in effect
        ? { ...effect, name: showName(effect.name) }
        : effect
  )

const excerpt: Context = { positions: false, defined: undefined }
/** One equation on one line, for messages; its regions are left out. */
export const printEqn = (eqn: Eqn): string => showEqn(excerpt, eqn) + " { … }".repeat(eqn.regions.length)

// --- regions ------------------------------------------------------------------------------------------------------------

const showRole = ({ role }: Scratch): string =>
  role === undefined ? "" : role.kind === "barrier" ? ` barrier(${showNumber(role.arrivals)})` : ` ${role.kind}`
const showPlacement = ({ swizzle, tiling }: Scratch): string =>
  (tiling === undefined ? "" : ` tiling${showShape(tiling)}`) +
  (swizzle === undefined ? "" : ` swizzle ${showNumber(swizzle)}`)
const showScratch = (s: Scratch): string =>
  `scratch ${showName(s.name)}: ${showAval(s)} ${s.space}${showRole(s)}${showPlacement(s)}`

/** Adds the lines of regions that follow `head` on its line. */
const addRegions = (
  ctx: Context,
  head: string,
  regions: ReadonlyArray<Region>,
  indent: string,
  lines: Array<string>
): void => {
  let open = head
  for (const region of regions) {
    const params = region.params.map((v) => define(ctx, v)).join(", ")
    lines.push(`${indent}${open} {${params === "" ? "" : ` (${params}) =>`}`)
    const inner = `${indent}  `
    for (const scratch of region.refs) lines.push(inner + showScratch(scratch))
    for (const eqn of region.eqns) addRegions(ctx, showEqn(ctx, eqn), eqn.regions, inner, lines)
    if (region.results.length > 0) lines.push(`${inner}yield ${showAtoms(ctx, region.results)}`)
    open = "}"
  }
  lines.push(indent + open)
}

// --- programs -----------------------------------------------------------------------------------------------------------

const showAxis = (axis: GridAxis): string =>
  showNumber(axis.size) + (axis.semantics === "parallel" ? "" : " sequential")
const showGrid = (grid: ReadonlyArray<GridAxis>): string => `grid [${grid.map(showAxis).join(", ")}]`

const showRef = (ref: RefDecl): string =>
  `${ref.scalar ? "scalar " : ""}${ref.access} ${showName(ref.name)}: ${showAval(ref)}`

const showInlineType = ({ dtype, shape }: Pick<InlineArg, "dtype" | "shape">): string =>
  shape === null ? dtype : showAval({ dtype, shape })
const showInlineArg = (arg: InlineArg): string =>
  `${arg.kind === "tile" ? "" : `${arg.kind} `}${showName(arg.name)}: ${showInlineType(arg)}`

/** Text as one quoted string per line, so that WGSL stays readable. */
const showLines = (text: string): ReadonlyArray<string> =>
  (text.match(/[^\n]*\n|[^\n]+/g) ?? [""]).map((line) => JSON.stringify(line))

const showInline = (ctx: Context, key: string, def: InlineDef): ReadonlyArray<string> => {
  const args = def.args.map(showInlineArg).join(", ")
  const results = def.results.map((r) => `${showName(r.name)}: ${showInlineType(r)}`).join(", ")
  const name = key === def.name ? showName(key) : `${showName(key)} = ${showName(def.name)}`
  const head = ["inline", name, def.grain, `(${args})`, "->", `(${results})`, ...showSource(ctx, def.source)].join(" ")
  return [head, ...showLines(def.wgsl).map((line) => `  ${line}`)]
}

/** The lines before the body. */
const header = (ctx: Context, program: Program): ReadonlyArray<string> => [
  `effect-kernels ${formatVersion}`,
  `kernel ${showName(program.name)}`,
  showGrid(program.grid),
  ...(program.threads === undefined ? [] : [`threads ${showNumber(program.threads)}`]),
  ...program.refs.map(showRef),
  ...(program.discharged.length === 0 ? [] : [`discharged ${program.discharged.map(showName).join(", ")}`]),
  ...Object.keys(program.inlines)
    .sort()
    .flatMap((key) => showInline(ctx, key, program.inlines[key]!))
]
/** The lines before the body, for messages. */
export const printHeader = (program: Program): string => header(excerpt, program).join("\n")

/**
 * The text form of a program; `parse` reads it back. Equal programs print alike.
 *
 * Without `positions`, where equations and inlines were written is left out (as in golden texts).
 */
export const print = (program: Program, options: { readonly positions?: boolean } = {}): string => {
  const ctx: Context = { positions: options.positions ?? false, defined: new Map() }
  const lines = [...header(ctx, program)]
  addRegions(ctx, "body", [program.body], "", lines)
  return `${lines.join("\n")}\n`
}
