/** Factors, and products of them in plain loops. */
import { DType } from "../../src/index.ts"

type Numbers = Int32Array | Float32Array | DType.Float16Array

/** Small whole numbers of either sign. */
export const ints = (n: number, seed: number): Int32Array =>
  Int32Array.from({ length: n }, (_, k) => ((k * 37 + seed * 101) % 23) - 11)
/** Numbers between −1 and 1 whose products are not exact. */
export const reals = (n: number, seed: number): Float32Array =>
  Float32Array.from({ length: n }, (_, k) => Math.sin(k * 1.7 + seed))
/** Numbers that f16 has, with products and sums that f32 has. */
export const halves = (n: number): DType.Float16Array =>
  new DType.Float16Array(Array.from({ length: n }, (_, k) => ((k * 7) % 33) / 16 - 1))

/** `a · b`, row-major, of m×k by k×n. */
export const product = (a: Numbers, b: Numbers, [m, k, n]: readonly [number, number, number]): Int32Array & Numbers => {
  const make = a instanceof Int32Array ? Int32Array : Float32Array
  const out = new make(m * n)
  for (let i = 0; i < m; i++)
    for (let j = 0; j < n; j++) for (let l = 0; l < k; l++) out[i * n + j]! += a[i * k + l]! * b[l * n + j]!
  return out as Int32Array & Numbers
}
/** The m×n matrix, transposed. */
export const transposed = (x: Int32Array, m: number, n: number): Int32Array =>
  Int32Array.from({ length: m * n }, (_, e) => x[(e % m) * n + Math.floor(e / m)]!)
