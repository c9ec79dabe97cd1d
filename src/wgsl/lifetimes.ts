/** From where to where in a program each value must be kept. */
import type { Var } from "../ir/program.ts"
import type { Facts, Use } from "./facts.ts"
import type { Layouts } from "./layouts.ts"

export interface Lifetime {
  readonly start: number
  readonly end: number
}

/** Last position at which a variable is read, through the values that are computed where they are used. */
export const lifetimes = (facts: Facts, layouts: Layouts): ((variable: Var) => Lifetime) => {
  const last = new Map<number, number>()

  /** A value from before a loop that is read inside lives until the loop ends. */
  const extended = (defined: number, position: number): number =>
    facts.loops.reduce(
      (end, l) => (l.start > defined && l.start <= position && position <= l.end ? Math.max(end, l.end) : end),
      position
    )
  const lastOf = (defined: number, use: Use): number => {
    if (!layouts.isLive(use.site)) return -1
    const { eqn, rule } = use.site
    const reads =
      rule._tag !== "Block" && layouts.of(eqn.results[0]!) === "Lazy"
        ? (last.get(eqn.results[0]!.id) ?? -1)
        : use.position
    return extended(defined, reads)
  }
  const lastUse = (variable: Var): number => {
    const defined = facts.definitions.get(variable.id)!.position
    return (facts.uses.get(variable.id) ?? []).reduce((end, use) => Math.max(end, lastOf(defined, use)), defined)
  }
  for (const site of [...facts.sites].reverse()) for (const r of site.eqn.results) last.set(r.id, lastUse(r))

  return (variable) => {
    const carry = facts.carries.get(variable.id)
    if (carry === undefined) return { start: facts.definitions.get(variable.id)!.position, end: last.get(variable.id)! }
    const ends = carry.vars.map((v) => last.get(v.id) ?? lastUse(v))
    return { start: carry.site.start, end: Math.max(carry.site.end, ...ends) }
  }
}
