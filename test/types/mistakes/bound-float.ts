/** A loop bound that is a float. */
import { Control, f32, Tile } from "effect-kernels"

Control.forEach(0, Tile.of(f32, 4), function* () {})
