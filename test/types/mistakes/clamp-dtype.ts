/** A bound of another dtype. */
import { f32, i32, Tile } from "effect-kernels"

Tile.zeros(f32, [8]).clamp(0, Tile.of(i32, 1))
