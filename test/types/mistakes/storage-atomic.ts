/** An atomic on elements that share a word. */
import { Atomic, Kernel, MemRef, u8 } from "effect-kernels"

Kernel.make("k", { grid: [1], refs: { o: MemRef.out(u8, [8]) } }, function* ({ o }) {
  yield* Atomic.add(o, 1)
})
