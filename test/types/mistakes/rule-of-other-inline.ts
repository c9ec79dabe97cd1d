/** A rule of another inline, provided strictly. */
import { Effect, Layer } from "effect"
import { Discharge, f32, Inline, Kernel } from "effect-kernels"
import { activated } from "../kernels.ts"

const swish = Inline.elementwise("swish", { args: { x: f32 }, result: f32, wgsl: "return x / (1.0 + exp(-x));" })
const taught = Layer.merge(
  Discharge.layer,
  Discharge.rule(swish, ({ x }) => x)
)
Effect.runPromise(Kernel.run(activated, { x: new Float32Array(8) }).pipe(Effect.provide(taught)))
