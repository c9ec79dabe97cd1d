/** A plain list for an array. */
import { Kernel } from "effect-kernels"
import { saxpy } from "../kernels.ts"

Kernel.run(saxpy, { a: 2, x: [1, 2, 3, 4, 5, 6, 7, 8], y: new Float32Array(8) })
