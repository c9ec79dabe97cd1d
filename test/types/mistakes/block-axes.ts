/** A block with fewer axes than its array. */
import { f32, MemRef } from "effect-kernels"

MemRef.in(f32, [8, 8], { block: [4], index: (i, j) => [i, j] })
