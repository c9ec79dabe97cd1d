/** Where elements of scratch lie: a permutation of its cells, in tiles and with chunks exchanged as Hopper does. */
import { describe, expect, it } from "vitest"
import { checkPlacement, type Placement, placed, swizzlesOf } from "../../src/ir/placement.ts"
import * as Shape from "../../src/Shape.ts"
import { placeFunction } from "../../src/wgsl/placement.ts"
import { numbers, placements } from "./support.ts"

const positions = (shape: Shape.Shape, placement: Placement): ReadonlyArray<number> =>
  Array.from({ length: Shape.size(shape) }, (_, k) => placed(numbers, shape, placement, k))

describe("a placement", () => {
  it.each([[[8, 32]], [[16, 64]], [[3, 8, 32]], [[2, 3, 4, 16]], [[96]]])(
    "is a permutation of the cells of %j, for every tiling and swizzle that divides",
    (shape) => {
      const all = placements(shape)
      expect(all.length).toBeGreaterThan(3)
      for (const placement of all) {
        const cells = positions(shape, placement)
        expect([...cells].sort((a, b) => a - b)).toEqual(cells.map((_, k) => k))
      }
    }
  )
  it("lays tiles one after the other, each in row-major order", () => {
    expect(positions([4, 6], { tiling: [2, 3] })).toEqual(
      // prettier-ignore
      [
        0, 1, 2, 6, 7, 8,
        3, 4, 5, 9, 10, 11,
        12, 13, 14, 18, 19, 20,
        15, 16, 17, 21, 22, 23
      ]
    )
    expect(positions([2, 4], { tiling: [2] })).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
    expect(positions([2, 2, 4], { tiling: [2, 2] })).toEqual([0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15])
  })
  /** `Swizzle<B, 4, 3>` of CUTLASS, on bytes: bits 7… exclusive-or'ed into bits 4…. */
  const cutlass = (bits: number, byte: number): number => byte ^ ((byte & (((1 << bits) - 1) << 7)) >> 3)
  it.each([
    [32, 1],
    [64, 2],
    [128, 3]
  ])("of %d bytes exchanges chunks of 16 bytes as Swizzle<%d, 4, 3> does", (swizzle, bits) => {
    positions([32, 32], { swizzle }).forEach((cell, k) => expect(4 * cell).toBe(cutlass(bits, 4 * k)))
  })
  it("of 128 bytes spreads a column of chunks over all banks", () => {
    const cells = positions([8, 32], { swizzle: 128 })
    const banks = Array.from({ length: 8 }, (_, row) => cells[32 * row]! % 32)
    expect(new Set(banks).size).toBe(8)
  })
})

/** What the WGSL function of a memory computes, on whole numbers. */
const inWgsl = (shape: Shape.Shape, placement: Placement): ((k: number) => number) => {
  const memory = { space: "workgroup", dtype: "f32", length: 1, offset: 0, writable: true, atomic: false } as const
  const text = placeFunction({ ...memory, name: "s", placement: { ...placement, shape } })
  const body = text.split("\n").slice(1, -1).join("\n")
  const js = body
    .replace(/u32\(index\)/, "BigInt(index)")
    .replace(/\b(\d+)u\b/g, "$1n")
    .replace(/return i32/, "return Number")
  return new Function("index", js) as (k: number) => number
}
describe("the WGSL of a placement", () => {
  it.each([[[8, 32]], [[3, 4, 16]], [[1, 32]], [[96]]])("says the same, of every element of %j", (shape) => {
    for (const placement of placements(shape).filter((p) => Object.keys(p).length > 0))
      expect(positions(shape, placement).map((_, k) => inWgsl(shape, placement)(k))).toEqual(
        positions(shape, placement)
      )
  })
})

describe("a placement that does not fit", () => {
  const says = (shape: Shape.Shape, placement: unknown): string => {
    try {
      checkPlacement('scratch "s"', shape, placement as Placement)
      return "nothing"
    } catch (e) {
      return (e as Error & { detail: string }).detail
    }
  }
  it.each([
    [[8, 10], { tiling: [4, 4] }, 'axis 1 of scratch "s" has size 10, which tiles of 4 do not divide'],
    [[6, 8], { tiling: [4, 4] }, 'axis 0 of scratch "s" has size 6, which tiles of 4 do not divide'],
    [[8], { tiling: [2, 4] }, 'scratch "s" has 1 axes and a tiling of 2'],
    [[8, 8], { tiling: [0, 4] }, 'scratch "s" has the tiling 0,4'],
    [[8, 8], { tiling: [2.5] }, 'scratch "s" has the tiling 2.5'],
    [[8, 8], { tiling: 4 }, 'scratch "s" has the tiling 4'],
    [[8, 4], { swizzle: 32 }, 'scratch "s" has a swizzle of 32 bytes, which does not divide its rows of 16 bytes'],
    [[8, 24], { swizzle: 128 }, 'scratch "s" has a swizzle of 128 bytes, which does not divide its rows of 96 bytes'],
    [[8, 32], { tiling: [4, 16], swizzle: 128 }, "does not divide its rows of 64 bytes"],
    [[], { swizzle: 32 }, 'scratch "s" has a swizzle of 32 bytes, which does not divide its rows of 4 bytes'],
    [[8, 32], { swizzle: 16 }, 'scratch "s" has a swizzle of 16 bytes'],
    [[8, 32], { swizzle: "128" }, 'scratch "s" has a swizzle of 128 bytes']
  ])("%j %j", (shape, placement, message) => {
    expect(says(shape, placement)).toContain(message)
  })
  it("and no other", () => {
    for (const placement of placements([8, 32])) expect(says([8, 32], placement)).toBe("nothing")
    expect(swizzlesOf(32).every((swizzle) => says([0, 32], { swizzle }) === "nothing")).toBe(true)
  })
})
