import { i32, Kernel, MemRef } from "effect-kernels"
import { type Example, runIfMain } from "./support/example.ts"

/** Counts how often each of `bins` values occurs. Program instances add to the same cells; repeated indices all count. */
export const histogram = (n: number, bins: number, block: number) =>
  Kernel.make(
    "histogram",
    {
      grid: [Math.ceil(n / block)],
      refs: {
        x: MemRef.in(i32, [n], { block: [block], index: (i) => [i] }),
        inside: MemRef.in(i32, [n], { block: [block], index: (i) => [i] }),
        counts: MemRef.out(i32, [bins])
      }
    },
    function* ({ x, inside, counts }) {
      const value = yield* MemRef.load(x)
      // Where the last block sticks out of the array, `inside` reads as 0 and nothing is counted.
      yield* MemRef.accumulate(MemRef.at(counts, [value]), yield* MemRef.load(inside))
    }
  )

const [n, bins] = [700, 16]
const x = Int32Array.from({ length: n }, (_, i) => (i * i) % bins)
const expected = new Int32Array(bins)
for (const v of x) expected[v]! += 1

export const example: Example = {
  name: "histogram",
  about: "counting by accumulation through an index tile, from all program instances at once",
  main: Kernel.run(histogram(n, bins, 64), { x, inside: new Int32Array(n).fill(1) }),
  expected: { counts: expected },
  tolerance: 0
}
runIfMain(import.meta.url, example)
