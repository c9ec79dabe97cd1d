/** Arithmetic on unequal ranks. */
import { f32, Tile } from "effect-kernels"

Tile.zeros(f32, [4, 8]).add(Tile.zeros(f32, [8]))
