/** Arithmetic on truth values. */
import { bool, Tile } from "effect-kernels"

Tile.of(bool, true).add(1)
