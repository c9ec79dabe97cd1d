/** A dtype by its name. */
import { MemRef } from "effect-kernels"

MemRef.in("f32", [8])
