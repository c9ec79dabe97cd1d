/** A float operation on integers. */
import { i32, Tile } from "effect-kernels"

Tile.iota(i32, [8]).exp()
