import { f32, Kernel, MemRef } from "effect-kernels"
import { type Example, runIfMain, samples } from "./support/example.ts"

const block = 64

/** `y = a·x + y`, in blocks; the last one may be partial. */
export const saxpy = (n: number) =>
  Kernel.make(
    "saxpy",
    {
      grid: [Math.ceil(n / block)],
      refs: {
        a: MemRef.scalar(f32),
        x: MemRef.in(f32, [n], { block: [block], index: (i) => [i] }),
        y: MemRef.inout(f32, [n], { block: [block], index: (i) => [i] })
      }
    },
    function* ({ a, x, y }) {
      const product = (yield* MemRef.load(x)).mul(a)
      yield* MemRef.store(y, product.add(yield* MemRef.load(y)))
    }
  )

const n = 1000
const a = 2.5
const x = samples(n, 1)
const y = samples(n, 2)

export const example: Example = {
  name: "saxpy",
  about: "y = a·x + y over blocks that do not divide the array",
  main: Kernel.run(saxpy(n), { a, x, y }),
  expected: { y: x.map((v, i) => a * v + y[i]!) },
  tolerance: 0
}
runIfMain(import.meta.url, example)
