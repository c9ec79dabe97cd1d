/** A second provider after the first: nothing is left to interpret. */
import { Effect } from "effect"
import { Discharge, Interpreter, Kernel } from "effect-kernels"
import { activated } from "../kernels.ts"

const run = Kernel.run(activated, { x: new Float32Array(8) }).pipe(
  Interpreter.provide(Discharge.layer),
  Interpreter.provide(Discharge.layer)
)
Effect.runPromise(run.pipe(Effect.catchTag("KernelError", () => Effect.succeed(0)))) satisfies Promise<number>
