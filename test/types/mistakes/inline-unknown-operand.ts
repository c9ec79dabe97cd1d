/** An inline called with an operand that it does not have. */
import { f32, Tile } from "effect-kernels"
import { gelu } from "../kernels.ts"

gelu({ y: Tile.of(f32, 1) })
