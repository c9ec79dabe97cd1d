/** A loop that changes its carry's dtype. */
import { Control, f32, Tile } from "effect-kernels"

Control.fori(0, 4, Tile.of(f32, 0), function* (i) {
  return i
})
