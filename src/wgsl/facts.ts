/** What is known about a program before it is lowered: where its values are defined and used, and what its refs undergo. */
import type { AccessRule, Carry, OperandAccess, Primitive, WgslRule } from "../ir/primitive.ts"
import {
  type Atom,
  type Eqn,
  isVar,
  type Program,
  type RefType,
  type Region,
  type Scratch,
  type Var
} from "../ir/program.ts"
import { mayRepeat } from "../ir/view.ts"
import { combinesOnLanding } from "../primitives/structural/copy.ts"
import { isWhole } from "../primitives/wgsl/address.ts"

export type Rule = Exclude<WgslRule, { readonly _tag: "Choose" }>
export interface Resolved {
  readonly primitive: Primitive
  readonly rule: Rule
}
/** An equation and where it stands: positions grow along the program, nested regions included. */
export interface Site extends Resolved {
  readonly eqn: Eqn
  readonly start: number
  /** Position after the equation and all inside it. */
  end: number
  /** Loops around it. */
  readonly depth: number
}
export interface Use {
  readonly site: Site
  readonly access: OperandAccess
  readonly position: number
  readonly depth: number
  /** The value must lie in memory that the workgroup sees. */
  readonly placed: boolean
}
export interface Definition {
  readonly variable: Var
  /** The equation that computes it; region parameters have none. */
  readonly site: Site | undefined
  readonly position: number
  readonly depth: number
}
export interface CarryFact extends Carry {
  readonly site: Site
  /** The variable that stands for all that share the place. */
  readonly head: Var
}
/** How a ref is used. */
export interface RefFact {
  written: boolean
  /** Program instances may change one element, in any order. */
  accumulated: boolean
  /** An atomic step reaches it through a view that may show an element twice. */
  contended: boolean
  /** Some view shows only part of it, or an invocation looks at elements that others own. */
  partial: boolean
  /** Some view shows its bits as another dtype. */
  recast: boolean
  used: boolean
}
const untouched: RefFact = {
  written: false,
  accumulated: false,
  contended: false,
  partial: false,
  recast: false,
  used: false
}
export interface Facts {
  readonly sites: ReadonlyArray<Site>
  readonly siteOf: ReadonlyMap<Eqn, Site>
  readonly definitions: ReadonlyMap<number, Definition>
  readonly uses: ReadonlyMap<number, ReadonlyArray<Use>>
  readonly carries: ReadonlyMap<number, CarryFact>
  readonly loops: ReadonlyArray<{ readonly start: number; readonly end: number }>
  readonly refs: ReadonlyMap<string, RefFact>
  /** Scratch with the positions between which it lives. */
  readonly scratch: ReadonlyArray<{ readonly ref: Scratch; readonly start: number; readonly end: number }>
  readonly avals: ReadonlyMap<string, RefType>
}

/** Gathers the facts in one walk. */
export const gatherFacts = (program: Program, workgroupSize: number, resolve: (eqn: Eqn) => Resolved): Facts => {
  const sites: Array<Site> = []
  const siteOf = new Map<Eqn, Site>()
  const definitions = new Map<number, Definition>()
  const uses = new Map<number, Array<Use>>()
  const carries = new Map<number, CarryFact>()
  const loops: Array<{ start: number; end: number }> = []
  const refs = new Map<string, RefFact>()
  const scratch: Array<{ ref: Scratch; start: number; end: number }> = []
  const avals = new Map<string, RefType>(program.refs.map((r) => [r.name, r]))
  let next = 0

  const define = (variable: Var, site: Site | undefined, position: number, depth: number): void => {
    definitions.set(variable.id, { variable, site, position, depth })
  }
  const use = (atom: Atom, u: Use): void => {
    if (!isVar(atom)) return
    const known = uses.get(atom.id)
    if (known === undefined) uses.set(atom.id, [u])
    else known.push(u)
  }
  const refFact = (name: string): RefFact => {
    let fact = refs.get(name)
    if (fact === undefined) refs.set(name, (fact = { ...untouched }))
    return fact
  }
  const noteRefs = ({ eqn, primitive, rule }: Site): void => {
    const reaches = (k: number): boolean => rule._tag === "Block" && rule.reaches?.(k) === true
    const writes = eqn.effects.some((e) => e._tag === "Write")
    const atomic =
      (writes && (primitive.family === "atomic" || primitive.family === "semaphore")) || combinesOnLanding(eqn)
    for (const e of eqn.effects) {
      if (!("ref" in e)) continue
      const fact = refFact(e.ref)
      fact.used = true
      if (e._tag !== "Read") fact.written = true
      if (e._tag === "Accum" || atomic) fact.accumulated = true
    }
    for (const [k, { name, view }] of eqn.refs.entries()) {
      if (atomic && mayRepeat(view)) refFact(name).contended = true
      if (view.some((t) => t._tag === "Bitcast")) refFact(name).recast = true
      if (reaches(k) || !isWhole(view, avals.get(name)!)) refFact(name).partial = true
    }
  }
  const operandUses = (site: Site, access: AccessRule, placed: boolean): void => {
    const { eqn } = site
    const from = [...eqn.operands, ...eqn.indices]
    from.forEach((atom, k) =>
      use(atom, { site, access: access(eqn, k, workgroupSize), position: site.start, depth: site.depth, placed })
    )
  }
  const carry = (site: Site): void => {
    if (site.rule._tag !== "Block" || site.rule.carries === undefined) return
    for (const c of site.rule.carries(site.eqn)) {
      const fact: CarryFact = { ...c, site, head: c.vars[0]! }
      for (const v of c.vars) carries.set(v.id, fact)
    }
  }
  const visit = (eqn: Eqn, depth: number): void => {
    const site: Site = { ...resolve(eqn), eqn, start: next++, end: 0, depth }
    sites.push(site)
    siteOf.set(eqn, site)
    const { rule } = site
    noteRefs(site)
    operandUses(site, accessOf(rule), rule._tag === "Block" && rule.placed === true)
    for (const r of eqn.results) define(r, site, site.start, depth)
    carry(site)
    if (rule._tag === "Block" && rule.carries !== undefined) {
      const inner = depth + (rule.loops === true ? 1 : 0)
      for (const region of eqn.regions) walk(region, inner, site)
    }
    site.end = next++
    if (rule._tag === "Block" && rule.loops === true) loops.push({ start: site.start, end: site.end })
  }
  const walk = (region: Region, depth: number, site: Site | undefined): void => {
    const start = site?.start ?? -1
    for (const ref of region.refs) avals.set(ref.name, ref)
    for (const p of region.params) define(p, undefined, start, depth)
    for (const eqn of region.eqns) visit(eqn, depth)
    const end = next++
    if (site !== undefined)
      for (const r of region.results) use(r, { site, access: "same", position: end, depth, placed: false })
    for (const ref of region.refs) scratch.push({ ref, start, end })
  }
  walk(program.body, 0, undefined)
  return { sites, siteOf, definitions, uses, carries, loops, refs, scratch, avals }
}

/** How a rule reads its operands. */
export const accessOf = (rule: Rule): AccessRule => (rule._tag === "Elementwise" ? () => "same" : rule.access)
