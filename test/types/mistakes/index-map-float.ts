/** An index map that gives a float. */
import { f32, MemRef } from "effect-kernels"

MemRef.in(f32, [8], { block: [4], index: (i) => [i.convert(f32)] })
