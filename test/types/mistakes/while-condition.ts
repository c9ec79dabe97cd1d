/** A loop's condition that is not bool. */
import { Control, f32, Tile } from "effect-kernels"

Control.whileLoop(
  Tile.of(f32, 0),
  function* (x) {
    return x
  },
  function* (x) {
    return x.add(1)
  }
)
