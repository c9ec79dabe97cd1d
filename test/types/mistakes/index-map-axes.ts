/** An index map with fewer positions than the array has axes. */
import { f32, MemRef } from "effect-kernels"

MemRef.in(f32, [8, 8], { block: [4, 4], index: (i) => [i] })
