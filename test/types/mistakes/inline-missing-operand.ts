/** An inline called without one of its operands. */
import { f32, Inline, Tile } from "effect-kernels"

const mix = Inline.elementwise("mix", { args: { x: f32, y: f32 }, result: f32, wgsl: "return x + y;" })
mix({ x: Tile.of(f32, 1) })
