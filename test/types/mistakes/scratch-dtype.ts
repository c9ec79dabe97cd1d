/** Scratch that is stored to as another dtype. */
import { f32, i32, MemRef, Scratch, Tile } from "effect-kernels"

Scratch.scoped(Scratch.workgroup(f32, [4]), function* (s) {
  yield* MemRef.store(s, Tile.zeros(i32, [4]))
})
