/** An index that is a float tile. */
import { f32, Kernel, MemRef, Tile } from "effect-kernels"

Kernel.make("k", { grid: [1], refs: { x: MemRef.in(f32, [8]) } }, function* ({ x }) {
  MemRef.at(x, [Tile.of(f32, 1)])
})
