/** Every example gives what plain code gives, on the CPU and on the GPU. */
import { readdirSync } from "node:fs"
import { Effect, Layer, ManagedRuntime } from "effect"
import { Discharge, Gpu, Interpreter } from "effect-kernels"
import { GpuDevice } from "effect-kernels/node"
import { afterAll, describe, expect, it } from "vitest"
import { refused, taughtByLayer } from "../../examples/gelu.ts"
import { examples } from "../../examples/support/all.ts"
import { type Arrays, difference, type Example } from "../../examples/support/example.ts"

const gpu = Gpu.layer.pipe(Layer.provide(GpuDevice.layerSoftware))
const onGpu = ManagedRuntime.make(gpu)
const onEither = ManagedRuntime.make(Interpreter.orElse(Discharge.layer, gpu))
afterAll(() => Promise.all([onGpu.dispose(), onEither.dispose()]))

const agrees = (example: Example, out: Arrays) => {
  for (const [ref, expected] of Object.entries(example.expected))
    expect(difference(out[ref]!, expected), `${example.name}: ${ref}`).toBeLessThanOrEqual(example.tolerance)
}
const run = (runtime: ManagedRuntime.ManagedRuntime<any, any>, example: Example): Promise<Arrays> =>
  runtime.runPromise(example.main as Effect.Effect<Arrays>)

describe("the examples", () => {
  it("are all in the list", () => {
    const files = readdirSync(new URL("../../examples", import.meta.url)).filter((name) => name.endsWith(".ts"))
    expect(files).toHaveLength(examples.length)
  })
  it.each(examples.map((e) => [e.name, e] as const))(
    "%s gives what plain code gives on the GPU",
    async (_, example) => {
      agrees(example, await run(onGpu, example))
    }
  )
  it.each(examples.map((e) => [e.name, e] as const))(
    "%s gives it on the CPU, or falls back to the GPU",
    async (_, example) => {
      agrees(example, await run(onEither, example))
    }
  )
  it("gelu without a rule is refused on the CPU, with its name, the reason and the remedy", async () => {
    const message = await Effect.runPromise(refused as Effect.Effect<unknown>)
    expect(message).toContain('Discharge has no rule for "gelu"')
    expect(message).toContain("give it a discharge rule")
    expect(message).toContain("gelu.ts:")
  })
  it("gelu with a rule from a layer runs on the CPU", async () => {
    const { o } = await Effect.runPromise(taughtByLayer)
    expect(difference(o, examples.find((e) => e.name === "gelu")!.expected["o"]!)).toBeLessThanOrEqual(2e-6)
  })
})
