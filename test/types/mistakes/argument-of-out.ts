/** An argument for an `out` ref. */
import { Kernel } from "effect-kernels"
import { activated } from "../kernels.ts"

Kernel.run(activated, { x: new Float32Array(8), o: new Float32Array(8) })
