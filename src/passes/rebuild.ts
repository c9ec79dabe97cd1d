/**
 * Makes a program anew with some equations changed: types and effects are worked out again.
 *
 * So an edit need not be right; what does not type is no candidate.
 */
import type { Lookup } from "../ir/check.ts"
import {
  type Atom,
  type Aval,
  type Eqn,
  equations,
  isPure,
  isVar,
  literal,
  type Program,
  type RefDecl,
  type Region,
  type Scratch
} from "../ir/program.ts"
import { renumber, type View } from "../ir/view.ts"
import { asView, slotsOf, toParam } from "../ir/viewText.ts"
import { attempt, Builder } from "../ir/build.ts"

/** What becomes of an equation; atoms are those of the old program. */
export type Edit =
  | { readonly _tag: "Keep" }
  /** Its results are zeros. */
  | { readonly _tag: "Drop" }
  | { readonly _tag: "Replace"; readonly by: ReadonlyArray<Atom> }
  | { readonly _tag: "Change"; readonly to: Eqn }
  /** The equations of a region stand in its place, its parameters replaced. */
  | { readonly _tag: "Splice"; readonly region: Region; readonly args: ReadonlyArray<Atom> }
export const keep: Edit = { _tag: "Keep" }

export interface Edits {
  readonly eqn?: (eqn: Eqn) => Edit
  readonly grid?: Program["grid"]
  /** 0 for a program that declares none. */
  readonly threads?: number
  readonly refs?: ReadonlyArray<RefDecl>
  readonly scratch?: (ref: Scratch) => Scratch
  /** Writes more equations into a region of the old program, before its equation of this number or at its end. */
  readonly before?: (region: Region, position: number, builder: Builder) => void
  /** More scratch for a region of the old program. */
  readonly more?: (region: Region) => ReadonlyArray<Scratch>
}

const paramTypes = (eqn: Eqn, operands: ReadonlyArray<Atom>): ReadonlyArray<Aval> => {
  if (eqn.primitive === "fori") return [operands[0]!, ...operands.slice(2)]
  return operands
}

class Rebuilder {
  private readonly env = new Map<number, Atom>()
  readonly builder: Builder
  private readonly edits: Edits
  constructor(builder: Builder, edits: Edits) {
    this.builder = builder
    this.edits = edits
  }
  private atom(atom: Atom): Atom {
    return isVar(atom) ? this.env.get(atom.id)! : atom
  }
  private bind(vars: ReadonlyArray<{ readonly id: number }>, atoms: ReadonlyArray<Atom>): void {
    vars.forEach((v, k) => this.env.set(v.id, atoms[k]!))
  }

  readonly region = (region: Region, params: ReadonlyArray<Aval>, more: ReadonlyArray<Scratch> = []): Region =>
    this.builder.region(
      params,
      (vars) => {
        this.bind(region.params, vars)
        region.eqns.forEach((eqn, k) => {
          this.edits.before?.(region, k, this.builder)
          this.eqn(eqn)
        })
        this.edits.before?.(region, region.eqns.length, this.builder)
        return region.results.map((atom) => this.atom(atom))
      },
      [...[...region.refs, ...more].map(this.edits.scratch ?? ((ref) => ref)), ...(this.edits.more?.(region) ?? [])]
    )

  private eqn(eqn: Eqn): void {
    const edit = this.edits.eqn?.(eqn) ?? keep
    if (edit._tag === "Drop")
      this.bind(
        eqn.results,
        eqn.results.map((r) => this.zero(r))
      )
    else if (edit._tag === "Replace")
      this.bind(
        eqn.results,
        edit.by.map((atom) => this.atom(atom))
      )
    else if (edit._tag === "Splice") this.splice(eqn, edit.region, edit.args)
    else this.emit(edit._tag === "Change" ? edit.to : eqn)
  }
  private zero({ dtype, shape }: Aval): Atom {
    const zero = literal(dtype, 0)
    return shape.length === 0 ? zero : this.builder.op("full", [zero], { shape })
  }
  private splice(eqn: Eqn, region: Region, args: ReadonlyArray<Atom>): void {
    this.bind(
      region.params,
      args.map((atom) => this.atom(atom))
    )
    for (const inner of region.eqns) this.eqn(inner)
    this.bind(
      eqn.results,
      region.results.map((atom) => this.atom(atom))
    )
  }
  private emit(eqn: Eqn): void {
    const operands = eqn.operands.map((atom) => this.atom(atom))
    const regions = eqn.regions.map((region) =>
      this.region(region, region.params.length === 0 ? [] : paramTypes(eqn, operands))
    )
    const { indices, params, refs } = compact(eqn)
    const draft = { params, refs, indices: indices.map((atom) => this.atom(atom)), regions }
    const results = this.builder.emit(eqn.primitive, operands, draft, eqn.source)
    // A swap that became a store gives nothing any more.
    this.bind(
      eqn.results,
      eqn.results.map((r, k) => results[k] ?? this.zero(r))
    )
  }
}

/** The equation without the indices that its views do not use. */
const compact = (eqn: Eqn): Pick<Eqn, "params" | "refs" | "indices"> => {
  const view = asView(eqn.params["view"])
  const slots = slotsOf(view === undefined ? eqn.refs.map((use) => use.view) : [view])
  if (slots.length === eqn.indices.length) return eqn
  const to = (index: number): number => slots.indexOf(index)
  const renumbered = (v: View): View => v.map((t) => renumber(t, to))
  return {
    params: view === undefined ? eqn.params : { ...eqn.params, view: toParam(renumbered(view)) },
    refs: eqn.refs.map((use) => ({ ...use, view: renumbered(use.view) })),
    indices: slots.map((slot) => eqn.indices[slot]!)
  }
}

/** A region without equations that do nothing; `live` are the variables that something else uses, and grows. */
const withoutDead = (region: Region, live: Set<number>): Region => {
  const use = (atoms: ReadonlyArray<Atom>) => atoms.forEach((atom) => isVar(atom) && live.add(atom.id))
  use(region.results)
  const eqns: Array<Eqn> = []
  for (const eqn of region.eqns.toReversed()) {
    if (isPure(eqn) && !eqn.results.some((r) => live.has(r.id))) continue
    use(eqn.operands)
    use(eqn.indices)
    eqns.push({ ...eqn, regions: eqn.regions.map((r) => withoutDead(r, live)) })
  }
  return { ...region, eqns: eqns.toReversed() }
}

/** Scratch of scopes that are spliced away becomes the kernel's. */
const freed = (program: Program, edits: Edits): ReadonlyArray<Scratch> =>
  [...equations(program.body)].flatMap((eqn) => {
    const edit = edits.eqn?.(eqn) ?? keep
    return edit._tag === "Splice" ? edit.region.refs : []
  })

const referred = (body: Region): ReadonlySet<string> =>
  new Set([...equations(body)].flatMap((eqn) => (eqn.primitive === "inline" ? [String(eqn.params["inline"])] : [])))

/** The program with the edits, all of its equations with their sources; `undefined` where that has no types. */
export const remake = (program: Program, edits: Edits, lookup: Lookup): Program | undefined =>
  attempt(() => {
    const grid = edits.grid ?? program.grid
    const refs = edits.refs ?? program.refs
    const builder = new Builder(lookup, grid.length)
    Object.assign(builder.inlines, program.inlines)
    for (const ref of refs) builder.declare(ref)
    const body = new Rebuilder(builder, edits).region(program.body, [], freed(program, edits))
    const { threads: before = 0, ...rest } = program
    const threads = edits.threads ?? before
    return { ...rest, grid, ...(threads === 0 ? {} : { threads }), refs, body }
  })

/** As `remake`, and dead equations go. */
export const rebuild = (program: Program, edits: Edits, lookup: Lookup): Program | undefined => {
  const remade = remake(program, edits, lookup)
  if (remade === undefined) return undefined
  const body = withoutDead(remade.body, new Set())
  const used = referred(body)
  const inlines = Object.fromEntries(Object.entries(program.inlines).filter(([name]) => used.has(name)))
  return { ...remade, body, inlines }
}
