/** What users are promised of how programs shrink. */
import { Effect, Result } from "effect"
import { Verify } from "effect-kernels/verify"
import fc from "fast-check"
import { silently } from "../../property-tests/laws.ts"
import { describe, expect, it } from "vitest"
import { readCase } from "../../property-tests/support.ts"
import { evaluate } from "../../src/discharge/evaluate.ts"
import { check } from "../../src/ir/check.ts"
import { parse } from "../../src/ir/parse.ts"
import { equations, type Program } from "../../src/ir/program.ts"
import { primitive, primitives } from "../../src/primitives/index.ts"
import { difference, expected } from "../../src/verify/agree.ts"
import { cost, simpler } from "../../src/verify/shrink/shrink.ts"
import { evaluating, samples } from "./support.ts"

const has = (name: string) => (program: Program) => [...equations(program.body)].some((eqn) => eqn.primitive === name)
/** Whether a case shows that a primitive gives numbers that are 1 too large, or the other truth value. */
const failing = (name: string) => {
  const lookup = evaluating(primitive, (record, rule) =>
    record.name !== name
      ? undefined
      : (ctx, eqn, operands) =>
          rule(ctx, eqn, operands).map(({ data, dtype, shape }) => ({
            dtype,
            shape,
            data: data.map((x: number) => (dtype === "bool" ? 1 - x : x + 1))
          }))
  )
  return async (c: Verify.Case): Promise<boolean> => {
    const e = await Effect.runPromise(expected(c))
    if (e._tag !== "Expected") return false
    const found = await silently(evaluate(e.pure, e.args, { primitives: lookup }))
    return difference(e.tracked, found) !== undefined
  }
}
const size = ({ program }: Verify.Case): number => [...equations(program.body)].length

describe("what a program shrinks to", () => {
  it("is well typed and simpler", () => {
    for (const { program } of samples(12))
      for (const candidate of simpler(program, primitive)) {
        expect(check(candidate, primitive)).toBeUndefined()
        expect(cost(candidate)).toBeLessThan(cost(program))
      }
  })
  it("keeps what an inline means as its text does it", () => {
    const block = (program: Program) => Object.values(program.inlines).some((def) => def.grain === "block")
    for (const { program } of samples(150)
      .filter((c) => block(c.program))
      .slice(0, 8)) {
      const rules = (p: Program) =>
        [...equations(p.body)].flatMap((eqn) =>
          eqn.primitive === "inline" ? [`${eqn.params["inline"]}: ${eqn.regions[0]!.eqns.map((e) => e.primitive)}`] : []
        )
      const before = new Set(rules(program))
      for (const candidate of simpler(program, primitive))
        for (const rule of rules(candidate)) expect(before).toContain(rule)
    }
  })
  it.each(["sub", "mul", "select", "reduceSum", "dot", "cumsum", "take", "flip", "viewPut"])(
    "is small where %s gives something else than it should",
    async (name) => {
      const fails = failing(name)
      const few = primitives.filter((p) => [name, "convert", "add", "reshape"].includes(p.name))
      let found = 0
      for (const c of samples(120, { primitives: few })) {
        if (found === 3 || !(await fails(c))) continue
        found++
        const small = await Verify.minimise(c, fails)
        expect(size(small), Verify.show(small)).toBeLessThanOrEqual(4)
        expect(small.seed).toBeLessThanOrEqual(2)
      }
      expect(found).toBe(3)
    }
  )
})

describe("a failure that is stored as text", () => {
  const c = samples(300).find((one) => has("sub")(one.program) && size(one) > 12)!
  const stored = readCase(Verify.show(c))

  it("is the same case", () => {
    expect(stored).toEqual(c)
    expect(Result.getOrThrow(parse(Verify.show(c)))).toEqual(c.program)
  })
  const holds = ({ program }: Verify.Case) => !has("store")(program)
  it("shrinks in fast-check when it is given as an example", async () => {
    const run = fc.check(fc.property(Verify.programs(), holds), { examples: [[stored]], numRuns: 1, seed: 1 })
    expect(run.failed).toBe(true)
    expect(size(run.counterexample![0]!)).toBe(1)
  })
  it("is found again by fast-check's seed and path", () => {
    const property = fc.property(Verify.programs(), holds)
    const first = fc.check(property, { numRuns: 100, seed: 9 })
    expect(first.failed).toBe(true)
    const again = fc.check(property, { seed: 9, path: first.counterexamplePath!, endOnFailure: true })
    expect(Verify.show(again.counterexample![0])).toBe(Verify.show(first.counterexample![0]))
  })
})
