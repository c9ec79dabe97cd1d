/**
 * The counter-based generators threefry2x32-20 and philox4x32-10, over u32 tiles.
 *
 * Salmon, Moraes, Dror, Shaw: "Parallel Random Numbers: As Easy as 1, 2, 3" (SC 2011), whose constants these are. Only sums,
 * products, shifts and bits of u32 take part, which every interpreter computes exactly.
 */
import type { Words } from "./arguments.ts"

export type Pair = readonly [Words, Words]
export type Quad = readonly [Words, Words, Words, Words]

const rotated = (x: Words, by: number): Words => x.shl(by).or(x.shr(32 - by))

const rotations = [
  [13, 15, 26, 6],
  [17, 29, 16, 24]
] as const
/** Makes the third word of the key schedule from the other two, so that no key gives zeros throughout. */
const parity = 0x1bd11bda

/** Five groups of four rounds, after each of which the key is added in, its words turned on by one. */
export const threefry2x32 = ([k0, k1]: Pair, counter: Pair): Pair => {
  const schedule = [k0, k1, k0.xor(k1).xor(parity)]
  let [x0, x1] = [counter[0].add(k0), counter[1].add(k1)]
  for (let group = 0; group < 5; group++) {
    for (const by of rotations[group % 2]!) {
      x0 = x0.add(x1)
      x1 = rotated(x1, by).xor(x0)
    }
    x0 = x0.add(schedule[(group + 1) % 3]!)
    x1 = x1.add(schedule[(group + 2) % 3]!.add(group + 1))
  }
  return [x0, x1]
}

const halves = <X extends Words | number>(x: X): readonly [X, X] =>
  (typeof x === "number" ? [x & 0xffff, x >>> 16] : [x.and(0xffff), x.shr(16)]) as any

/** High and low word of a 64-bit product: four products of 16-bit halves, none of which, with its carry, exceeds 32 bits. */
export const multiplied = (a: Words, b: Words | number): Pair => {
  const [[aLow, aHigh], [bLow, bHigh]] = [halves(a), halves(b)]
  const middle = aHigh.mul(bLow).add(aLow.mul(bLow).shr(16))
  const carried = aLow.mul(bHigh).add(middle.and(0xffff))
  return [aHigh.mul(bHigh).add(middle.shr(16)).add(carried.shr(16)), a.mul(b)]
}

const multipliers = [0xd2511f53, 0xcd9e8d57] as const
/** What the key grows by after each round: the golden ratio and the square root of 3, less 1. */
const weyl = [0x9e3779b9, 0xbb67ae85] as const

/** Ten rounds, each of two 64-bit products whose halves are mixed with the other words and the key. */
export const philox4x32 = (key: Pair, counter: Quad): Quad => {
  let [k0, k1] = key
  let [c0, c1, c2, c3] = counter
  for (let round = 0; round < 10; round++) {
    const [high0, low0] = multiplied(c0, multipliers[0])
    const [high1, low1] = multiplied(c2, multipliers[1])
    ;[c0, c1, c2, c3] = [high1.xor(c1).xor(k0), low1, high0.xor(c3).xor(k1), low0]
    ;[k0, k1] = [k0.add(weyl[0]), k1.add(weyl[1])]
  }
  return [c0, c1, c2, c3]
}
