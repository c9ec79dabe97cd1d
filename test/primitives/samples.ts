/** Operands to try: special values of every dtype, all pairs of them, and random ones. */
import * as DType from "../../src/DType.ts"
import type { Use } from "./families.ts"
import { record } from "./families.ts"

/** A repeatable source of 32-bit words. */
export const source = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x9e3779b9) >>> 0
    let z = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97)
    return (z ^ (z >>> 15)) >>> 0
  }
}

const floats = [
  0,
  -0,
  1,
  -1,
  0.5,
  -0.5,
  1.5,
  2,
  2.5,
  -2.5,
  3,
  -3,
  10,
  0.1,
  88.72283,
  128,
  -150,
  Math.PI,
  Math.PI / 2,
  1e-3,
  255,
  65504,
  65520,
  16777215,
  8388609,
  2147483520,
  2147483648,
  -2147483648,
  4294967040,
  4294967296,
  1e10,
  -1e20,
  1e30,
  1e-20,
  3.4028234663852886e38,
  -3.4028234663852886e38,
  2 ** -126,
  2 ** -130,
  2 ** -24,
  2 ** -14,
  Infinity,
  -Infinity,
  NaN
]
const integers = [
  0, 1, 2, 3, 7, 31, 32, 33, 255, 65535, 16777215, 16777217, 16777219, 2147483583, 2147483584, 2147483647, -1, -2, -7,
  -31, -33, -16777217, -2147483647, -2147483648
]
export const specials = (dtype: DType.Name): ReadonlyArray<number> => {
  const values = dtype === "bool" ? [0, 1] : DType.isFloat(dtype) ? floats : integers
  return [...new Set(values.map(DType.round(dtype)))]
}

const cell = new DataView(new ArrayBuffer(4))
const anyFloat = (word: number): number => {
  cell.setUint32(0, word)
  return cell.getFloat32(0)
}
/** A random operand: any bits, or a float of the record's domain or of everyday size. */
const random = (u: Use, dtype: DType.Name, next: () => number): number => {
  const round = DType.round(dtype)
  if (!DType.isFloat(dtype)) return round(dtype === "bool" ? next() & 1 : next() >> (next() & 31))
  const [low, high] = record(u.name).generate.domain ?? [-100, 100]
  const kind = next() % 4
  if (kind === 0) return round(anyFloat(next()))
  const unit = next() / 2 ** 32
  if (kind === 1) return round(low + unit * (high - low))
  return round(Math.min(Math.max((unit - 0.5) * (kind === 2 ? 4 : 40), low), high))
}

/** Operand tuples, one array per operand. */
export const samples = (u: Use, count: number, seed: number): ReadonlyArray<ReadonlyArray<number>> => {
  const next = source(seed)
  let tuples: Array<ReadonlyArray<number>> = [[]]
  u.operands.forEach((dtype, k) => {
    const values = k < 2 ? specials(dtype) : [...specials(dtype)].filter((_, i) => i % 5 === 0 || i > 38)
    tuples = tuples.flatMap((tuple) => values.map((x) => [...tuple, x]))
  })
  if (u.operands.length === 3) tuples = tuples.filter((_, i) => i % 3 === 0)
  for (let i = 0; i < count; i++) tuples.push(u.operands.map((dtype) => random(u, dtype, next)))
  return u.operands.map((_, k) => tuples.map((tuple) => tuple[k]!))
}
