/** The discharge of a block inline gives another shape. */
import { f32, Inline, Tile } from "effect-kernels"

Inline.block("one", {
  operands: {},
  results: { r: Inline.tile(f32, [8]) },
  wgsl: "r_store(lane, 1.0);",
  discharge: () => ({ r: Tile.ones(f32, [4]) })
})
