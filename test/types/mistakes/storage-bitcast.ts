/** A view of bytes as nibbles. */
import { i8, Kernel, MemRef, u4 } from "effect-kernels"

Kernel.make("k", { grid: [1], refs: { x: MemRef.in(i8, [8]) } }, function* ({ x }) {
  yield* MemRef.load(MemRef.bitcast(x, u4))
})
