import { f32, Kernel, MemRef, Tile } from "effect-kernels"
import { type Example, runIfMain, samples } from "./support/example.ts"

/** Softmax of each row: one program instance a row. */
export const softmax = (rows: number, cols: number) =>
  Kernel.make(
    "softmax",
    {
      grid: [rows],
      refs: {
        x: MemRef.in(f32, [rows, cols], { block: [1, cols], index: (i) => [i, 0] }),
        o: MemRef.out(f32, [rows, cols], { block: [1, cols], index: (i) => [i, 0] })
      }
    },
    function* ({ x, o }) {
      const v = yield* MemRef.load(x)
      const e = v.sub(Tile.max(v, { axis: 1, keepDims: true })).exp()
      yield* MemRef.store(o, e.div(Tile.sum(e, { axis: 1, keepDims: true })))
    }
  )

const [rows, cols] = [8, 100]
const x = samples(rows * cols)
const expected = new Float32Array(rows * cols)
for (let r = 0; r < rows; r++) {
  const row = x.subarray(r * cols, (r + 1) * cols)
  const e = Array.from(row, (v) => Math.exp(v - Math.max(...row)))
  const sum = e.reduce((s, v) => s + v, 0)
  e.forEach((v, c) => (expected[r * cols + c] = v / sum))
}

export const example: Example = {
  name: "softmax",
  about: "softmax of each row, shifted by its maximum so that nothing overflows",
  main: Kernel.run(softmax(rows, cols), { x }),
  expected: { o: expected },
  tolerance: 1e-6
}
runIfMain(import.meta.url, example)
