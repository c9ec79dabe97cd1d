/** Collects findings: one item per cause, however often it is seen. */
import type { Memory } from "../../ir/lowered.ts"
import type { LoweredFinding, LoweredRace, LoweredReport, Site, Touch } from "./report.ts"

interface Counted {
  readonly finding: LoweredFinding
  readonly seen: Set<number>
}

export class Findings {
  private readonly found = new Map<string, Counted>()
  private readonly sites: Array<Site> = []

  /** Numbers sites, on from those there are; gives the first number. */
  enter(sites: ReadonlyArray<Site>): number {
    return this.sites.push(...sites) - sites.length
  }
  /** Notes one cause; what is seen twice under one `mark` counts once. */
  private note(key: string, mark: number, finding: () => LoweredFinding): void {
    const known = this.found.get(key)
    if (known === undefined) this.found.set(key, { finding: finding(), seen: new Set([mark]) })
    else known.seen.add(mark)
  }
  /** Sites of both are numbers; the pair has no order. */
  race(
    among: LoweredRace["among"],
    { name, space }: Memory,
    cell: number,
    mark: number,
    a: Omit<Touch, "site"> & { readonly site: number },
    b: Omit<Touch, "site"> & { readonly site: number }
  ): void {
    const [x, y] = a.site <= b.site ? [a, b] : [b, a]
    const at = (touch: typeof a): Touch => ({ ...touch, site: this.sites[touch.site]! })
    this.note(`race ${among} ${name} ${x.site} ${y.site}`, mark, () => ({
      _tag: "Race",
      among,
      memory: name,
      space,
      cell,
      first: at(x),
      second: at(y),
      count: 1
    }))
  }
  outOfBounds(memory: string, cell: number, mark: number, at: Omit<Touch, "site">, site: number): void {
    this.note(`bounds ${memory} ${site}`, mark, () => ({
      _tag: "OutOfBounds",
      memory,
      cell,
      at: { ...at, site: this.sites[site]! },
      count: 1
    }))
  }
  divergence(
    site: number,
    mark: number,
    workgroup: number,
    arrived: ReadonlyArray<number>,
    missing: ReadonlyArray<number>
  ): void {
    this.note(`divergence ${site}`, mark, () => ({
      _tag: "Divergence",
      site: this.sites[site]!,
      workgroup,
      arrived,
      missing,
      count: 1
    }))
  }
  endless(site: number, workgroup: number): void {
    this.note(`endless ${site}`, workgroup, () => ({ _tag: "Endless", site: this.sites[site]!, workgroup, count: 1 }))
  }
  report(): LoweredReport {
    return { findings: [...this.found.values()].map(({ finding, seen }) => ({ ...finding, count: seen.size })) }
  }
}
