/** Programs as a fast-check arbitrary. Any program shrinks, whether this arbitrary made it or a file held it. */
import fc from "fast-check"
import { primitive } from "../primitives/index.ts"
import type { Case } from "./case.ts"
import { Draw } from "./generate/draw.ts"
import { program, type ProgramOptions } from "./generate/program.ts"
import { simpler } from "./shrink/shrink.ts"

const seeds = 2 ** 20
function* simplerCases({ program: p, seed }: Case): Generator<fc.Value<Case>> {
  for (const small of [0, 1, 2]) if (small < seed) yield new fc.Value({ program: p, seed: small }, undefined)
  for (const candidate of simpler(p, primitive)) yield new fc.Value({ program: candidate, seed }, undefined)
}

class CaseArbitrary extends fc.Arbitrary<Case> {
  private readonly options: ProgramOptions
  constructor(options: ProgramOptions) {
    super()
    this.options = options
  }
  override generate(random: fc.Random): fc.Value<Case> {
    const draw = new Draw(random)
    return new fc.Value({ program: program(draw, this.options), seed: draw.below(seeds) }, undefined)
  }
  override canShrinkWithoutContext(value: unknown): value is Case {
    return typeof value === "object" && value !== null && "program" in value && "seed" in value
  }
  override shrink(value: Case): fc.Stream<fc.Value<Case>> {
    return fc.stream(simplerCases(value))
  }
}

/** Well-typed programs without races, with arguments for them. */
export const cases = (options: ProgramOptions = {}): fc.Arbitrary<Case> => new CaseArbitrary(options)

/**
 * The simplest case found near a failing one: takes any simpler case that still fails, until there is none, or until
 * `tries` were looked at.
 */
export const minimise = async (failing: Case, fails: (c: Case) => Promise<boolean>, tries = 2000): Promise<Case> => {
  let found = failing
  for (let left = tries; left > 0;) {
    let next: Case | undefined
    for (const { value } of simplerCases(found)) {
      if (left-- <= 0) break
      if (!(await fails(value))) continue
      next = value
      break
    }
    if (next === undefined) return found
    found = next
  }
  return found
}
