/** A reshape to another number of elements. */
import { f32, Tile } from "effect-kernels"

Tile.reshape(Tile.zeros(f32, [8]), [3, 3])
