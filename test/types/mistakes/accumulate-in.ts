/** An accumulation into an `in` ref. */
import { f32, i32, Kernel, MemRef } from "effect-kernels"

Kernel.make("k", { grid: [1], refs: { x: MemRef.in(f32, [8]), o: MemRef.out(f32, [8]), q: MemRef.in(i32, [8]) } }, function* ({ q }) {
  yield* MemRef.accumulate(q, 1)
})
