/** Another implementation reads the WGSL of generated kernels, gives the same values and sees the same races. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { print } from "../../src/ir/print.ts"
import { difference, expected, showDifference } from "../../src/verify/agree.ts"
import type { Case } from "../../src/verify/case.ts"
import type { Run } from "../support/lowered.ts"
import { emulatedAsIs, verdicts } from "../support/reflectRuns.ts"
import { samples } from "../verify/support.ts"

const count = 300
const options = { schedule: { workgroupSize: 4 } }
const cases = samples(count, { equations: 10, careful: true }, 20261202)
const runOf = (c: Case): Run => ({ name: String(c.seed), program: c.program, args: new Map() })

const seen = { values: 0, unfollowed: 0, barriers: 0, racing: 0, atomic: 0 }
/** What is wrong with a kernel; tells what has been compared. */
const compared = async (c: Case): Promise<string | undefined> => {
  const meant = await Effect.runPromise(expected(c))
  if (meant._tag !== "Expected") return `nothing can be expected: ${meant._tag}`
  const run = { ...runOf(c), args: meant.args }
  const { errors, logged, races, results } = emulatedAsIs(run, options)
  if (races.size + errors.length + logged.length > 0) return [...races, ...errors, ...logged].join("\n")
  const found = difference(meant.tracked, results)
  if (found !== undefined) return showDifference(found)
  seen.values++
  return differing(run)
}
/** Where the two disagree about what a barrier is for. */
const differing = (run: Run): string | undefined => {
  const found = verdicts(run, options)
  if (found === undefined) seen.unfollowed++
  for (const { atomic, number, ours, site, theirs } of found ?? []) {
    if (ours.join() !== theirs.join()) return `without barrier ${number}, at ${site.path}: ${theirs} and not ${ours}`
    seen.barriers++
    if (ours.length > 0) seen.racing++
    else if (atomic) seen.atomic++
  }
  return undefined
}

const size = 25
const chunks = Array.from({ length: count / size }, (_, k) => k * size)
describe("another interpreter of WGSL gives what Discharge gives, and sees the races that our checker sees", () => {
  it.each(chunks)("for generated kernels from %i", async (from) => {
    for (const c of cases.slice(from, from + size)) {
      const wrong = await compared(c)
      if (wrong !== undefined) expect.fail(`${wrong}\n// seed ${c.seed}\n${print(c.program)}`)
    }
  })
  it("with no kernel left out, and few of which only the values are compared", () => {
    expect(seen.values).toBe(count)
    // Our checker cannot follow blocks of inline text.
    expect(seen.unfollowed).toBeLessThanOrEqual(15)
    expect(seen.barriers).toBeGreaterThanOrEqual(140)
    expect(seen.racing).toBeGreaterThanOrEqual(80)
    // Only atomic memory races there, of which the other says nothing.
    expect(seen.atomic).toBeLessThanOrEqual(15)
  })
})
