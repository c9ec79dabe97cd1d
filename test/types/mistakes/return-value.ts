/** A body that returns a value. */
import { f32, Kernel, MemRef } from "effect-kernels"

Kernel.make("k", { grid: [1], refs: { x: MemRef.in(f32, [8]), o: MemRef.out(f32, [8]) } }, function* ({ x, o }) {
  yield* MemRef.store(o, yield* MemRef.load(x))
  return 3
})
