import { Control, i32, Kernel, MemRef, Scratch, Tile } from "effect-kernels"
import { type Example, runIfMain } from "./support/example.ts"

/** Inclusive prefix sum: blocks in order, the sum of all blocks before in scratch. */
export const prefixSum = (n: number, block: number) =>
  Kernel.make(
    "prefixSum",
    {
      grid: [Kernel.sequential(Math.ceil(n / block))],
      refs: {
        x: MemRef.in(i32, [n], { block: [block], index: (i) => [i] }),
        o: MemRef.out(i32, [n], { block: [block], index: (i) => [i] })
      },
      scratch: { before: Scratch.register(i32, []) }
    },
    function* ({ x, o, before }) {
      yield* Control.when((yield* Control.programId(0)).eq(0), () => MemRef.store(before, 0))
      const v = yield* MemRef.load(x)
      const carried = yield* MemRef.load(before)
      yield* MemRef.store(o, Tile.cumsum(v).add(carried))
      yield* MemRef.store(before, carried.add(Tile.sum(v)))
    }
  )

const n = 500
const x = Int32Array.from({ length: n }, (_, i) => ((i * 37) % 101) - 50)
const expected = new Int32Array(n)
x.reduce((sum, v, i) => (expected[i] = sum + v), 0)

export const example: Example = {
  name: "prefix sum",
  about: "a running sum over blocks, handed on in scratch along a sequential axis",
  main: Kernel.run(prefixSum(n, 64), { x }),
  expected: { o: expected },
  tolerance: 0
}
runIfMain(import.meta.url, example)
