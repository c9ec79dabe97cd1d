/** A body that fails with its own error, where only a `KernelError` is expected. */
import { Effect } from "effect"
import { Discharge, f32, Kernel, type KernelError, MemRef } from "effect-kernels"

const k = Kernel.make("k", { grid: [1], refs: { x: MemRef.inout(f32, [8]) } }, function* ({ x }) {
  yield* MemRef.store(x, yield* Effect.fail("no"))
})
export const run: Effect.Effect<unknown, KernelError> = Kernel.run(k, { x: new Float32Array(8) }).pipe(
  Effect.provide(Discharge.layer)
)
