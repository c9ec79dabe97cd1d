/** Every example on the browser's own device. */
import { Effect, Layer } from "effect"
import { Gpu, GpuDevice, Interpreter } from "effect-kernels"
import { examples } from "../../../examples/support/all.ts"

const all = Effect.forEach(examples, ({ main, name }) => Effect.map(main, (out) => [name, out] as const))

export const main = () =>
  Effect.runPromise(
    Effect.map(all, Object.fromEntries).pipe(Interpreter.provide(Gpu.layer.pipe(Layer.provide(GpuDevice.layer))))
  )
