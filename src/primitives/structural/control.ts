/** Typing of primitives with regions. */
import type { Draft } from "../../ir/primitive.ts"
import { type Aval, type Effect, joinEffects, type Region, regionEffects } from "../../ir/program.ts"
import { TypingError } from "../../ir/typing.ts"
import { sameType, showType } from "../../ir/aval.ts"

/** The types without whatever else the values have. */
export const types = (of: ReadonlyArray<Aval>): ReadonlyArray<Aval> => of.map(({ dtype, shape }) => ({ dtype, shape }))

export const checkSameTypes = (what: string, actual: ReadonlyArray<Aval>, expected: ReadonlyArray<Aval>): void => {
  if (actual.length !== expected.length) throw new TypingError(`${actual.length} ${what}, expected ${expected.length}`)
  actual.forEach((a, k) => {
    if (!sameType(a, expected[k]!))
      throw new TypingError(
        `${what}: ${showType(a)} where ${showType(expected[k]!)} is expected`,
        "types cannot change here"
      )
  })
}

/** Checks that there are `count` regions, and nothing that only memory operations have. */
export const checkRegions = (eqn: Draft, count: number): void => {
  if (eqn.regions.length !== count) throw new TypingError(`takes ${count} regions, got ${eqn.regions.length}`)
  if (eqn.refs.length + eqn.indices.length > 0) throw new TypingError("takes no refs", "regions use refs directly")
}
export const checkNoScratch = (region: Region): void => {
  if (region.refs.length > 0) throw new TypingError("a region declares scratch", "only scoped can")
}

const isScalar = (a: Aval | undefined, dtype: "bool" | "i32"): boolean => a?.dtype === dtype && a.shape.length === 0
export const checkScalar = (what: string, a: Aval | undefined, dtype: "bool" | "i32"): void => {
  if (!isScalar(a, dtype))
    throw new TypingError(`the ${what} is ${a === undefined ? "missing" : showType(a)}`, `it must be a ${dtype} scalar`)
}

/** Effects of an equation are those of its regions. */
export const effectsOfRegions = (eqn: Draft): ReadonlyArray<Effect> => joinEffects(eqn.regions.flatMap(regionEffects))
