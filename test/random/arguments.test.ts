/** Wrong arguments: a TypeMismatch by the name that was called, at the line that called it. */
import { describe, expect, it } from "vitest"
import { bf16, f16, f32, i32, MemRef, Random, Tile, u32 } from "../../src/index.ts"
import { kernelError, pointedAt, single } from "../support/kernels.ts"

const key = Random.key(1)
const R = Random as any
const word = Tile.of(u32, 0)
const cases: ReadonlyArray<readonly [what: string, call: () => unknown, name: string, says: string]> = [
  ["a negative seed", () => R.key(-1), "key", "the seed is -1; give a whole number from 0 to 2^53 - 1"],
  ["a fraction as seed", () => R.key(0.5), "key", "the seed is 0.5"],
  ["a seed too large", () => R.key(2 ** 53), "key", "the seed is 9007199254740992"],
  ["a tile as seed", () => R.key(Tile.zeros(u32, [2])), "key", "the seed is Tile<u32, [2]>"],
  ["a float as seed", () => R.key(Tile.of(f32, 1)), "key", "the seed is Tile<f32, []>"],
  ["a number as key", () => R.bits(7, [2]), "bits", "7 is not a key; make one with Random.key"],
  ["no key", () => R.uniform(undefined, [2]), "uniform", "undefined is not a key"],
  ["a key of one word", () => R.normal([word], [2]), "normal", "[Tile<u32, []>] is not a key"],
  ["a key of i32", () => R.split([Tile.of(i32, 0), word]), "split", "is not a key"],
  ["a key of tiles", () => R.foldIn([word, Tile.zeros(u32, [2])], 1), "foldIn", "is not a key"],
  ["a fraction folded in", () => R.foldIn(key, 1.5), "foldIn", "the data is 1.5; give a whole number"],
  ["a negative number folded in", () => R.foldIn(key, -1), "foldIn", "the data is -1"],
  ["no keys", () => R.split(key, 0), "split", "the number of keys is 0"],
  ["half a key", () => R.split(key, 1.5), "split", "the number of keys is 1.5"],
  ["one counter word", () => R.threefry2x32(key, [word]), "threefry2x32", "give a list of 2 u32 tiles"],
  ["numbers as counter", () => R.threefry2x32(key, [0, 1]), "threefry2x32", "the counter is [0, 1]"],
  [
    "counter words of i32",
    () => R.philox4x32(key, [word, word, word, Tile.of(i32, 0)]),
    "philox4x32",
    "give a list of 4 u32 tiles"
  ],
  [
    "counter words that do not broadcast",
    () => R.threefry2x32(key, [Tile.zeros(u32, [2]), Tile.zeros(u32, [3])]),
    "threefry2x32",
    "counter words of shapes [2] and [3] do not broadcast"
  ],
  ["a number as shape", () => R.bits(key, 4), "bits", "4 is not a shape"],
  ["a negative size", () => R.normal(key, [2, -1]), "normal", "[2, -1] is not a shape"],
  ["an offset too many", () => R.bits(key, [4], { offset: [1, 2] }), "bits", "2 offsets for a tile of rank 1"],
  ["a negative offset", () => R.bits(key, [4], { offset: -4 }), "bits", "the offset is -4"],
  ["a float offset", () => R.bits(key, [4], { offset: [Tile.of(f32, 0)] }), "bits", "the offset along axis 0 is Tile"],
  ["another rank within", () => R.bits(key, [4], { within: [4, 4] }), "bits", "shape [4] stands within [4, 4]"],
  ["bounds out of order", () => R.uniform(key, [4], { min: 2, max: 1 }), "uniform", "the bounds are 2 and 1"],
  ["an infinite bound", () => R.uniform(key, [4], { max: Infinity }), "uniform", "a bound is Infinity"],
  ["bounds too far apart", () => R.uniform(key, [4], { min: -3e38, max: 3e38 }), "uniform", "finite difference"],
  ["an i32 bound", () => R.uniform(key, [4], { min: Tile.of(i32, 0) }), "uniform", "a bound is Tile<i32, []>"],
  ["nothing to draw", () => R.randint(key, [4], 3, 3), "randint", "nothing lies from 3 up to but not including 3"],
  ["a fraction as bound", () => R.randint(key, [4], 0.5, 3), "randint", "0.5 is not a value of i32"],
  ["a bound too large", () => R.randint(key, [4], 0, 2 ** 31), "randint", "2147483648 is not a value of i32"],
  ["a u32 bound", () => R.randint(key, [4], 0, word), "randint", "a bound is Tile<u32, []>"],
  ["f16 to be rounded", () => R.stochasticRound(Tile.of(f16, 1), key, f16), "stochasticRound", "give an f32 tile"],
  ["rounding to f32", () => R.stochasticRound(Tile.of(f32, 1), key, f32), "stochasticRound", "f32 is rounded to"],
  ["rounding to nothing", () => R.stochasticRound(Tile.of(f32, 1), key), "stochasticRound", "undefined is rounded to"]
]

describe("refused with the name of the function, the mistake and the place", () => {
  it.each(cases)("%s", async (_, call, name, says) => {
    const kernel = single({ o: MemRef.out(f32, []) }, function* ({ o }) {
      call()
      yield* MemRef.store(o, 0)
    })
    const error = await kernelError("TypeMismatch", kernel)
    expect(error.primitive).toBe(`Random.${name}`)
    expect(error.shown).toContain(says)
    expect(pointedAt(error)).toContain(`R.${name}(`)
  })
})

describe("the type checker", () => {
  it("refuses what is wrong in the text", () => {
    const mistakes = () => {
      // @ts-expect-error a seed is not a key
      Random.bits(7, [2])
      // @ts-expect-error a counter is of u32
      Random.threefry2x32(key, [Tile.of(i32, 0), Tile.of(i32, 0)])
      // @ts-expect-error f16 and bf16 are what there is to round to
      Random.stochasticRound(Tile.of(f32, 1), key, f32)
      // @ts-expect-error f16 has been rounded
      Random.stochasticRound(Tile.of(f16, 1), key, f16)
      // @ts-expect-error bounds of integers are integers
      Random.randint(key, [2], Tile.of(f32, 0), 1)
    }
    expect(mistakes).toBeTypeOf("function")
  })
  it("knows the shape and dtype of a draw", () => {
    const drawn = () => {
      const bits: Tile.Tile<"u32", [2, 3]> = Random.bits(key, [2, 3])
      const normal: Tile.Tile<"f32", [4]> = Random.normal(key, [4], { offset: Tile.of(i32, 4) })
      const half: Tile.Tile<"f16", [4]> = Random.stochasticRound(normal, key, f16)
      const brain: Tile.Tile<"f32", [4]> = Random.stochasticRound(normal, key, bf16)
      const [a, b]: readonly [Random.Key, Random.Key] = Random.split(key)
      return [bits, half, brain, a, b]
    }
    expect(drawn().length).toBe(5)
  })
})
