/** Liveness: where each value is looked at for the last time, so that its storage can be written in place. */
import { type Atom, type Eqn, isVar, type Region, type Var } from "../ir/program.ts"

/** What ends with each equation of a region. */
export interface Ends {
  /** Per equation: ids of variables that nothing looks at afterwards. */
  readonly dies: ReadonlyArray<ReadonlySet<number>>
  /** Ids of parameters that nothing looks at. */
  readonly unused: ReadonlySet<number>
}

const ids = (atoms: ReadonlyArray<Atom>): ReadonlyArray<number> => atoms.filter(isVar).map((v) => v.id)

const freeOf = new WeakMap<Region, ReadonlySet<number>>()
/** Ids of the variables of enclosing regions that a region uses. */
export const freeVariables = (region: Region): ReadonlySet<number> => {
  const known = freeOf.get(region)
  if (known !== undefined) return known
  const free = new Set<number>()
  const bound = new Set<number>(region.params.map((p) => p.id))
  const use = (all: Iterable<number>) => {
    for (const id of all) if (!bound.has(id)) free.add(id)
  }
  for (const eqn of region.eqns) {
    use(uses(eqn))
    for (const r of eqn.results) bound.add(r.id)
  }
  use(ids(region.results))
  freeOf.set(region, free)
  return free
}

/** Ids of the variables that an equation uses, in its regions too. */
export const uses = (eqn: Eqn): ReadonlySet<number> =>
  new Set([...ids(eqn.operands), ...ids(eqn.indices), ...eqn.regions.flatMap((r) => [...freeVariables(r)])])

/**
 * What dies where in a region. Of the variables of enclosing regions only those in `borrowed` may die here: the region
 * runs once, and nothing looks at them after it.
 */
export const ends = (region: Region, borrowed: ReadonlySet<number>): Ends => {
  const own = new Set<number>([...borrowed, ...ids(region.params)])
  const bind = (vars: ReadonlyArray<Var>) => vars.forEach((v) => own.add(v.id))
  for (const eqn of region.eqns) bind(eqn.results)
  const live = new Set<number>(ids(region.results))
  const dies = new Array<ReadonlySet<number>>(region.eqns.length)
  for (let k = region.eqns.length - 1; k >= 0; k--) {
    const eqn = region.eqns[k]!
    const looked = [...uses(eqn), ...eqn.results.map((r) => r.id)]
    dies[k] = new Set(looked.filter((id) => own.has(id) && !live.has(id)))
    for (const id of looked) live.add(id)
  }
  return { dies, unused: new Set(ids(region.params).filter((id) => !live.has(id))) }
}
