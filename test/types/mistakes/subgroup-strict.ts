/** A kernel with subgroups on an interpreter that has none, provided strictly. */
import { Effect } from "effect"
import { Discharge, f32, Kernel, MemRef, Subgroup } from "effect-kernels"

const kernel = Kernel.make("k", { grid: [1], refs: { x: MemRef.inout(f32, [8]) } }, function* ({ x }) {
  yield* MemRef.store(x, yield* Subgroup.sum(yield* MemRef.load(x)))
})
const run = Kernel.run(kernel, { x: new Float32Array(8) })
Effect.runPromise(run.pipe(Effect.provide(Discharge.layer)))
