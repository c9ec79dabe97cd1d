/** More indices than dimensions. */
import { f32, Kernel, MemRef } from "effect-kernels"

Kernel.make("k", { grid: [1], refs: { x: MemRef.in(f32, [8]) } }, function* ({ x }) {
  yield* MemRef.load(MemRef.at(x, [0, 1]))
})
