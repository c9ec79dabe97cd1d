/** A loop that changes its carry's shape. */
import { Control, f32, Tile } from "effect-kernels"

Control.fori(0, 4, Tile.zeros(f32, [4, 8]), function* (_, acc) {
  return Tile.sum(acc, { axis: 1 })
})
