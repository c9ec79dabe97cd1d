/** An axis that a tile does not have. */
import { f32, Tile } from "effect-kernels"

Tile.expandDims(Tile.zeros(f32, [8]), 3)
