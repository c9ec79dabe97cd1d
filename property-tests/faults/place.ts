/** Where a fault is planted: a region that is run, and positions in it. */
import { Effect } from "effect"
import type { Verify } from "effect-kernels/verify"
import type { Builder } from "../../src/ir/build.ts"
import { isVar, equations, type Eqn, literal, type Program, type Region } from "../../src/ir/program.ts"
import { remake } from "../../src/passes/rebuild.ts"
import { primitive } from "../../src/primitives/index.ts"
import { simulate } from "../../src/simulate/run.ts"
import { argumentsOf } from "../../src/verify/case.ts"
import type { Draw } from "../../src/verify/generate/draw.ts"
import { instanceNumber } from "./write.ts"

export interface Place {
  readonly region: Region
  /** Before which equations of the region the parts stand, first to last. */
  readonly positions: ReadonlyArray<number>
  /** Whether scratch can live as long as the region. */
  readonly holds: boolean
}
export const cellsAlong = ({ grid }: Program, semantics: "parallel" | "sequential"): number =>
  grid.reduce((n, axis) => (axis.semantics === semantics ? n * axis.size : n), 1)

/** Regions of which one can say that they are run whenever what holds them is. */
const isSure = ({ operands, primitive: name }: Eqn): boolean => {
  const [lo, hi] = operands
  const isFixed = lo !== undefined && hi !== undefined && !isVar(lo) && !isVar(hi)
  return name === "scoped" || (name === "fori" && isFixed && lo.value < hi.value)
}
interface Candidate extends Pick<Place, "region" | "holds"> {
  readonly isSure: boolean
}
function* candidates(region: Region, sure: boolean): Generator<Candidate> {
  for (const eqn of region.eqns)
    // An inline's rule says what its text means.
    for (const inner of eqn.primitive === "inline" ? [] : eqn.regions) {
      const isRun = sure && isSure(eqn)
      yield { region: inner, holds: eqn.primitive === "scoped", isSure: isRun }
      yield* candidates(inner, isRun)
    }
}

/** Whether a program instance, or any one, comes to the place. */
const comesTo = (c: Verify.Case, { positions, region }: Place, instance?: number): Effect.Effect<boolean, unknown> =>
  Effect.gen(function* () {
    const before = (at: Region, position: number, builder: Builder): void => {
      if (at !== region || position !== positions[0]) return
      const holds =
        instance === undefined
          ? literal("bool", 0)
          : builder.op("ne", [instanceNumber(c.program, builder), literal("i32", instance)])
      builder.emit("assert", [holds], { params: { kind: "assertion", detail: "come" } })
    }
    const probe = remake(c.program, { before }, primitive)!
    const { failure } = yield* simulate(probe, argumentsOf(c))
    return failure?.reason._tag === "AssertionFailed" && failure.reason.detail === "come"
  })

export interface Wanted {
  readonly parts: number
  /** Parts stand in one place. */
  readonly together: boolean
  readonly hasScratch: boolean
  /** All threads of an instance come to it together. */
  readonly collective: boolean
  readonly atEnd: boolean
  readonly instances: ReadonlyArray<number>
}
/** A place; nothing where none was found in a few tries. */
export const choose = (c: Verify.Case, draw: Draw, wanted: Wanted): Effect.Effect<Place | undefined, unknown> =>
  Effect.gen(function* () {
    const { body } = c.program
    // Scratch of the kernel outlives a cell of the sequential axes.
    const top: Candidate = { region: body, holds: cellsAlong(c.program, "sequential") === 1, isSure: true }
    const nested = wanted.collective || wanted.atEnd ? [] : [...candidates(body, true)]
    for (let tries = 0; tries < 6; tries++) {
      const { holds, isSure: sure, region } = nested.length > 0 && draw.chance(0.7) ? draw.of(nested) : top
      const isApart = !wanted.together && (holds || !wanted.hasScratch) && draw.chance(0.6)
      const one = wanted.atEnd ? region.eqns.length : draw.between(0, region.eqns.length)
      const positions = Array.from({ length: wanted.parts }, () =>
        isApart && !wanted.atEnd ? draw.between(0, region.eqns.length) : one
      ).sort((a, b) => a - b)
      const place: Place = { region, positions, holds: isApart }
      if (sure) return place
      const all = wanted.instances.length === 0 ? [undefined] : wanted.instances
      const come = yield* Effect.forEach(all, (instance) => comesTo(c, place, instance))
      if (come.every((comes) => comes)) return place
    }
    return undefined
  })
export const has = ({ body }: Program, which: (primitive: string) => boolean): boolean =>
  [...equations(body)].some((eqn) => which(eqn.primitive))
