import { describe, expect, it } from "vitest"
import { softwareDevice } from "../gpu/support.ts"
import { disagreements } from "./disagreements.ts"
import { record, use, uses } from "./families.ts"
import { source } from "./samples.ts"

const run = softwareDevice()

describe("functions are accurate where formulas lose digits", () => {
  const next = source(7)
  const unit = (): number => next() / 2 ** 32
  const many = (value: () => number): ReadonlyArray<number> => Array.from({ length: 4000 }, () => Math.fround(value()))
  /** The floats around each multiple of π/2: results near 0, and poles. */
  const crossings = many(() => Math.round(unit() ** 4 * 50_000) * (Math.PI / 2))
  const huge = many(() => (unit() - 0.5) * 2 ** (unit() * 128))
  const nearOne = many(() => 1 + (unit() - 0.5) * 2 ** (-20 * unit()))
  const small = many(() => (unit() - 0.5) * 2 ** (-60 * unit()))
  const exponents = many(() => (unit() - 0.5) * 178)
  const unaries = uses.filter((u) => u.dtype === "f32" && u.operands.length === 1 && record(u.name).family === "math")

  it.each([
    ["around multiples of π/2", crossings],
    ["of every size", huge],
    ["near 1", nearOne],
    ["near -1", nearOne.map((x) => -x)],
    ["near 0", small],
    ["up to the ends of the range of exponentials", exponents]
  ])("functions of one number: %s", async (_, xs) => {
    expect(
      await run(
        disagreements(
          unaries,
          unaries.map(() => [xs])
        )
      )
    ).toEqual([])
  })
  it("pow where the result is large and the base is near 1", async () => {
    const exponentsOfNearOne = nearOne.map((x) => Math.fround(((unit() - 0.5) * 170) / Math.log(x)))
    expect(await run(disagreements([use("pow", "f32")], [[nearOne, exponentsOfNearOne]]))).toEqual([])
  })
  it("rem where the quotient has hundreds of bits", async () => {
    const dividends = many(() => (unit() - 0.5) * 2 ** (unit() * 120))
    const divisors = many(() => (unit() - 0.5) * 2 ** (-100 * unit()))
    expect(await run(disagreements([use("rem", "f32")], [[dividends, divisors]]))).toEqual([])
  })
})
