/** `any` of floats. */
import { f32, Tile } from "effect-kernels"

Tile.any(Tile.zeros(f32, [8]))
