/** Another value of a dtype that i8 does not widen to. */
import { f32, i8, Kernel, MemRef, Tile } from "effect-kernels"

Kernel.make("k", { grid: [1], refs: { x: MemRef.in(i8, [8]) } }, function* ({ x }) {
  yield* MemRef.load(x, { mask: Tile.of(f32, 1).gt(0), other: Tile.of(f32, 1) })
})
