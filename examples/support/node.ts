/** Runs an example on the CPU and on the best GPU that Node finds, and prints what came out. */
import { Effect, Layer } from "effect"
import { Discharge, Gpu, Interpreter } from "effect-kernels"
import { GpuDevice } from "effect-kernels/node"
import { type Arrays, difference, type Example } from "./example.ts"

const report = (where: string, example: Example, out: Arrays) => {
  for (const [ref, array] of Object.entries(example.expected)) {
    const head = Array.from(out[ref]!.slice(0, 6), (v) => Number(v.toPrecision(5))).join(", ")
    console.log(
      `  ${where.padEnd(10)} ${ref}: ${head}, …  largest difference ${difference(out[ref]!, array).toExponential(1)}`
    )
  }
}

export const run = (example: Example): Promise<void> => {
  const gpu = Gpu.layer.pipe(Layer.provide(GpuDevice.layer))
  const either = Interpreter.orElse(Discharge.layer, gpu)
  console.log(`${example.name}: ${example.about}`)
  return Effect.runPromise(
    Effect.gen(function* () {
      report("Discharge", example, yield* example.main.pipe(Interpreter.provide(either)))
      report("Gpu", example, yield* example.main.pipe(Interpreter.provide(gpu)))
    })
  )
}
