/** A store to an `in` ref. */
import { f32, Kernel, MemRef } from "effect-kernels"

Kernel.make("k", { grid: [1], refs: { x: MemRef.in(f32, [8]) } }, function* ({ x }) {
  yield* MemRef.store(x, 1)
})
