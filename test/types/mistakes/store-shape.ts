/** A store of another shape. */
import { f32, Kernel, MemRef } from "effect-kernels"

Kernel.make("k", { grid: [1], refs: { x: MemRef.in(f32, [8]), o: MemRef.out(f32, [8]) } }, function* ({ x, o }) {
  yield* MemRef.store(MemRef.at(o, [MemRef.slice(0, 4)]), yield* MemRef.load(x))
})
