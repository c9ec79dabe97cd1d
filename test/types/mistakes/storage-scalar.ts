/** A scalar parameter of a dtype that only memory has. */
import { i8, MemRef } from "effect-kernels"

MemRef.scalar(i8)
