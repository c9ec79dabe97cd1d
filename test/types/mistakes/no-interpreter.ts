/** A run without an interpreter. */
import { Effect } from "effect"
import { Kernel } from "effect-kernels"
import { activated } from "../kernels.ts"

Effect.runPromise(Kernel.run(activated, { x: new Float32Array(8) }))
