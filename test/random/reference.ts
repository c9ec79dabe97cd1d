/** The generators and distributions once more, in plain numbers, against which kernels are held. */

export type Words = ReadonlyArray<number>

const u32 = (x: number) => x >>> 0
const rotated = (x: number, by: number) => u32((x << by) | (x >>> (32 - by)))
const turns = [13, 15, 26, 6, 17, 29, 16, 24]

export const threefry = (key: Words, counter: Words): [number, number] => {
  const ks = [key[0]!, key[1]!, u32(key[0]! ^ key[1]! ^ 0x1bd11bda)]
  let [a, b] = [u32(counter[0]! + ks[0]!), u32(counter[1]! + ks[1]!)]
  for (let round = 1; round <= 20; round++) {
    a = u32(a + b)
    b = u32(rotated(b, turns[(round - 1) % 8]!) ^ a)
    if (round % 4 > 0) continue
    a = u32(a + ks[(round / 4) % 3]!)
    b = u32(b + ks[(round / 4 + 1) % 3]! + round / 4)
  }
  return [a, b]
}
/** Words of `Random.bits(key, [n])`, from the position `first` on. */
export const words = (key: Words, n: number, first = 0): Array<number> =>
  Array.from({ length: n }, (_, i) => {
    const [a, b] = threefry(key, [0, u32(first + i)])
    return u32(a ^ b)
  })

/** Complement of the error function, for x ≥ 0, to double precision: a series, and far out a continued fraction. */
const erfc = (x: number): number => {
  const density = (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x)
  if (x > 2.5) {
    let fraction = 0
    for (let k = 120; k > 0; k--) fraction = k / 2 / (x + fraction)
    return density / 2 / (x + fraction)
  }
  let [term, sum] = [x, x]
  for (let k = 1; k < 100; k++) {
    term *= (2 * x * x) / (2 * k + 1)
    sum += term
  }
  return 1 - density * sum
}
/** The normal number of a word: where the probability of lying nearer to 0 is |2k + 1| / 2^24, k its upper 24 bits, signed. */
export const normal = (word: number): number => {
  const x = (2 * (word >> 8) + 1) / 2 ** 24
  const outside = 1 - Math.abs(x)
  let z = 0
  // Newton's method: the function is convex, and so is approached from one side.
  for (let k = 0; k < 60; k++) z += (erfc(z / Math.SQRT2) - outside) / (Math.sqrt(2 / Math.PI) * Math.exp((-z * z) / 2))
  return Math.sign(x) * z
}

/** `x`, an f32, rounded to f16, upward where the word is below the fraction that would be cut off. */
export const rounded = (x: number, word: number): number => {
  const size = Math.abs(x)
  if (!(size < Infinity) || size === 0) return x
  const spacing = 2 ** (Math.max(Math.floor(Math.log2(size)), -14) - 10)
  const whole = Math.floor(size / spacing)
  const fraction = size / spacing - whole
  const result = (whole + (word < Math.floor(fraction * 2 ** 32) ? 1 : 0)) * spacing
  return Math.sign(x) * (result > 65504 ? Infinity : result)
}
