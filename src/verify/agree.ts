/** Compares what an interpreter gives with what discharge gives, as closely as design §5 lets one ask for. */
import { Effect } from "effect"
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
export const expected = (
  c: Case,
  lookup: Lookup = primitive
): Effect.Effect<Expected | Void, KernelError | NotImplemented> =>
  Effect.gen(function* () {
    const pure = yield* discharge(c.program, { primitives: lookup })
    const args = argumentsOf(c)
    const tracked = yield* track(pure, args, lookup)
    return typeof tracked === "string" ? { _tag: "Void", why: tracked } : { _tag: "Expected", pure, args, tracked }
  })

/** Runs the case on an interpreter. */
export const onInterpreter = (
  subject: Service,
  { program }: Case,
  { args, tracked }: Expected
): Effect.Effect<Difference | undefined, KernelError | NotImplemented> =>
  Effect.gen(function* () {
    const compiled = yield* subject.compile(program)
    return difference(tracked, yield* compiled.run(args))
  })
