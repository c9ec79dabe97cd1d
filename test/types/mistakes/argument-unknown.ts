/** An argument that the kernel does not have. */
import { Kernel } from "effect-kernels"
import { saxpy } from "../kernels.ts"

Kernel.run(saxpy, { a: 2, x: new Float32Array(8), y: new Float32Array(8), z: new Float32Array(8) })
