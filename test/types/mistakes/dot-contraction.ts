/** A product whose contracted dimensions differ. */
import { f32, Tile } from "effect-kernels"

Tile.dot(Tile.zeros(f32, [4, 8]), Tile.zeros(f32, [4, 8]))
