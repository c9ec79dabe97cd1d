/** An array for a scalar parameter. */
import { Kernel } from "effect-kernels"
import { saxpy } from "../kernels.ts"

Kernel.run(saxpy, { a: new Float32Array(1), x: new Float32Array(8), y: new Float32Array(8) })
