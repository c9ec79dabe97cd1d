/** The page of the browser test: runs every example on the browser's own device. */
import { Effect, Layer } from "effect"
import { Gpu, GpuDevice } from "effect-kernels"
import { examples } from "../../examples/support/all.ts"
import type { Arrays } from "../../examples/support/example.ts"

const gpu = Gpu.layer.pipe(Layer.provide(GpuDevice.layer))

export const main = (): Promise<unknown> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const results: { [name: string]: { [ref: string]: ReadonlyArray<number> } } = {}
      for (const example of examples) {
        const out = yield* example.main as Effect.Effect<Arrays>
        results[example.name] = Object.fromEntries(Object.entries(out).map(([ref, array]) => [ref, Array.from(array)]))
      }
      return results
    }).pipe(Effect.provide(gpu))
  )
