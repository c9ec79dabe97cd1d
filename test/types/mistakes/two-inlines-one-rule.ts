/** One rule for two inlines, provided strictly. */
import { Effect, Layer } from "effect"
import { Discharge, f32, Inline, Kernel, MemRef } from "effect-kernels"
import { gelu } from "../kernels.ts"

const swish = Inline.elementwise("swish", { args: { x: f32 }, result: f32, wgsl: "return x / (1.0 + exp(-x));" })
const k = Kernel.make("k", { grid: [1], refs: { x: MemRef.inout(f32, [8]) } }, function* ({ x }) {
  yield* MemRef.store(x, yield* swish(yield* gelu(yield* MemRef.load(x))))
})
const taught = Layer.merge(
  Discharge.layer,
  Discharge.rule(gelu, ({ x }) => x)
)
Effect.runPromise(Kernel.run(k, { x: new Float32Array(8) }).pipe(Effect.provide(taught)))
