/** Distributions: exactly what their definition says of each word, and shaped as they should be. */
import { describe, expect, it } from "vitest"
import { f32, i32, MemRef, Random, u32 } from "../../src/index.ts"
import { called } from "../../src/random/arguments.ts"
import { between, normal } from "../../src/random/distributions.ts"
import { discharge, interpreters } from "../support/interpreters.ts"
import { mapping, onEach, results, single } from "../support/kernels.ts"
import * as Reference from "./reference.ts"

const key = Random.key(2024)
const words = (n: number) => Reference.words([0, 2024], n)

const mean = (xs: ArrayLike<number>, f = (x: number) => x) => Array.from(xs, f).reduce((a, b) => a + b, 0) / xs.length
/** Pearson's statistic of counts that should be equal. */
const chiSquare = (xs: ReadonlyArray<number>, bins: number) => {
  const counts = new Array<number>(bins).fill(0)
  for (const x of xs) counts[x]! += 1
  return (mean(counts, (c) => (c - xs.length / bins) ** 2) / (xs.length / bins)) * bins
}
const many = 16384
const sample = async (draw: () => any, dtype: any = f32) => {
  const kernel = single({ o: MemRef.out(dtype, [many]) }, function* ({ o }) {
    yield* MemRef.store(o, draw())
  })
  return Array.from((await results(kernel, {}))["o"]!)
}

describe("uniform", () => {
  it("is the upper 24 bits of the word as a fraction, on every interpreter", () =>
    onEach(
      single({ o: MemRef.out(f32, [40]) }, function* ({ o }) {
        yield* MemRef.store(o, Random.uniform(key, [40]))
      }),
      {},
      { o: words(40).map((w) => (w >>> 8) / 2 ** 24) }
    ))
  it("lies in [0, 1), with the mean, variance and frequencies of equal chances", async () => {
    const xs = await sample(() => Random.uniform(key, [many]))
    expect(xs.every((x) => x >= 0 && x < 1)).toBe(true)
    // five standard deviations of the mean of so many
    expect(Math.abs(mean(xs) - 1 / 2)).toBeLessThan(5 * Math.sqrt(1 / 12 / many))
    expect(Math.abs(mean(xs, (x) => (x - 1 / 2) ** 2) - 1 / 12)).toBeLessThan(5 * Math.sqrt(1 / 180 / many))
    // the quantile of 0.9999 with 63 degrees of freedom
    expect(
      chiSquare(
        xs.map((x) => Math.floor(x * 64)),
        64
      )
    ).toBeLessThan(113)
  })
  it("is stretched to bounds, given as numbers or as scalars", () =>
    onEach(
      single({ low: MemRef.scalar(f32), o: MemRef.out(f32, [2, 20]) }, function* ({ low, o }) {
        yield* MemRef.store(MemRef.at(o, [0]), Random.uniform(key, [20], { min: -8, max: 24 }))
        yield* MemRef.store(MemRef.at(o, [1]), Random.uniform(key, [20], { min: low }))
      }),
      { low: -3 },
      { o: [-8, -3].flatMap((low, i) => words(20).map((w) => low + ((w >>> 8) / 2 ** 24) * [32, 4][i]!)) },
      { within: 1e-6 }
    ))
  it("never is the upper bound, though the largest fraction would be rounded to it", () =>
    onEach(
      mapping(f32, f32, 2, (x) => between(called("uniform"), x, 1, 2) as any),
      { x: Float32Array.of(1 - 2 ** -24, 0.5) },
      { o: [1, 1.5] }
    ))
  it("is the lower bound where scalars are out of order", () =>
    onEach(
      single({ low: MemRef.scalar(f32), o: MemRef.out(f32, [3]) }, function* ({ low, o }) {
        yield* MemRef.store(o, Random.uniform(key, [3], { min: low, max: 1 }))
      }),
      { low: 5 },
      { o: [5, 5, 5] }
    ))
})

describe("normal", () => {
  const edges = [0, 1, 0xff, 0x100, 0x12345678, 0x3fffffff, 0x7fffff00, 0x7fffffff, 0x7f000000, 0x7fff0000]
  // where 1 - x², computed as it stands, would lose the most
  const cancelling = Array.from({ length: 40 }, (_, i) => 0x7fe00000 + i * 0x9d00)
  const all = [...edges, ...edges.map((w) => ~w >>> 0), ...cancelling, ...words(200)]
  const quantiles = mapping(u32, f32, all.length, (x) => normal(x) as any)
  it("is the normal quantile of the word, with a relative error below 2e-6, on every interpreter", async () => {
    for (const subject of interpreters) {
      const { o } = await results(quantiles, { x: Uint32Array.from(all) }, subject)
      const errors = all.map((w, i) => Math.abs(o![i]! / Reference.normal(w) - 1))
      expect(Math.max(...errors), subject.name).toBeLessThan(2e-6)
    }
  })
  it("is as symmetric as the words, and ends at 5.42", async () => {
    const { o } = await results(quantiles, { x: Uint32Array.from(all) })
    const signed = edges.map((_, i) => o![i]!)
    expect(edges.map((_, i) => -o![edges.length + i]!)).toEqual(signed)
    expect(Math.max(...signed)).toBeCloseTo(5.42, 2)
    expect(Math.max(...signed)).toBeLessThan(5.42)
  })
  it("draws the quantile of the element's word", () =>
    onEach(
      single({ o: MemRef.out(f32, [30]) }, function* ({ o }) {
        yield* MemRef.store(o, Random.normal(key, [30]))
      }),
      {},
      { o: words(30).map(Reference.normal) },
      { within: 2e-6, on: [discharge] }
    ))
  it("has the moments of the standard normal distribution", async () => {
    const xs = await sample(() => Random.normal(key, [many]))
    const moments = [1, 2, 3, 4].map((k) => mean(xs, (x) => x ** k))
    // variances of x, x², x³ and x⁴: 1, 2, 15 and 96
    for (const [k, variance] of [1, 2, 15, 96].entries())
      expect(Math.abs(moments[k]! - [0, 1, 0, 3][k]!), `moment ${k + 1}`).toBeLessThan(5 * Math.sqrt(variance / many))
  })
})

describe("randint", () => {
  const expected = (n: number, low: number, high: number) =>
    Array.from({ length: n }, (_, i) => {
      const [a, b] = Reference.threefry([0, 2024], [0, i])
      return low + Number((((BigInt(a) << 32n) | BigInt(b)) * BigInt(high - low)) >> 64n)
    })
  const bounds = [
    [0, 6],
    [-3, 4],
    [-(2 ** 31), 2 ** 31 - 1],
    [5, 6],
    [-7, 100_000]
  ] as const
  it("is the 64-bit fraction of both words times the span, on every interpreter", () =>
    onEach(
      single({ bounds: MemRef.in(i32, [bounds.length, 2]), o: MemRef.out(i32, [bounds.length, 12]) }, function* (r) {
        for (const i of bounds.keys()) {
          const [low, high] = [
            yield* MemRef.load(MemRef.at(r.bounds, [i, 0])),
            yield* MemRef.load(MemRef.at(r.bounds, [i, 1]))
          ]
          yield* MemRef.store(MemRef.at(r.o, [i]) as any, Random.randint(key, [12], low as any, high as any))
        }
      }),
      { bounds: Int32Array.from(bounds.flat()) },
      { o: bounds.flatMap(([low, high]) => expected(12, low, high)) }
    ))
  it("takes numbers as bounds, and a number beside a scalar", async () => {
    const kernel = single({ n: MemRef.scalar(i32), o: MemRef.out(i32, [2, 9]) }, function* ({ n, o }) {
      yield* MemRef.store(MemRef.at(o, [0]), Random.randint(key, [9], -2, 11))
      yield* MemRef.store(MemRef.at(o, [1]), Random.randint(key, [9], -2, n))
    })
    const { o } = await results(kernel, { n: 11 })
    expect(Array.from(o!)).toEqual([...expected(9, -2, 11), ...expected(9, -2, 11)])
  })
  it("is the lower bound where scalars leave nothing to draw", () =>
    onEach(
      single({ n: MemRef.scalar(i32), o: MemRef.out(i32, [2, 3]) }, function* ({ n, o }) {
        yield* MemRef.store(MemRef.at(o, [0]), Random.randint(key, [3], n, 5))
        yield* MemRef.store(MemRef.at(o, [1]), Random.randint(key, [3], n, -2))
      }),
      { n: 5 },
      { o: [5, 5, 5, 5, 5, 5] }
    ))
  it("has every value equally often", async () => {
    const xs = await sample(() => Random.randint(key, [many], -3, 4), i32)
    // the quantile of 0.9999 with 6 degrees of freedom
    expect(
      chiSquare(
        xs.map((x) => x + 3),
        7
      )
    ).toBeLessThan(27.9)
  })
})
