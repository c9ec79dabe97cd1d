/** Examines a program: runs it under several schedules, puts together what each finds, and makes each finding small. */
import { Effect } from "effect"
import type { Arguments } from "../discharge/evaluate.ts"
import type { KernelError, NotImplemented } from "../Errors.ts"
import type { Finding, Place } from "../Findings.ts"
import type { Program } from "../ir/program.ts"
import * as Shape from "../Shape.ts"
import { Ran, type Report, reportOn, sizesOf, withSmallest } from "./report.ts"
import { implemented, type Outcome, simulate } from "./run.ts"
import type { Flying, Options, Schedule } from "./settings.ts"
import { smallest } from "./smallest.ts"

export interface CheckOptions extends Omit<Options, "schedule" | "flying"> {
  /**
   * Schedules to run, each with when work in flight does what it does; in order and late, reversed and eager, and one at
   * random if absent. What is found does not depend on them, what the results are may.
   */
  readonly schedules?: ReadonlyArray<{ readonly schedule: Schedule; readonly flying: Flying }>
  /** Whether the smallest grid and shapes are looked for at which each finding persists; true if absent. */
  readonly smallest?: boolean
}
const usual: NonNullable<CheckOptions["schedules"]> = [
  { schedule: "inOrder", flying: "late" },
  { schedule: "reversed", flying: "eager" },
  { schedule: { seed: 1 }, flying: "random" }
]
const nameOf = ({ flying, schedule }: (typeof usual)[number]): string =>
  `${typeof schedule === "object" ? `seed ${schedule.seed}` : schedule === "inOrder" ? "in order" : schedule}, ${flying}`

// --- findings of several runs -------------------------------------------------------------------------------------------

const placesOf = (finding: Finding): ReadonlyArray<Place> =>
  [finding.first, "second" in finding ? finding.second : undefined].filter((p) => p !== undefined)
const keyOf = ({ primitive, source }: Place): string => source ?? primitive
/** Whether two findings tell of one cause: races, and what has two sides, by a side that they share. */
const isSame = (a: Finding, b: Finding): boolean => {
  if (a._tag !== b._tag || a.ref !== b.ref) return false
  const [mine, other] = [placesOf(a), placesOf(b)].map((places) => places.map(keyOf))
  return a._tag === "Stuck" || mine!.length + other!.length === 0 || mine!.some((key) => other!.includes(key))
}
/**
 * What several runs have found, each cause once.
 *
 * A race shows two of the equations that race; which two, is up to the run. Runs tell of the same race if any are the same.
 */
export const together = (outcomes: ReadonlyArray<Outcome>): ReadonlyArray<Finding> => {
  const all: Array<{ readonly finding: Finding; readonly racing: Set<number> }> = []
  for (const { findings, racing } of outcomes) {
    const before = [...all]
    for (const finding of findings) {
      const own = racing.get(finding) ?? new Set()
      const known = before.find(
        (k) => isSame(k.finding, finding) || (isAlike(k.finding, finding) && meet(k.racing, own))
      )
      if (known === undefined) all.push({ finding, racing: new Set(own) })
      else for (const n of own) known.racing.add(n)
    }
  }
  return all.map(({ finding }) => finding)
}
const isAlike = (a: Finding, b: Finding): boolean =>
  a._tag === "Race" && b._tag === "Race" && a.ref === b.ref && a.among === b.among
const meet = (a: ReadonlySet<number>, b: ReadonlySet<number>): boolean => [...a].some((n) => b.has(n))

/** Names of results that differ from one schedule to another. */
const unstable = (outcomes: ReadonlyArray<Outcome>): ReadonlyArray<string> => {
  const [first, ...rest] = outcomes.flatMap(({ results }) => results ?? [])
  const differs = ([name, host]: readonly [string, ArrayLike<number>]): boolean =>
    rest.some((other) => !Array.from(host).every((x, k) => Object.is(x, other.get(name)![k])))
  return [...(first ?? [])].filter(differs).map(([name]) => name)
}
const notesOf = (outcomes: ReadonlyArray<Outcome>, mistake: string | undefined): ReadonlyArray<string> => {
  const names = unstable(outcomes)
  const failure = outcomes.find((o) => o.failure !== undefined)?.failure
  return [
    ...(mistake === undefined ? [] : [`other interpreters refuse the kernel: ${mistake}`]),
    ...(failure === undefined ? [] : [`the run ends early: ${failure.reason.message}`]),
    ...(names.length === 0 ? [] : [`what ${names.join(", ")} holds in the end depends on the schedule`])
  ]
}

// --- smallest -----------------------------------------------------------------------------------------------------------

/** Elements that may be touched while smaller programs are tried. */
const patience = 2_000_000
const smaller = (
  program: Program,
  args: Arguments,
  options: Options,
  finding: Finding,
  all: ReadonlyArray<Finding>,
  accesses: number
): Effect.Effect<Finding> => {
  const persists = (p: Program, given: Arguments) =>
    Effect.match(simulate(p, given, options), {
      // It must be there, and nothing that the program did not have.
      onSuccess: ({ findings }) =>
        findings.some((f) => isSame(f, finding)) && findings.every((f) => all.some((known) => isSame(known, f))),
      onFailure: () => false
    })
  const tries = Math.min(100, Math.floor(patience / (accesses + 1)))
  return Effect.map(smallest({ program, args }, persists, { tries }), (found) =>
    found.program === program ? finding : withSmallest(finding, sizesOf(found.program))
  )
}

/**
 * Runs a program under each schedule and reports what was found. `mistake` is why other interpreters refuse it.
 *
 * Fails with `NotImplemented` at a primitive without a rule, with `InvalidArgument` where an argument does not fit.
 */
export const examine = Effect.fnUntraced(function* (
  program: Program,
  args: Arguments,
  options: CheckOptions = {},
  mistake?: string
): Generator<any, Report, any> {
  const { schedules = usual, smallest: isSmall = true, ...rest } = options
  yield* implemented(program)
  const outcomes: Array<Outcome> = []
  for (const how of schedules) outcomes.push(yield* simulate(program, args, { ...rest, ...how }))
  const findings: Array<Finding> = []
  const accesses = outcomes[0]?.accesses ?? 0
  const all = together(outcomes)
  for (const finding of all)
    findings.push(
      isSmall ? yield* smaller(program, args, { ...rest, ...schedules[0] }, finding, all, accesses) : finding
    )
  const ran = new Ran({
    schedules: schedules.map(nameOf),
    programs: Shape.size(program.grid.flatMap((axis) => (axis.semantics === "parallel" ? [axis.size] : []))),
    threads: program.threads ?? 1,
    accesses
  })
  return reportOn(program, ran, findings, notesOf(outcomes, mistake))
}) as (
  program: Program,
  args: Arguments,
  options?: CheckOptions,
  mistake?: string
) => Effect.Effect<Report, KernelError | NotImplemented>
