import { Effect, Layer } from "effect"
import { Gpu, Interpreter } from "effect-kernels"
import { GpuDevice } from "effect-kernels/node"
import { fileURLToPath } from "node:url"
import { beforeAll, describe, expect, it } from "vitest"
import { examples } from "../../examples/support/all.ts"
import { type Arrays, difference } from "../../examples/support/example.ts"
import { runInBrowser } from "./harness.ts"

const node = Gpu.layer.pipe(Layer.provide(GpuDevice.layer))
const page = fileURLToPath(new URL("pages/examples.ts", import.meta.url))

let inBrowser: { readonly [example: string]: Arrays }
beforeAll(async () => {
  inBrowser = (await runInBrowser(page, { timeout: 110_000 })) as typeof inBrowser
})

const bits = (array: Arrays[string]) => [...new Uint8Array(array.buffer, array.byteOffset, array.byteLength)]

describe("the examples in a browser", () => {
  it.each(examples)("$name gives what it should", ({ expected, name, tolerance }) => {
    for (const [ref, array] of Object.entries(expected))
      expect(difference(inBrowser[name]![ref]!, array), ref).toBeLessThanOrEqual(tolerance)
  })
  it.each(examples.filter((e) => e.tolerance === 0))("$name gives the bits that it gives on Node", async (example) => {
    const onNode = await Effect.runPromise(example.main.pipe(Interpreter.provide(node)))
    for (const [ref, array] of Object.entries(onNode)) expect(bits(inBrowser[example.name]![ref]!)).toEqual(bits(array))
  })
})
