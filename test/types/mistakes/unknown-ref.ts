/** A ref that the kernel does not declare. */
import { f32, Kernel, MemRef } from "effect-kernels"

Kernel.make("k", { grid: [1], refs: { x: MemRef.in(f32, [8]) } }, function* ({ x, z }) {
  yield* MemRef.load(z)
})
