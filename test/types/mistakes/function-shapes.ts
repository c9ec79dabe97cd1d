/** A data-first operation on shapes that do not broadcast. */
import { f32, Tile } from "effect-kernels"

Tile.maximum(Tile.zeros(f32, [8]), Tile.zeros(f32, [3]))
