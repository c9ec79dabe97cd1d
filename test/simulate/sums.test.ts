/** Float sums whose order does not show: every partial sum, in any order, is a number of the dtype. */
import { describe, expect, it } from "vitest"
import * as DType from "../../src/DType.ts"
import { addTo, isExact, sumFrom } from "../../src/simulate/sums.ts"

const permutations = (of: ReadonlyArray<number>): ReadonlyArray<ReadonlyArray<number>> =>
  of.length <= 1
    ? [of]
    : of.flatMap((x, k) => permutations([...of.slice(0, k), ...of.slice(k + 1)]).map((rest) => [x, ...rest]))
const isSaid = (dtype: DType.Name, [first = 0, ...rest]: ReadonlyArray<number>): boolean =>
  isExact(rest.reduce(addTo, sumFrom(first)), dtype)
/** Whether all orders of adding, rounding after each step, give one number. */
const isTrue = (dtype: DType.Name, terms: ReadonlyArray<number>): boolean => {
  const round = DType.round(dtype)
  const sums = permutations(terms).map((p) => p.reduce((sum, x) => round(sum + x), 0))
  return sums.every((sum) => Object.is(sum, sums[0]) || sum === sums[0])
}

describe("sums of steps", () => {
  it.each([
    ["f32", [0.5, 0.25, 0.125, 2]],
    ["f32", [1, 2, 3, 4, 5]],
    ["f32", [2 ** 23, 1, -(2 ** 22)]],
    ["f16", [1, 0.5, 2]],
    ["f32", []],
    ["f32", [0, -0, 0]]
  ] as const)("of %s in every order: %j", (dtype, terms) => {
    expect(isSaid(dtype, terms)).toBe(true)
    expect(isTrue(dtype, terms)).toBe(true)
  })
  it.each([
    ["f32", [2 ** 24, 1, 1]],
    ["f32", [0.1, 1000, -1000]],
    ["f32", [1e8, 1, -1e8]],
    ["f16", [2048, 1, 1]]
  ] as const)("of %s depend on the order: %j", (dtype, terms) => {
    expect(isSaid(dtype, terms.map(Math.fround))).toBe(false)
    expect(isTrue(dtype, terms.map(Math.fround))).toBe(false)
  })
  it("are never said to be in order where they are not", () => {
    let state = 7
    const next = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0)
    for (let run = 0; run < 300; run++) {
      const terms = Array.from({ length: 4 }, () => Math.fround(((next() >>> 20) - 2048) * 2 ** ((next() >>> 28) - 8)))
      if (isSaid("f32", terms)) expect(isTrue("f32", terms), terms.join()).toBe(true)
    }
  })
  it("of infinities and NaN are the same in every order", () => {
    expect(isSaid("f32", [Infinity, 1, 2])).toBe(true)
    expect(isSaid("f32", [NaN, 1, Infinity, -Infinity])).toBe(true)
  })
})
