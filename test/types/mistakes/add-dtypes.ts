/** Arithmetic on two dtypes. */
import { f32, i32, Kernel, MemRef } from "effect-kernels"

Kernel.make("k", { grid: [1], refs: { x: MemRef.in(f32, [8]), q: MemRef.in(i32, [8]) } }, function* ({ x, q }) {
  const a = yield* MemRef.load(x)
  a.add(yield* MemRef.load(q))
})
