/** The method select on a tile that is not bool. */
import { f32, Tile } from "effect-kernels"

Tile.zeros(f32, [8]).select(Tile.ones(f32, [8]), 0)
