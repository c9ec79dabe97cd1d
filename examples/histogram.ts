import { Control, i32, Kernel, MemRef, Tile } from "effect-kernels"
import { type Example, runIfMain } from "./support/example.ts"

/**
 * Adds to `counts` how often each of `bins` values occurs. Program instances add to the same cells; repeated indices all
 * count.
 */
export const histogram = (n: number, bins: number, block: number) =>
  Kernel.make(
    "histogram",
    {
      grid: [Math.ceil(n / block)],
      refs: {
        x: MemRef.in(i32, [n], { block: [block], index: (i) => [i] }),
        counts: MemRef.inout(i32, [bins])
      }
    },
    function* ({ x, counts }) {
      const value = yield* MemRef.load(x)
      const place = Tile.iota(i32, [block]).add((yield* Control.programId(0)).mul(block))
      // Where the last block sticks out of the array, there is nothing to count.
      yield* MemRef.accumulate(MemRef.at(counts, [value]), 1, { mask: place.lt(n) })
    }
  )

const [n, bins] = [700, 16]
const x = Int32Array.from({ length: n }, (_, i) => (i * i) % bins)
const expected = new Int32Array(bins)
for (const v of x) expected[v]! += 1

export const example: Example = {
  name: "histogram",
  about: "counting by accumulation through an index tile, from all program instances at once",
  main: Kernel.run(histogram(n, bins, 64), { x, counts: new Int32Array(bins) }),
  expected: { counts: expected },
  tolerance: 0
}
runIfMain(import.meta.url, example)
