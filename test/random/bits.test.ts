/** Which word each element gets, and that it does not depend on how the array is cut into blocks. */
import { describe, expect, it } from "vitest"
import { Control, Kernel, MemRef, Random, type Tile, u32 } from "../../src/index.ts"
import { onEach, results, single } from "../support/kernels.ts"
import { words } from "./reference.ts"

const key = Random.key(1701)
const seed = [0, 1701]
const drawn = (shape: ReadonlyArray<number>, position?: Random.Position) =>
  single({ o: MemRef.out(u32, shape) }, function* ({ o }) {
    yield* MemRef.store(o, Random.bits(key, shape, position))
  })

/** An array in blocks of one axis or two; blocks at the edges may stick out. */
const vector = (n: number, block: number) =>
  Kernel.make(
    "vector",
    {
      grid: [Math.ceil(n / block)],
      refs: { o: MemRef.out(u32, [n], { block: [block], index: (i) => [i] }) }
    },
    function* ({ o }) {
      const i = yield* Control.programId(0)
      yield* MemRef.store(o, Random.bits(key, [block], { offset: i.mul(block) }))
    }
  )
const matrix = (rows: number, cols: number, [m, n]: readonly [number, number]) =>
  Kernel.make(
    "matrix",
    {
      grid: [Math.ceil(rows / m), Math.ceil(cols / n)],
      refs: { o: MemRef.out(u32, [rows, cols], { block: [m, n], index: (i, j) => [i, j] }) }
    },
    function* ({ o }) {
      const offset = [(yield* Control.programId(0)).mul(m), (yield* Control.programId(1)).mul(n)]
      yield* MemRef.store(o, Random.bits(key, [m, n], { offset, within: [rows, cols] }))
    }
  )

describe("the words of a tile", () => {
  it("are those of the row-major positions of its elements, on every interpreter", () =>
    onEach(drawn([3, 5]), {}, { o: words(seed, 15) }))
  it("exist for a scalar and for no element", async () => {
    expect((await results(drawn([]), {}))["o"]).toEqual(Uint32Array.from(words(seed, 1)))
    expect((await results(drawn([0, 4]), {}))["o"]).toEqual(new Uint32Array(0))
  })
  it("go on from an offset, and around after 2^32", async () => {
    const far = await results(drawn([4], { offset: 2 ** 32 - 2 }), {})
    expect(far["o"]).toEqual(Uint32Array.from(words(seed, 4, 2 ** 32 - 2)))
    const counted = await results(drawn([2, 2], { offset: 7 }), {})
    expect(counted["o"]).toEqual(Uint32Array.from(words(seed, 4, 7)))
  })
  it("of a block with whole rows need only its offset", async () => {
    const rows = await results(drawn([2, 3], { offset: [4, 0] }), {})
    expect(rows["o"]).toEqual(Uint32Array.from(words(seed, 6, 12)))
  })
  it("do not depend on how a vector is cut, on any interpreter", async () => {
    for (const block of [16, 5]) await onEach(vector(64, block), {}, { o: words(seed, 64) })
  })
  it("do not depend on how a matrix is cut, on any interpreter", async () => {
    for (const block of [
      [7, 9],
      [3, 4]
    ] as const)
      await onEach(matrix(7, 9, block), {}, { o: words(seed, 63) })
  })
  it("differ from key to key", async () => {
    const kernel = single({ o: MemRef.out(u32, [8, 4]) }, function* ({ o }) {
      for (const [i, one] of Random.split(key, 8).entries())
        yield* MemRef.store(MemRef.at(o, [i]) as any, Random.bits(one, [4]) as Tile.Any as any)
    })
    expect(new Set(Array.from((await results(kernel, {}))["o"]!)).size).toBe(32)
  })
})
