/** The Simulator has nothing to say of programs in which nothing is wrong. */
import { Verify } from "effect-kernels/verify"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Counts, shares } from "./counts.ts"
import { isSilent } from "./simulator-laws.ts"
import { run } from "./support.ts"

const sample = (runs: number, options: Verify.ProgramOptions): ReadonlyArray<Verify.Case> =>
  fc.sample(Verify.programs({ careful: true, ...options }), { numRuns: runs, seed: 20261202 })

describe("The Simulator finds nothing in programs without a fault, and gives what Discharge gives, bit for bit", () => {
  it.each([
    ["120 programs at random", 120, {}],
    ["40 programs with threads", 40, { threads: 3 }]
  ] as const)("in %s, under three schedules", { timeout: 150_000 }, async (_, runs, options) => {
    // A smaller program may have a fault: failures are not shrunk.
    for (const c of sample(runs, options)) {
      const wrong = await run(isSilent(c))
      if (wrong !== undefined) expect.unreachable(`${wrong}\n${Verify.show(c)}`)
    }
  })
  it("of which enough have instances, threads, barriers, copies and products, and all primitives occur", () => {
    const cases = [...sample(500, {}), ...sample(150, { threads: 3 })]
    const counts = new Counts()
    for (const c of cases) counts.add(c)
    expect(counts.rare(1)).toEqual([])
    const percents = [...shares(cases).matchAll(/(\d+) %/g)].map(([, n]) => Number(n))
    expect(Math.min(...percents)).toBeGreaterThanOrEqual(5)
  })
})
