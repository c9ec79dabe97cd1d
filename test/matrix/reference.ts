/** Factors, products of them in plain loops, and a product in blocks. */
import { Control, DType, f32, Kernel, MemRef, Pipeline, Scratch } from "../../src/index.ts"

export type Size = readonly [m: number, k: number, n: number]
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
export const product = (a: Numbers, b: Numbers, [m, k, n]: Size): Int32Array & Numbers => {
  const make = a instanceof Int32Array ? Int32Array : Float32Array
  const out = new make(m * n)
  for (let i = 0; i < m; i++)
    for (let j = 0; j < n; j++) for (let l = 0; l < k; l++) out[i * n + j]! += a[i * k + l]! * b[l * n + j]!
  return out as Int32Array & Numbers
}
/** The m×n matrix, transposed. */
export const transposed = (x: Int32Array, m: number, n: number): Int32Array =>
  Int32Array.from({ length: m * n }, (_, e) => x[(e % m) * n + Math.floor(e / m)]!)

/** Blocks of `tile` × `tile`, `step` of k at a time, staged through workgroup memory; two turns may be in flight. */
export const tiled = ([m, k, n]: Size, tile: number, step: number) =>
  Kernel.make(
    "tiled",
    {
      grid: [Math.ceil(m / tile), Math.ceil(n / tile)],
      refs: {
        a: MemRef.in(f32, [m, k]),
        b: MemRef.in(f32, [k, n]),
        o: MemRef.out(f32, [m, n], { block: [tile, tile], index: (i, j) => [i, j] })
      },
      scratch: {
        acc: Pipeline.accumulator(f32, [tile, tile]),
        x: Scratch.workgroup(f32, [2, tile, step]),
        y: Scratch.workgroup(f32, [2, step, tile])
      }
    },
    function* ({ a, acc, b, o, x, y }) {
      const row = (yield* Control.programId(0)).mul(tile)
      const column = (yield* Control.programId(1)).mul(tile)
      yield* Control.forEach(0, Math.ceil(k / step), function* (turn) {
        const half = turn.rem(2)
        const at = MemRef.slice(turn.mul(step), step)
        const left = yield* MemRef.load(MemRef.at(a, [MemRef.slice(row, tile), at]))
        const right = yield* MemRef.load(MemRef.at(b, [at, MemRef.slice(column, tile)]))
        yield* MemRef.store(MemRef.at(x, [half]), left)
        yield* MemRef.store(MemRef.at(y, [half]), right)
        yield* Pipeline.multiplyAccumulate(acc, MemRef.at(x, [half]), MemRef.at(y, [half]))
        yield* Pipeline.wait(1)
      })
      yield* Pipeline.wait()
      yield* MemRef.store(o, yield* Pipeline.read(acc))
    }
  )
