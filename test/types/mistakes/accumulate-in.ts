/** An accumulation into an `in` ref. */
import { i32, Kernel, MemRef } from "effect-kernels"

Kernel.make("k", { grid: [1], refs: { q: MemRef.in(i32, [8]) } }, function* ({ q }) {
  yield* MemRef.accumulate(q, 1)
})
