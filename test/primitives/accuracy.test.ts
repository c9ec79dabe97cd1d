import { describe, expect, it } from "vitest"
import { softwareDevice } from "../gpu/support.ts"
import { disagreements } from "./disagreements.ts"
import { use } from "./families.ts"
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
  const unaries = (names: ReadonlyArray<string>, xs: ReadonlyArray<number>) =>
    disagreements(
      names.map((name) => use(name, "f32")),
      names.map(() => [xs])
    )

  it("sin, cos and tan around multiples of π/2", async () => {
    expect(await run(unaries(["sin", "cos", "tan"], crossings))).toEqual([])
  })
  it("sin, cos and tan of every size of angle", async () => {
    expect(await run(unaries(["sin", "cos", "tan"], huge))).toEqual([])
  })
  it("logarithms and arcs near 1", async () => {
    expect(await run(unaries(["log", "log2", "acos", "asin"], nearOne))).toEqual([])
  })
  it("odd functions near 0", async () => {
    expect(await run(unaries(["sin", "tan", "asin", "atan", "sinh", "tanh", "erf"], small))).toEqual([])
  })
  it("exponentials up to the ends of their range", async () => {
    expect(await run(unaries(["exp", "exp2", "sinh", "cosh"], exponents))).toEqual([])
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
