/** A select between two dtypes. */
import { bool, f32, i32, Tile } from "effect-kernels"

Tile.select(Tile.zeros(bool, [8]), Tile.ones(f32, [8]), Tile.ones(i32, [8]))
