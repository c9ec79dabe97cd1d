/** A select between shapes that do not broadcast. */
import { bool, f32, Tile } from "effect-kernels"

Tile.select(Tile.zeros(bool, [8]), Tile.ones(f32, [3]), 0)
