/** A body that asks for a service, which nobody provides. */
import { Context, Effect } from "effect"
import { Discharge, f32, Kernel, MemRef } from "effect-kernels"

class Db extends Context.Service<Db, number>()("Db") {}
const k = Kernel.make("k", { grid: [1], refs: { x: MemRef.inout(f32, [8]) } }, function* ({ x }) {
  yield* MemRef.store(x, yield* Db)
})
Effect.runPromise(Kernel.run(k, { x: new Float32Array(8) }).pipe(Effect.provide(Discharge.layer)))
