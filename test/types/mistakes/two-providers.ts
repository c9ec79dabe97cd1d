/** A second provider, which is not asked for what the first one lacks: that is `Interpreter.orElse`. */
import type { Effect } from "effect"
import { Discharge, Gpu, Interpreter, Kernel, type KernelError } from "effect-kernels"
import { activated } from "../kernels.ts"

export const run: Effect.Effect<unknown, KernelError, unknown> = Kernel.run(activated, { x: new Float32Array(8) }).pipe(
  Interpreter.provide(Discharge.layer),
  Interpreter.provide(Gpu.layer)
)
