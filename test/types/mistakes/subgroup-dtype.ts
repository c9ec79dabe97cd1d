/** A ballot of numbers. */
import { f32, Subgroup, Tile } from "effect-kernels"

Subgroup.ballot(Tile.zeros(f32, [8]))
