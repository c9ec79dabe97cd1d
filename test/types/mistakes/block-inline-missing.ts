/** A block inline without one of its operands. */
import { f32, Inline, Kernel, MemRef } from "effect-kernels"

const fill = Inline.block("fill", {
  operands: { o: Inline.write(f32), v: Inline.tile(f32, []) },
  results: {},
  wgsl: "o_store(lane, v_load(0));"
})
Kernel.make("k", { grid: [1], refs: { o: MemRef.out(f32, [8]) } }, function* ({ o }) {
  yield* fill({ o })
})
