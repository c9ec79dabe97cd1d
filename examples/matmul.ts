import { Control, f32, i32, Kernel, MemRef, Scratch, Tile } from "effect-kernels"
import { type Example, runIfMain, samples } from "./support/example.ts"

/**
 * `c = a·b` in tiles: the last axis of the grid steps through k in order, and scratch holds the sum of a tile.
 *
 * No size needs to divide: rows and columns that a tile has outside `c` are not stored, and those along k are masked off,
 * so that they add nothing.
 */
export const matmul = (
  m: number,
  k: number,
  n: number,
  tile: { readonly m: number; readonly k: number; readonly n: number }
) =>
  Kernel.make(
    "matmul",
    {
      grid: [Math.ceil(m / tile.m), Math.ceil(n / tile.n), Kernel.sequential(Math.ceil(k / tile.k))],
      refs: {
        a: MemRef.in(f32, [m, k], { block: [tile.m, tile.k], index: (i, _, k) => [i, k] }),
        b: MemRef.in(f32, [k, n], { block: [tile.k, tile.n], index: (_, j, k) => [k, j] }),
        c: MemRef.out(f32, [m, n], { block: [tile.m, tile.n], index: (i, j) => [i, j] })
      },
      scratch: { sum: Scratch.workgroup(f32, [tile.m, tile.n]) }
    },
    function* ({ a, b, c, sum }) {
      const step = yield* Control.programId(2)
      yield* Control.when(step.eq(0), () => MemRef.store(sum, 0))
      const inside = (at: Tile.Tile<"i32", [number, number]>) => ({ mask: at.add(step.mul(tile.k)).lt(k) })
      const left = yield* MemRef.load(a, inside(Tile.iota(i32, [1, tile.k], 1)))
      const right = yield* MemRef.load(b, inside(Tile.iota(i32, [tile.k, 1], 0)))
      yield* MemRef.accumulate(sum, Tile.dot(left, right))
      yield* Control.when(step.eq((yield* Control.numPrograms(2)).sub(1)), function* () {
        yield* MemRef.store(c, yield* MemRef.load(sum))
      })
    }
  )

const [m, k, n] = [40, 50, 24]
const a = samples(m * k, 1)
const b = samples(k * n, 2)
const expected = Float32Array.from({ length: m * n }, (_, at) => {
  let sum = 0
  for (let l = 0; l < k; l++) sum += a[Math.floor(at / n) * k + l]! * b[l * n + (at % n)]!
  return sum
})

export const example: Example = {
  name: "matmul",
  about: "matrix product in tiles, with a sequential k axis and a sum in scratch",
  main: Kernel.run(matmul(m, k, n, { m: 16, k: 16, n: 16 }), { a, b }),
  expected: { c: expected },
  tolerance: 0
}
runIfMain(import.meta.url, example)
