/**
 * Where each value lives.
 *
 * A value is worth a place if computing it again would cost more than a look at it: it is read in several places or at
 * several elements, and it is more than a few moves and cheap operations. Everything is decided here; the lowering obeys.
 */
import { type Effect, type Eqn, isVar, type Var } from "../ir/program.ts"
import type { Decided } from "../Schedule.ts"
import * as Shape from "../Shape.ts"
import type { Facts, Site, Use } from "./facts.ts"

/**
 * `Dead`: never looked at. `Splat`: one value that each invocation holds. `Lazy`: computed where it is used.
 * `Register`: each invocation holds the elements that it owns. `Shared`: in memory that the workgroup sees.
 */
export type Layout = "Dead" | "Splat" | "Lazy" | "Register" | "Shared"
export interface Layouts {
  readonly of: (variable: Var) => Layout
  /** Whether an equation does anything at all. */
  readonly isLive: (site: Site) => boolean
}

/** How a value is read, all in all, by what is computed and kept. */
interface Summary {
  /** Where it is read: nowhere, one place, or several. */
  readonly roots: 0 | 1 | 2
  readonly root: number
  /** Only where it stands. */
  readonly same: boolean
  /** Some element more than once in one place. */
  readonly many: boolean
  readonly placed: boolean
}
const unread: Summary = { roots: 0, root: -1, same: true, many: false, placed: false }
const join = (a: Summary, b: Summary): Summary => {
  if (a.roots === 0) return b
  if (b.roots === 0) return a
  const same = a.same && b.same
  return {
    roots: a.roots === 2 || b.roots === 2 || a.root !== b.root ? 2 : 1,
    root: a.root,
    same,
    many: a.many || b.many || !same,
    placed: a.placed || b.placed
  }
}

/** Weights up to this are computed again rather than kept. */
const cheap = 3
/** Chains of values that are computed where they are used are at most this long. */
const longestChain = 40
const weightOf = (site: Site): number =>
  site.rule._tag === "Elementwise"
    ? site.primitive.family === "math"
      ? 16
      : 1
    : site.rule._tag === "Element" && site.rule.costly
      ? 16
      : 0
const isFree = (site: Site): boolean => site.rule._tag === "Element" && site.rule.costly !== true

/** Whether an effect is nothing to anybody if the results are not looked at. */
const isIdle = ({ _tag }: Effect): boolean => _tag === "Read" || _tag === "Pipeline" || _tag === "Subgroup"

/** Reads a ref that something writes: the value is that of this moment. */
const isOfTheMoment = (facts: Facts, eqn: Eqn): boolean => eqn.refs.some((r) => facts.refs.get(r.name)!.written)

/** Costs of computing an element from what is kept, and how long the chain is; what must be kept has none. */
const costs = (
  facts: Facts
): { readonly weight: ReadonlyMap<number, number>; readonly forced: ReadonlySet<number> } => {
  const weight = new Map<number, number>()
  const chain = new Map<number, number>()
  const forced = new Set<number>()
  for (const site of facts.sites) {
    const { eqn, rule } = site
    if (rule._tag === "Block") continue
    const result = eqn.results[0]!
    let total = weightOf(site)
    let length = 1
    for (const o of [...eqn.operands, ...eqn.indices]) {
      if (!isVar(o) || Shape.size(o.shape) === 1) continue
      total = Math.min(1e6, total + (weight.get(o.id) ?? 0))
      length = Math.max(length, 1 + (chain.get(o.id) ?? 0))
    }
    if (isOfTheMoment(facts, eqn) || length > longestChain) forced.add(result.id)
    else {
      weight.set(result.id, total)
      chain.set(result.id, length)
    }
  }
  return { weight, forced }
}

export const layouts = (facts: Facts, schedule: Decided): Layouts => {
  const { forced, weight } = costs(facts)
  const layout = new Map<number, Layout>()
  const summaries = new Map<number, Summary>()
  const live = new Set<Site>()

  const contribution = (variable: Var, use: Use): Summary => {
    const { access, site } = use
    const deeper = use.depth > facts.definitions.get(variable.id)!.depth
    if (!live.has(site)) return unread
    if (site.rule._tag === "Block" || layout.get(site.eqn.results[0]!.id) !== "Lazy")
      return {
        roots: 1,
        root: use.position,
        same: access === "same",
        many: access === "many" || deeper,
        placed: use.placed
      }
    const on = summaries.get(site.eqn.results[0]!.id)!
    return { ...on, placed: false, same: on.same && access === "same", many: on.many || access === "many" || deeper }
  }
  const summarise = (variable: Var): Summary => {
    const all = (facts.uses.get(variable.id) ?? []).map((use) => contribution(variable, use))
    return all.reduce(join, unread)
  }
  let registers = 0
  const place = (size: number, same: boolean): Layout => {
    const words = Math.ceil(size / schedule.workgroupSize)
    if (!same || words > schedule.registerWords || registers + words > 1024) return "Shared"
    registers += words
    return "Register"
  }
  const choose = (site: Site, variable: Var): Layout => {
    const s = summarise(variable)
    summaries.set(variable.id, s)
    const size = Shape.size(variable.shape)
    const block = site.rule._tag === "Block" ? site.rule : undefined
    // Text that is written by hand stores its results, whether or not somebody looks at them.
    if (block?.placed === true) return "Shared"
    if (s.roots === 0) return "Dead"
    if (size === 0) return "Lazy"
    if (size === 1) return "Splat"
    if (block === undefined && !forced.has(variable.id) && !s.placed) {
      const again = s.roots === 2 || s.many
      if (isFree(site) || !again || weight.get(variable.id)! <= cheap) return "Lazy"
    }
    return place(size, s.same && !s.placed && block?.owned !== false)
  }
  const chooseCarries = (site: Site): void => {
    for (const fact of new Set(site.eqn.results.map((r) => facts.carries.get(r.id)!))) {
      const s = fact.vars.map(summarise).reduce(join, unread)
      const size = Shape.size(fact.head.shape)
      const chosen = size === 0 ? "Lazy" : size === 1 ? "Splat" : place(size, s.same && !s.placed)
      for (const v of fact.vars) layout.set(v.id, chosen)
    }
  }
  const isLive = (site: Site): boolean =>
    !site.eqn.effects.every(isIdle) || site.eqn.results.some((r) => summarise(r).roots > 0)

  const closing = [...facts.sites].map((site) => ({ site, at: site.end, closes: true }))
  const opening = facts.sites.map((site) => ({ site, at: site.start, closes: false }))
  const events = [...closing, ...opening].sort((a, b) => b.at - a.at)
  for (const { closes, site } of events) {
    const carries = site.rule._tag === "Block" && site.rule.carries !== undefined
    if (closes && isLive(site)) live.add(site)
    if (closes || !live.has(site)) continue
    if (carries) chooseCarries(site)
    else for (const r of site.eqn.results) layout.set(r.id, choose(site, r))
  }
  const of = (variable: Var): Layout =>
    layout.get(variable.id) ??
    (facts.definitions.get(variable.id)?.site === undefined && Shape.size(variable.shape) === 1 ? "Splat" : "Dead")
  return { of, isLive: (site) => live.has(site) }
}
