/** What the Simulator promises of programs at random. */
import type { Verify } from "effect-kernels/verify"
import { Effect, Result } from "effect"
import type * as DType from "../src/DType.ts"
import { discharge } from "../src/discharge/discharge.ts"
import { evaluate } from "../src/discharge/evaluate.ts"
import { type KernelError, NotImplemented } from "../src/Errors.ts"
import type { Finding, Place } from "../src/Findings.ts"
import { type Atom, type Eqn, isVar, type Program, type Region } from "../src/ir/program.ts"
import { type Outcome, simulate } from "../src/simulate/run.ts"
import type { Options } from "../src/simulate/settings.ts"
import { argumentsOf } from "../src/verify/case.ts"
import type { Verdict } from "./laws.ts"

/** Schedules that are as unlike as can be. */
export const schedules: ReadonlyArray<Options> = [
  { schedule: "inOrder", flying: "late" },
  { schedule: "reversed", flying: "eager" },
  { schedule: { seed: 1 }, flying: "random" }
]
export const nameOf = ({ flying, schedule }: Options): string => `${JSON.stringify(schedule)}, ${flying}`
export const outcomes = (c: Verify.Case, more: Options = {}): Effect.Effect<ReadonlyArray<Outcome>, KernelError> =>
  Effect.forEach(schedules, (how) => simulate(c.program, argumentsOf(c), { ...how, ...more }))

const shownPlace = ({ by, equation, program, source, thread }: Place): string =>
  `${source ?? equation} by ${by} ${thread} of [${program.join(", ")}]`
export const shownFinding = (f: Finding): string =>
  `${f._tag} of ${f.ref}[${f.element.join(", ")}] (${f.count}): ${f.detail}: ${placesOf(f).map(shownPlace).join(" and ")}`
export const placesOf = (f: Finding): ReadonlyArray<Place> =>
  [f.first, "second" in f ? f.second : undefined].filter((p) => p !== undefined)

// --- results ------------------------------------------------------------------------------------------------------------

type Results = ReadonlyMap<string, DType.HostArray>
const bytes = (host: DType.HostArray): Uint8Array => new Uint8Array(host.buffer, host.byteOffset, host.byteLength)
/** The first ref whose bits differ. */
const unlike = (expected: Results, found: Results): string | undefined =>
  [...expected.keys()].find((name) => !Buffer.from(bytes(expected.get(name)!)).equals(bytes(found.get(name)!)))

/** What ends a run, as all interpreters tell it. */
const told = ({ reason }: KernelError): string => `${reason._tag}: ${reason.message}`
/** Of several instances that fail, the first to run ends the run: which that is hangs on the order. */
const asDischarged = (
  pure: Result.Result<Results, unknown>,
  { failure, results }: Outcome,
  isInOrder: boolean
): string | undefined => {
  if (Result.isFailure(pure)) {
    const expected = told(pure.failure as KernelError)
    const found = failure === undefined ? "the run goes on" : told(failure)
    const isAlike = isInOrder ? found === expected : failure !== undefined
    return isAlike ? undefined : `ends with ${found}, expected ${expected}`
  }
  if (results === undefined) return `the run has no end: ${failure === undefined ? "a finding" : told(failure)}`
  const name = unlike(pure.success, results)
  return name === undefined ? undefined : `${name} holds other bits than by Discharge`
}
const discharged = ({ program, seed }: Verify.Case) =>
  Effect.result(Effect.flatMap(discharge(program), (pure) => evaluate(pure, argumentsOf({ program, seed }))))

// --- laws ---------------------------------------------------------------------------------------------------------------

const first = (wrongs: ReadonlyArray<string | undefined>): string | undefined => wrongs.find((w) => w !== undefined)
const named = (k: number, wrong: string | undefined): string | undefined =>
  wrong === undefined ? undefined : `${nameOf(schedules[k]!)}: ${wrong}`

/** All schedules give one result, as other interpreters give it, where they run the program. */
const isDetermined = (c: Verify.Case, all: ReadonlyArray<Outcome>): Verdict =>
  Effect.map(discharged(c), (pure) => {
    if (c.program.threads === undefined)
      return first(all.map((outcome, k) => named(k, asDischarged(pure, outcome, k === 0))))
    if (!Result.isFailure(pure) || !(pure.failure instanceof NotImplemented)) return "Discharge runs several threads"
    const [one, ...others] = all
    const expected =
      one!.failure === undefined ? Result.succeed(one!.results ?? new Map<string, never>()) : Result.fail(one!.failure)
    return first(others.map((outcome, k) => named(k + 1, asDischarged(expected, outcome, false))))
  })

/** A careful program has no finding under any schedule, and gives what Discharge gives, bit for bit. */
export const isSilent = (c: Verify.Case): Verdict =>
  Effect.flatMap(outcomes(c), (all) => {
    const found = first(all.map(({ findings: [f] }, k) => named(k, f && shownFinding(f))))
    return found === undefined ? isDetermined(c, all) : Effect.succeed(found)
  })

const isOpen = ({ _tag }: Finding): boolean => ["Race", "OrderShows", "WrongThread"].includes(_tag)
/** A program whose results do not hang on an order gives what Discharge gives, bit for bit, or fails as it fails. */
export const simulatesAsDischarge = (c: Verify.Case): Verdict =>
  Effect.flatMap(outcomes(c), (all) =>
    all.some((o) => o.findings.some(isOpen)) ? Effect.undefined : isDetermined(c, all)
  )

// --- detection ----------------------------------------------------------------------------------------------------------

/** Values that hang on what memory holds. */
const fromMemory = (region: Region, known: Set<number>): void => {
  const isTold = (atom: Atom): boolean => isVar(atom) && known.has(atom.id)
  for (const eqn of region.eqns) {
    const inner = eqn.regions.length > 0
    if (inner && eqn.operands.some(isTold)) for (const r of eqn.regions) r.params.forEach((p) => known.add(p.id))
    // What a turn gives, the next one takes.
    for (let turn = 0; turn < (inner ? 2 : 0); turn++)
      for (const r of eqn.regions) {
        fromMemory(r, known)
        if (r.results.some(isTold)) for (const other of eqn.regions) other.params.forEach((p) => known.add(p.id))
      }
    const isOwn = !inner && eqn.effects.length > 0 && eqn.primitive !== "threadId"
    if (isOwn || [...eqn.operands, ...eqn.indices].some(isTold) || eqn.regions.some((r) => r.results.some(isTold)))
      for (const r of eqn.results) known.add(r.id)
  }
}
/** What decides where an equation goes or which elements it touches. */
const deciding = (eqn: Eqn): ReadonlyArray<Atom> => {
  const data = { store: 1, accumulate: 1, atomic: 1, swap: 1, copyWait: 1, load: 0, copyStart: 0, copyArrive: 0 }
  const masks = eqn.operands.slice((data as { [primitive: string]: number })[eqn.primitive] ?? 0)
  const decides = eqn.regions.length > 0 || eqn.primitive in data || eqn.primitive === "assert"
  return [...eqn.indices, ...(decides ? masks : []), ...(eqn.primitive === "while" ? eqn.regions[0]!.results : [])]
}
const decidesByMemory = ({ eqns }: Region, known: ReadonlySet<number>): boolean =>
  eqns.some(
    (eqn) =>
      deciding(eqn).some((atom) => isVar(atom) && known.has(atom.id)) ||
      eqn.regions.some((r) => decidesByMemory(r, known))
  )
/** Whether where a program goes and what it touches hangs on what memory holds. */
export const hangsOnMemory = ({ body }: Program): boolean => {
  const known = new Set<number>()
  fromMemory(body, known)
  return decidesByMemory(body, known)
}

/** Steps that nothing orders, and need not: any of them may come first to what nobody has written. */
const isOfSteps = (f: Finding): boolean => f._tag === "Uninitialised" && placesOf(f).some(isStep)
const isStep = ({ primitive: name }: Place): boolean =>
  ["accumulate", "atomic", "compareExchange", "copyWait"].includes(name)
/** What is found, without who happened to come first; races of one cause may be told by any pair of it. */
const causeOf = (f: Finding): string => {
  const kind = "among" in f ? f.among : "misuse" in f ? f.misuse : "origin" in f ? f.origin : ""
  const isAny = ["Race", "OrderShows", "Stuck"].includes(f._tag) || isOfSteps(f)
  const places = isAny ? [] : placesOf(f).map((p) => p.equation)
  return [f._tag, f.ref, kind, ...places.sort()].join(" ")
}
/** Findings of values, which hang on the order where a race does. */
const isOfValues = (f: Finding): boolean =>
  f._tag === "Uninitialised" || (f._tag === "OutOfBounds" && f.access === "read")
/** What is found does not hang on the schedule, unless the program's way does; nor, without a race, do values. */
export const findsTheSame = (c: Verify.Case): Verdict =>
  Effect.map(outcomes(c), (all) => {
    const isOrdered = !all.some((o) => o.findings.some(isOpen))
    if (!isOrdered && hangsOnMemory(c.program)) return undefined
    const causes = ({ findings }: Outcome): string =>
      [...new Set(findings.filter((f) => isOrdered || !isOfValues(f)).map(causeOf))].sort().join("\n")
    const [expected, ...others] = all.map(causes)
    return first(others.map((found, k) => named(k + 1, found === expected ? undefined : `${found} for ${expected}`)))
  })
