import { Block, Control, f32, i32, Kernel, MemRef, Tile, u32 } from "effect-kernels"
import { type Example, runIfMain, samples } from "./support/example.ts"

const tile = 8

/** Five-point stencil: each block sees one more cell on every side, 0 outside the array. */
export const stencil = (rows: number, cols: number) =>
  Kernel.make(
    "stencil",
    {
      grid: [Math.ceil(rows / tile), Math.ceil(cols / tile)],
      refs: {
        x: MemRef.in(f32, [rows, cols], {
          block: [Block.element(tile + 2, { pad: [1, 1] }), Block.element(tile + 2, { pad: [1, 1] })],
          index: (i, j) => [i.mul(tile), j.mul(tile)]
        }),
        o: MemRef.out(f32, [rows, cols], { block: [tile, tile], index: (i, j) => [i, j] })
      }
    },
    function* ({ x, o }) {
      // Positions before the array are large numbers without a sign.
      const inside = (axis: 0 | 1, at: Tile.I32, size: number) =>
        Tile.iota(i32, [tile + 2, tile + 2], axis)
          .add(at.mul(tile).sub(1))
          .convert(u32)
          .lt(size)
      const row = inside(0, yield* Control.programId(0), rows)
      const column = inside(1, yield* Control.programId(1), cols)
      const v = Tile.select(row, Tile.select(column, yield* MemRef.load(x), 0), 0)
      const shifted = (di: number, dj: number) => Tile.slice(v, { starts: [1 + di, 1 + dj], sizes: [tile, tile] })
      const neighbours = shifted(-1, 0).add(shifted(1, 0)).add(shifted(0, -1)).add(shifted(0, 1))
      yield* MemRef.store(o, neighbours.sub(shifted(0, 0).mul(4)))
    }
  )

const [rows, cols] = [30, 21]
const x = samples(rows * cols)
const at = (i: number, j: number) => (i < 0 || j < 0 || i >= rows || j >= cols ? 0 : x[i * cols + j]!)
const expected = Float32Array.from({ length: rows * cols }, (_, k) => {
  const [i, j] = [Math.floor(k / cols), k % cols]
  return at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1) - 4 * at(i, j)
})

export const example: Example = {
  name: "stencil",
  about: "a five-point Laplacian over blocks that overlap by a halo",
  main: Kernel.run(stencil(rows, cols), { x }),
  expected: { o: expected },
  tolerance: 0
}
runIfMain(import.meta.url, example)
