/** A select whose condition is not bool. */
import { f32, Tile } from "effect-kernels"

Tile.select(Tile.zeros(f32, [8]), Tile.ones(f32, [8]), 0)
