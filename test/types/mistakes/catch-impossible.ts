/** Catching an error that cannot happen. */
import { Effect } from "effect"
import { Discharge, Interpreter, Kernel } from "effect-kernels"
import { saxpy } from "../kernels.ts"

const args = { a: 2, x: new Float32Array(8), y: new Float32Array(8) }
Kernel.run(saxpy, args).pipe(
  Interpreter.provide(Discharge.layer),
  Effect.catchTag("NotImplemented", () => Effect.succeed(0))
)
