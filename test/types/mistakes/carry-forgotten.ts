/** A loop that forgets to give its carry on. */
import { Control, f32, Tile } from "effect-kernels"

Control.fori(0, 4, Tile.of(f32, 0), function* () {})
