/** A data-first operation on two dtypes. */
import { f32, i32, Tile } from "effect-kernels"

Tile.add(Tile.zeros(f32, [8]), Tile.zeros(i32, [8]))
