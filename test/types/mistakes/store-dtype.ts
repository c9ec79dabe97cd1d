/** A store of another dtype. */
import { f32, i32, Kernel, MemRef } from "effect-kernels"

Kernel.make("k", { grid: [1], refs: { o: MemRef.out(f32, [8]), q: MemRef.in(i32, [8]) } }, function* ({ o, q }) {
  yield* MemRef.store(o, yield* MemRef.load(q))
})
