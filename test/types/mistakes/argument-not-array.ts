/** A number for an array. */
import { Kernel } from "effect-kernels"
import { saxpy } from "../kernels.ts"

Kernel.run(saxpy, { a: 2, x: 3, y: new Float32Array(8) })
