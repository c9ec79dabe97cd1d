/** An inline without a rule, provided leniently, where only a `KernelError` is expected. */
import type { Effect } from "effect"
import { Discharge, Interpreter, Kernel, type KernelError } from "effect-kernels"
import { activated } from "../kernels.ts"

export const run: Effect.Effect<unknown, KernelError> = Kernel.run(activated, { x: new Float32Array(8) }).pipe(
  Interpreter.provide(Discharge.layer)
)
