/** A conversion to a dtype that only memory has. */
import { f32, i8, Tile } from "effect-kernels"

Tile.of(f32, 1).convert(i8)
