/** A sum of truth values. */
import { bool, Tile } from "effect-kernels"

Tile.sum(Tile.zeros(bool, [8]))
