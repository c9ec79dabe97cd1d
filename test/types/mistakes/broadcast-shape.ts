/** A broadcast to a shape that the tile does not stretch to. */
import { f32, Tile } from "effect-kernels"

Tile.broadcast(Tile.zeros(f32, [8]), [4])
