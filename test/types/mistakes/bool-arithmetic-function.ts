/** Data-first arithmetic on truth values. */
import { bool, Tile } from "effect-kernels"

Tile.add(Tile.of(bool, true), 1)
