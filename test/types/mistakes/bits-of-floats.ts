/** A bitwise operation on floats. */
import { f32, Tile } from "effect-kernels"

Tile.zeros(f32, [8]).xor(1)
