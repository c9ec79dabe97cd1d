/** A load without `yield*`. */
import { f32, Kernel, MemRef } from "effect-kernels"

Kernel.make("k", { grid: [1], refs: { x: MemRef.in(f32, [8]), o: MemRef.out(f32, [8]) } }, function* ({ x, o }) {
  const v = MemRef.load(x)
  yield* MemRef.store(o, v)
})
