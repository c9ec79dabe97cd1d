/** A reduction over an axis that a tile does not have. */
import { f32, Tile } from "effect-kernels"

Tile.sum(Tile.zeros(f32, [8]), { axis: 1 })
