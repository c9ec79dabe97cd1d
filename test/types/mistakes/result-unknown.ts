/** A result that the kernel does not have. */
import { Effect } from "effect"
import { Kernel } from "effect-kernels"
import { activated } from "../kernels.ts"

Effect.map(Kernel.run(activated, { x: new Float32Array(8) }), ({ x }) => x)
