/** A branch on a tile of conditions. */
import { bool, Control, Tile } from "effect-kernels"

Control.when(Tile.zeros(bool, [4]), function* () {})
