/** Compares what an interpreter gives with what discharge gives, as closely as design §5 lets one ask for. */
import { Effect, References, Result } from "effect"
import { discharge } from "../discharge/discharge.ts"
import type { KernelError, NotImplemented } from "../Errors.ts"
import type { Arrays, Service } from "../Interpreter.ts"
import { elements } from "../ir/array.ts"
import type { Lookup } from "../ir/check.ts"
import type { Program } from "../ir/program.ts"
import { primitive } from "../primitives/index.ts"
import { argumentsOf, type Case } from "./case.ts"
import { type Tracked, track, type Unfit } from "./trust/track.ts"
import { exact, trustAt } from "./trust/trust.ts"

export interface Difference {
  readonly ref: string
  readonly index: number
  readonly expected: number
  readonly actual: number | undefined
  /** How far the two may be apart. */
  readonly within: number
}
export const showDifference = ({ actual, expected, index, ref, within }: Difference): string =>
  `${ref}[${index}] is ${actual}, expected ${expected}${within > 0 ? ` within ${within}` : ""}`

const isClose = (actual: number | undefined, expected: number, trust: number): boolean =>
  actual === expected || (Number.isNaN(actual) && Number.isNaN(expected)) || Math.abs(actual! - expected) <= trust

/** The first element that is not as it must be. */
export const difference = (tracked: Tracked, actual: Arrays): Difference | undefined => {
  for (const decl of tracked.refs) {
    const ref = decl.name
    const [wanted, found] = [tracked.results.get(ref), actual.get(ref)]
    if (wanted === undefined) continue
    const trust = tracked.trust.get(ref)
    const expected = elements(decl, wanted)
    const given = found && elements(decl, found)
    for (let index = 0; index < expected.length; index++) {
      const within = trustAt(trust, index)
      if (within < Infinity && !isClose(given?.[index], expected[index]!, within))
        return { ref, index, expected: expected[index]!, actual: given?.[index], within: Math.max(exact, within) }
    }
  }
  return undefined
}

/** What the case gives, by discharge. */
export interface Expected {
  readonly _tag: "Expected"
  readonly pure: Program
  readonly args: Arrays
  readonly tracked: Tracked
}
/** A case of which nothing can be expected. */
export interface Void {
  readonly _tag: "Void"
  readonly why: Unfit
}
/** A case whose run ends where an assertion of the program does not hold. */
export interface Failing {
  readonly _tag: "Failing"
  readonly args: Arrays
  readonly error: KernelError
}
const isAssertion = ({ reason }: KernelError): boolean =>
  reason._tag === "AssertionFailed" || reason._tag === "Deadlock"
export const expected = (
  c: Case,
  lookup: Lookup = primitive
): Effect.Effect<Expected | Failing | Void, KernelError | NotImplemented> =>
  Effect.gen(function* () {
    const pure = yield* discharge(c.program, { primitives: lookup })
    const args = argumentsOf(c)
    const tracked = yield* Effect.result(track(pure, args, lookup))
    if (Result.isFailure(tracked)) {
      const error = tracked.failure
      return isAssertion(error) ? { _tag: "Failing", args, error } : yield* Effect.fail(error)
    }
    const found = tracked.success
    return typeof found === "string" ? { _tag: "Void", why: found } : { _tag: "Expected", pure, args, tracked: found }
  })

/** Which assertion it is, and where; values that it shows may be rounded otherwise. */
const told = (error: KernelError | NotImplemented): string => {
  if (error._tag !== "KernelError") return error.message
  const { reason } = error
  return reason._tag === "AssertionFailed" || reason._tag === "Deadlock"
    ? `${reason._tag} in program [${reason.program.join(", ")}]: ${reason.detail}`
    : error.message
}
/** Runs without a word: programs at random print. */
export const silent = <A, E>(run: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.provideService(run, References.MinimumLogLevel, "None")
/** What is wrong with how a case ends on an interpreter that is to fail as discharge does. */
export const failsAlike = (
  subject: Service,
  { program }: Case,
  { args, error }: Failing
): Effect.Effect<string | undefined> =>
  Effect.match(
    Effect.flatMap(subject.compile(program), (compiled) => silent(compiled.run(args))),
    {
      onSuccess: () => `the run goes on, expected: ${told(error)}`,
      onFailure: (found) =>
        told(found) === told(error) ? undefined : `the run ends with: ${told(found)}, expected: ${told(error)}`
    }
  )

/** Runs the case on an interpreter. */
export const onInterpreter = (
  subject: Service,
  { program }: Case,
  { args, tracked }: Expected
): Effect.Effect<Difference | undefined, KernelError | NotImplemented> =>
  Effect.gen(function* () {
    const compiled = yield* subject.compile(program)
    return difference(tracked, yield* silent(compiled.run(args)))
  })
