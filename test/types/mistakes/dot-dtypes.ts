/** A product of two dtypes. */
import { f32, i32, Tile } from "effect-kernels"

Tile.dot(Tile.zeros(f32, [4, 8]), Tile.zeros(i32, [8, 4]))
