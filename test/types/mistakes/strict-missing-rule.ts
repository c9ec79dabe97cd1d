/** An inline without a rule, provided strictly. */
import { Effect } from "effect"
import { Discharge, Kernel } from "effect-kernels"
import { activated } from "../kernels.ts"

Effect.runPromise(Kernel.run(activated, { x: new Float32Array(8) }).pipe(Effect.provide(Discharge.layer)))
