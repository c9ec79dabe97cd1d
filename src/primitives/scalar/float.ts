/** Float functions that `Math` lacks, or defines otherwise than C's Annex F; in double precision. */

/** Nearest integer, ties to even. */
export const roundEven = (x: number): number => {
  const below = Math.floor(x)
  const rest = x - below
  if (rest !== 0.5) return rest < 0.5 ? below : Math.ceil(x)
  return below % 2 === 0 ? below : Math.ceil(x)
}

/** Like `Math.pow`, but pow(1, y) = 1 for every y, and pow(-1, ±∞) = 1. */
export const pow = (x: number, y: number): number =>
  x === 1 || (x === -1 && Math.abs(y) === Infinity) ? 1 : Math.pow(x, y)

/**
 * The error function, to about 1e-15: the series 2/√π exp(-x²) Σ 2ⁿ x^(2n+1) / (1·3·…·(2n+1)), whose terms are all of one
 * sign, so that nothing cancels.
 */
export const erf = (x: number): number => {
  if (Math.abs(x) >= 6) return Math.sign(x)
  let term = x
  let sum = x
  for (let n = 1; Math.abs(term) > Math.abs(sum) * 1e-17; n++) {
    term *= (2 * x * x) / (2 * n + 1)
    sum += term
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum
}

const cell = new DataView(new ArrayBuffer(4))
/** Distance between neighbouring f32 values at x; that of the smallest normal number below it. */
export const ulp = (x: number): number => {
  cell.setFloat32(0, x)
  const exponent = (cell.getUint32(0) >>> 23) & 255
  return 2 ** (Math.max(exponent, 1) - 150)
}
/** The largest power of 2 that an f32 value, not 0, is a multiple of. */
export const lowBit = (x: number): number => {
  cell.setFloat32(0, x)
  const bits = cell.getUint32(0)
  const exponent = (bits >>> 23) & 255
  const significand = (bits & 0x7fffff) | (exponent === 0 ? 0 : 0x800000)
  return 2 ** (Math.max(exponent, 1) - 150 + 31 - Math.clz32(significand & -significand))
}
