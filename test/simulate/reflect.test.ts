/** Another implementation reads the emitted WGSL of the examples, gives the same values and sees the same races. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { matmul } from "../../examples/matmul.ts"
import { examples } from "../../examples/support/all.ts"
import { difference } from "../../examples/support/example.ts"
import { discharge } from "../../src/discharge/discharge.ts"
import { evaluate } from "../../src/discharge/evaluate.ts"
import { argumentsOf } from "../../src/verify/case.ts"
import { exampleRuns, type Run, traced } from "../support/lowered.ts"
import { detect, type Detected } from "../support/reflect.ts"
import { emulatedAsIs, verdicts } from "../support/reflectRuns.ts"
import { type Fault, faults, refused, ways } from "../support/reflectFaults.ts"

// --- what is wrong with the other implementation ------------------------------------------------------------------------

/** The first words of `o`, and the names on which there is a race. */
const shown = (
  { way, wgsl }: Fault,
  { isAlone, kept }: { readonly isAlone: boolean; readonly kept: typeof ways },
  but?: Fault
) => {
  const [o, a] = [new Uint32Array(2), new Uint32Array(2)]
  const dispatch = (base: number, workgroups: number): Detected =>
    detect(wgsl, [o.buffer, a.buffer, { uniform: Uint32Array.of(base).buffer }], kept(but), workgroups)
  const isOne = way._tag === "Text" || way._tag === "Patch"
  const runs = isOne ? [dispatch(0, 1)] : isAlone ? [dispatch(0, 1), dispatch(1, 1)] : [dispatch(0, 2)]
  if (runs.some(({ logged }) => logged.length > 0)) return refused
  const races = new Set(runs.flatMap((run) => [...run.races]))
  return `${o.join(" ")}${races.size === 0 ? "" : `, race on ${[...races].join()}`}`
}
describe("what is known to be wrong with the other implementation", () => {
  it.each(faults.map((fault) => [fault.name, fault] as const))("is there: %s", (_, fault) => {
    expect(shown(fault, { isAlone: false, kept: ways }, fault)).toBe(fault.wrong)
  })
  it.each(faults.filter(({ way }) => way._tag !== "Unseen").map((fault) => [fault.name, fault] as const))(
    "is kept from its results: %s",
    (_, fault) => expect(shown(fault, { isAlone: true, kept: ways })).toBe(fault.right)
  )
})

// --- the examples -------------------------------------------------------------------------------------------------------

const options = { schedule: { workgroupSize: 8 } }
/** The same kernel on less, where the example would take it long. */
const small = async (): Promise<Run> => {
  const program = await traced(matmul(10, 9, 6, { m: 4, k: 4, n: 4 }))
  return { name: "matmul", program, args: argumentsOf({ program, seed: 1 }) }
}
const runs = (await exampleRuns()).filter(({ name }) => name !== "matmul").concat(await small())
const exampleOf = (run: Run) => examples.find(({ name }) => run.name.replace(/ \d+$/, "") === name)!
/** What Discharge gives; where it has no rule for an inline, what the example says. */
const expected = async (run: Run) => {
  const discharged = Effect.flatMap(discharge(run.program), (pure) => evaluate(pure, run.args))
  const results = await Effect.runPromise(Effect.option(discharged))
  return results._tag === "Some" ? results.value : new Map(Object.entries(exampleOf(run).expected))
}

describe.each(runs.map((run) => [run.name, run] as const))(
  "another interpreter of WGSL, on the example %s",
  (_, run) => {
    it("gives its results, sees no race, and understands all of it", async () => {
      const { errors, logged, races, results } = emulatedAsIs(run, options)
      expect([...races, ...errors, ...logged]).toEqual([])
      for (const [name, wanted] of await expected(run))
        expect(difference(results.get(name)!, wanted), name).toBeLessThanOrEqual(exampleOf(run).tolerance)
    })
    it("sees the races that our checker sees, without each barrier", () => {
      for (const { number, ours, site, theirs } of verdicts(run, options) ?? [])
        expect(theirs, `without barrier ${number}, at ${site.path}`).toEqual(ours)
    })
  }
)
