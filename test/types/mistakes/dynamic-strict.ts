/** A parsed kernel, provided strictly. */
import { Effect } from "effect"
import { Discharge, Kernel } from "effect-kernels"

const run = Effect.gen(function* () {
  const kernel = yield* Kernel.parse("")
  yield* Kernel.run(kernel, {})
})
Effect.runPromise(run.pipe(Effect.provide(Discharge.layer)))
