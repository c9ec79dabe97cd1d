/** An inline called with another dtype. */
import { i32, Tile } from "effect-kernels"
import { gelu } from "../kernels.ts"

gelu(Tile.of(i32, 1))
