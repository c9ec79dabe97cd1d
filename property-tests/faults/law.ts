/** The law of planted faults: what is planted is found, where it stands, and nothing else is, under every schedule. */
import { Effect } from "effect"
import { Verify } from "effect-kernels/verify"
import fc from "fast-check"
import type { Finding } from "../../src/Findings.ts"
import { together } from "../../src/simulate/check.ts"
import { Draw, seeded } from "../../src/verify/generate/draw.ts"
import { silently, type Verdict } from "../laws.ts"
import { nameOf, outcomes, placesOf, schedules, shownFinding } from "../simulator-laws.ts"
import type { Kind } from "./fault.ts"
import { flights } from "./flights.ts"
import { plant } from "./plant.ts"
import { races } from "./races.ts"
import { values } from "./values.ts"
import { waits } from "./waits.ts"
import type { Expected } from "./write.ts"

export const kinds: ReadonlyArray<Kind> = [...races, ...flights, ...waits, ...values]

const isExpected = (found: Finding, { more = {}, ref, sources, tag }: Expected): boolean =>
  found._tag === tag &&
  found.ref === ref &&
  placesOf(found)
    .map((p) => p.source)
    .sort()
    .join() === [...sources].sort().join() &&
  Object.entries(more).every(([field, value]) => JSON.stringify((found as any)[field]) === JSON.stringify(value))
const verdict = (findings: ReadonlyArray<Finding>, expected: Expected): string | undefined => {
  const [found] = findings
  if (findings.length === 1 && isExpected(found!, expected)) return undefined
  return `expected ${JSON.stringify(expected)}, found ${findings.map(shownFinding).join("\n  ") || "nothing"}`
}
/** One finding, the planted one: of each schedule, and of all together. */
const findsOnly = (c: Verify.Case, expected: Expected, kind: Kind): Verdict =>
  Effect.map(outcomes(c, kind.options), (all) => {
    for (const [k, { findings }] of all.entries()) {
      const wrong = verdict(findings, expected)
      if (wrong !== undefined) return `${nameOf(schedules[k]!)}: ${wrong}`
    }
    return verdict(together(all), expected)
  })

export interface Missed {
  readonly wrong: string
  readonly c: Verify.Case
}
/** Plants `count` faults of a kind, each in another program; gives those that were not found as they should be. */
export const plantAll = async (kind: Kind, count: number, seed: number): Promise<ReadonlyArray<Missed>> => {
  const missed: Array<Missed> = []
  const options = { careful: true, ...(kind.among === "threads" ? { threads: 3 } : {}) }
  let planted = 0
  for (let round = 0; planted < count; round++) {
    if (round > 200) throw new Error(`only ${planted} of ${count} programs suit "${kind.name}"`)
    for (const c of fc.sample(Verify.programs(options), { numRuns: count, seed: seed + round })) {
      if (planted === count) break
      const fault = await silently(plant(c, kind, new Draw(seeded(c.seed + planted))))
      if (fault === undefined) continue
      planted++
      const faulty = { program: fault.program, seed: c.seed }
      const wrong = await silently(findsOnly(faulty, fault.expected, kind))
      if (wrong !== undefined) missed.push({ wrong, c: faulty })
    }
  }
  return missed
}
