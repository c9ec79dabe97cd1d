/**
 * Leaves out of loops what they carry and never change.
 *
 * A copy in flight is carried with all that says where it lands, because nobody knows before the body is traced what of
 * it differs from turn to turn; afterwards what stays the same is put back in place.
 */
import { type Atom, isVar, type Region } from "../ir/program.ts"

const same = (a: Atom, b: Atom): boolean =>
  isVar(a) ? isVar(b) && a.id === b.id : !isVar(b) && a.dtype === b.dtype && Object.is(a.value, b.value)

const replaced = (region: Region, by: ReadonlyMap<number, Atom>): Region => {
  const swap = (atom: Atom): Atom => (isVar(atom) ? (by.get(atom.id) ?? atom) : atom)
  return {
    ...region,
    eqns: region.eqns.map((eqn) => ({
      ...eqn,
      operands: eqn.operands.map(swap),
      indices: eqn.indices.map(swap),
      regions: eqn.regions.map((inner) => replaced(inner, by))
    })),
    results: region.results.map(swap)
  }
}

export interface Loop {
  /** What is carried in. */
  readonly init: ReadonlyArray<Atom>
  /** The body last; carries are the last parameters of each. */
  readonly regions: ReadonlyArray<Region>
}
/** Which carries, of those that `may`, never change, and the regions without them. */
export const withoutSteady = (
  { init, regions }: Loop,
  may: ReadonlyArray<boolean>
): { readonly steady: ReadonlyArray<boolean>; readonly regions: ReadonlyArray<Region> } => {
  const body = regions.at(-1)!
  const paramOf = (region: Region, k: number) => region.params[region.params.length - init.length + k]!
  const steady = init.map((from, k) => {
    const last = body.results[k]!
    return may[k]! && (same(last, paramOf(body, k)) || same(last, from))
  })
  if (!steady.includes(true)) return { steady, regions }
  const cut = (region: Region): Region => {
    const gone = new Map(init.flatMap((from, k) => (steady[k] ? [[paramOf(region, k).id, from] as const] : [])))
    const results = region === body ? region.results.filter((_, k) => !steady[k]) : region.results
    const params = region.params.filter((v) => !gone.has(v.id))
    return replaced({ ...region, params, results }, gone)
  }
  return { steady, regions: regions.map(cut) }
}
