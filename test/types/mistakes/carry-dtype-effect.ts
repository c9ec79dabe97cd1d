/** A loop that changes its carry's dtype, with an effect for a body. */
import { Effect } from "effect"
import { Control, f32, Tile } from "effect-kernels"

Control.fori(0, 4, Tile.of(f32, 0), (i) => Effect.succeed(i))
