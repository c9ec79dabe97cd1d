/** An `in` ref for an operand that a block inline writes. */
import { f32, Inline, Kernel, MemRef } from "effect-kernels"

const fill = Inline.block("fill", { operands: { o: Inline.write(f32, [8]) }, results: {}, wgsl: "o_store(lane, 1.0);" })
Kernel.make("k", { grid: [1], refs: { x: MemRef.in(f32, [8]) } }, function* ({ x }) {
  yield* fill({ o: x })
})
