/** A store of integers to a ref that keeps bf16. */
import { bf16, i32, Kernel, MemRef } from "effect-kernels"

Kernel.make("k", { grid: [1], refs: { o: MemRef.out(bf16, [8]), q: MemRef.in(i32, [8]) } }, function* ({ o, q }) {
  yield* MemRef.store(o, yield* MemRef.load(q))
})
