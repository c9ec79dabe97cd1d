/** A branch without an alternative that gives a value. */
import { bool, Control, f32, Tile } from "effect-kernels"

Control.when(Tile.of(bool, true), function* () {
  return Tile.of(f32, 1)
})
