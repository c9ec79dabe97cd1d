import { Control, f32, Kernel, MemRef, Scratch, Tile } from "effect-kernels"
import { type Example, runIfMain, samples } from "./support/example.ts"

/**
 * `c = a·b` in tiles: the last axis of the grid steps through k in order, and scratch holds the sum of a tile.
 *
 * No size needs to divide: what a block has outside its array reads as 0, and adds nothing.
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
      yield* MemRef.accumulate(sum, Tile.dot(yield* MemRef.load(a), yield* MemRef.load(b)))
      const last = (yield* Control.numPrograms(2)).sub(1)
      yield* Control.when((yield* Control.programId(2)).eq(last), function* () {
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
