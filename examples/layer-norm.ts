import { f32, Kernel, MemRef, Tile } from "effect-kernels"
import { type Example, runIfMain, samples } from "./support/example.ts"

/** Layer norm of each row (Ba, Kiros, Hinton, "Layer Normalization", 2016). */
export const layerNorm = (rows: number, cols: number, epsilon = 1e-5) =>
  Kernel.make(
    "layerNorm",
    {
      grid: [rows],
      refs: {
        x: MemRef.in(f32, [rows, cols], { block: [null, cols], index: (i) => [i, 0] }),
        gain: MemRef.in(f32, [cols]),
        bias: MemRef.in(f32, [cols]),
        o: MemRef.out(f32, [rows, cols], { block: [null, cols], index: (i) => [i, 0] })
      }
    },
    function* ({ x, gain, bias, o }) {
      const v = yield* MemRef.load(x)
      const centred = v.sub(Tile.sum(v).div(cols))
      const variance = Tile.sum(centred.mul(centred)).div(cols)
      const normal = centred.mul(variance.add(epsilon).rsqrt())
      yield* MemRef.store(o, normal.mul(yield* MemRef.load(gain)).add(yield* MemRef.load(bias)))
    }
  )

const [rows, cols] = [6, 96]
const x = samples(rows * cols, 1)
const gain = samples(cols, 2)
const bias = samples(cols, 3)
const expected = new Float32Array(rows * cols)
for (let r = 0; r < rows; r++) {
  const row = Array.from(x.subarray(r * cols, (r + 1) * cols))
  const mean = row.reduce((s, v) => s + v, 0) / cols
  const variance = row.reduce((s, v) => s + (v - mean) ** 2, 0) / cols
  row.forEach((v, c) => (expected[r * cols + c] = ((v - mean) / Math.sqrt(variance + 1e-5)) * gain[c]! + bias[c]!))
}

export const example: Example = {
  name: "layer norm",
  about: "mean and variance of each row, with gain and bias that all rows share",
  main: Kernel.run(layerNorm(rows, cols), { x, gain, bias }),
  expected: { o: expected },
  tolerance: 5e-6
}
runIfMain(import.meta.url, example)
