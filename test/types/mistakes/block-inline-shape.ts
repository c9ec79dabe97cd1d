/** A ref of another shape for an operand of a block inline. */
import { f32, Inline, Kernel, MemRef } from "effect-kernels"

const fill = Inline.block("fill", { operands: { o: Inline.write(f32, [4]) }, results: {}, wgsl: "o_store(lane, 1.0);" })
Kernel.make("k", { grid: [1], refs: { o: MemRef.out(f32, [8]) } }, function* ({ o }) {
  yield* fill({ o })
})
