/** The ciphers and keys: words that others have published, on every interpreter. */
import { describe, expect, it } from "vitest"
import { Kernel, MemRef, Random, Tile, u32 } from "../../src/index.ts"
import { onEach, results, single } from "../support/kernels.ts"
import { threefry } from "./reference.ts"

/** Lines of Random123's `tests/kat_vectors`: counter, key, result; for zeros, ones, and digits of pi. */
const published = (...lines: ReadonlyArray<string>) =>
  lines.map((line) => line.split(/\s+/).map((word) => Number.parseInt(word, 16)))
const threefryVectors = published(
  "00000000 00000000 00000000 00000000 6b200159 99ba4efe",
  "ffffffff ffffffff ffffffff ffffffff 1cb996fc bb002be7",
  "243f6a88 85a308d3 13198a2e 03707344 c4923a9c 483df7a0"
)
const philoxVectors = published(
  "00000000 00000000 00000000 00000000 00000000 00000000 6627e8d5 e169c58d bc57ac4c 9b00dbd8",
  "ffffffff ffffffff ffffffff ffffffff ffffffff ffffffff 408f276d 41c83b0e a20bc7c6 6d5451fd",
  "243f6a88 85a308d3 13198a2e 03707344 a4093822 299f31d0 d16cfe09 94fdcceb 5001e420 24126ea1"
)

/** One program instance a vector; the words come from memory, so that no compiler knows them. */
const cipher = (count: number, apply: (key: Random.Key, counter: any) => ReadonlyArray<Tile.Scalar<"u32">>) =>
  Kernel.make(
    "cipher",
    {
      grid: [3],
      refs: {
        v: MemRef.in(u32, [3, count + 2], { block: [null, count + 2], index: (i) => [i, 0] }),
        o: MemRef.out(u32, [3, count], { block: [null, count], index: (i) => [i, 0] })
      }
    },
    function* ({ v, o }) {
      const given: Array<Tile.Scalar<"u32">> = []
      for (let k = 0; k < count + 2; k++) given.push((yield* MemRef.load(MemRef.at(v, [k]))) as any)
      const out = apply([given[count]!, given[count + 1]!], given.slice(0, count))
      for (const [k, word] of out.entries()) yield* MemRef.store(MemRef.at(o, [k]), word as any)
    }
  ) as unknown as Kernel.Any

const checkVectors = (kernel: Kernel.Any, vectors: ReadonlyArray<ReadonlyArray<number>>, given: number) =>
  onEach(
    kernel,
    { v: Uint32Array.from(vectors.flatMap((line) => line.slice(0, given))) },
    { o: vectors.flatMap((line) => line.slice(given)) }
  )

describe("the ciphers", () => {
  it("threefry2x32 with 20 rounds gives the published words on every interpreter", () =>
    checkVectors(cipher(2, Random.threefry2x32), threefryVectors, 4))
  it("philox4x32 with 10 rounds gives the published words on every interpreter", () =>
    checkVectors(cipher(4, Random.philox4x32), philoxVectors, 6))
  it("take counter words whose shapes broadcast", async () => {
    const kernel = single({ o: MemRef.out(u32, [2, 3]) }, function* ({ o }) {
      const counter = [Tile.iota(u32, [2, 1]), Tile.iota(u32, [1, 3], 1)] as const
      yield* MemRef.store(o, Random.threefry2x32(Random.key(9), counter)[1])
    })
    const expected = [0, 1].flatMap((i) => [0, 1, 2].map((j) => threefry([0, 9], [i, j])[1]))
    expect((await results(kernel, {}))["o"]).toEqual(Uint32Array.from(expected))
  })
})

/** Stores the words of keys, one key a row. */
const wordsOf = (count: number, keys: (seed: Tile.Scalar<"u32">) => ReadonlyArray<Random.Key>) =>
  single({ seed: MemRef.scalar(u32), o: MemRef.out(u32, [count, 2]) }, function* ({ o, seed }) {
    for (const [i, key] of keys(seed).entries())
      for (const [j, word] of key.entries()) yield* MemRef.store(MemRef.at(o, [i, j]) as any, word)
  })

describe("keys", () => {
  it("of a seed are its upper and lower 32 bits", () =>
    onEach(
      wordsOf(4, (seed) => [Random.key(0), Random.key(2 ** 32 - 1), Random.key(2 ** 53 - 1), Random.key(seed)]),
      { seed: 77 },
      { o: [0, 0, 0, 0xffffffff, 0x1fffff, 0xffffffff, 0, 77] }
    ))
  it("take scalars of i32 by their bits", async () => {
    const kernel = wordsOf(2, (seed) => {
      const negative = Tile.sub(0, Tile.add(seed, 1)).bitcast(u32)
      return [Random.key(negative), Random.foldIn(Random.key(0), negative)]
    })
    expect((await results(kernel, { seed: 0 }))["o"]).toEqual(
      Uint32Array.of(0, 0xffffffff, ...threefry([0, 0], [0, 0xffffffff]))
    )
  })
  it("fold in a number as jax.random.fold_in does", () =>
    onEach(
      wordsOf(2, (seed) => [Random.foldIn(Random.key(0), 4), Random.foldIn(Random.key(0), seed)]),
      { seed: 4 },
      { o: [2285895361, 433833334, 2285895361, 433833334] }
    ))
  it("split into as many as are asked for, two if left out, each with its number folded in", async () => {
    const kernel = wordsOf(7, (seed) => [...Random.split(Random.key(seed)), ...Random.split(Random.key(seed), 5)])
    const row = (i: number) => threefry([0, 72], [0, i])
    const expected = [0, 1, 0, 1, 2, 3, 4].flatMap(row)
    expect((await results(kernel, { seed: 72 }))["o"]).toEqual(Uint32Array.from(expected))
    expect(new Set([0, 1, 2, 3, 4].map((i) => row(i).join())).size).toBe(5)
  })
})
