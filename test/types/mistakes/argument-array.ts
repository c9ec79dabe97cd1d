/** A host array of another dtype. */
import { Kernel } from "effect-kernels"
import { saxpy } from "../kernels.ts"

Kernel.run(saxpy, { a: 2, x: new Float32Array(8), y: new Int32Array(8) })
