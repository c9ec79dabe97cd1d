/** Branches that give different dtypes. */
import { bool, Control, f32, i32, Tile } from "effect-kernels"

Control.cond(
  Tile.of(bool, true),
  function* () {
    return Tile.of(f32, 0)
  },
  function* () {
    return Tile.of(i32, 0)
  }
)
