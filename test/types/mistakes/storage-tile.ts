/** A tile of a dtype that only memory has. */
import { bf16, Tile } from "effect-kernels"

Tile.full(bf16, [8], 1)
