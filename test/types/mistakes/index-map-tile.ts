/** An index map that gives a tile and no list of positions. */
import { f32, MemRef } from "effect-kernels"

MemRef.in(f32, [8], { block: [4], index: (i) => i })
