/** Arithmetic on shapes that do not broadcast. */
import { f32, Kernel, MemRef } from "effect-kernels"

Kernel.make("k", { grid: [1], refs: { x: MemRef.in(f32, [8]) } }, function* ({ x }) {
  const a = yield* MemRef.load(x)
  a.add(yield* MemRef.load(MemRef.at(x, [MemRef.slice(0, 3)])))
})
