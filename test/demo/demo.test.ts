import { Effect, Layer } from "effect"
import { Discharge, Gpu, Interpreter, Kernel } from "effect-kernels"
import { GpuDevice } from "effect-kernels/node"
import { describe, expect, it } from "vitest"
import * as Image from "../../demo/image.ts"
import * as Kernels from "../../demo/kernels.ts"
import * as Reference from "./reference.ts"

// Neither side is a multiple of the blocks' sides, so that blocks stand out over the edges.
const [height, width] = [37, 83]
const sample = Image.crop(Image.boats(), 300, 500, height, width)
const gpu = Gpu.layer.pipe(Layer.provide(GpuDevice.layer))

const grey = Reference.greyscale(height, width, sample.pixels)
const blurred = Reference.blur(grey)
const edges = Reference.sobel(blurred)
const values = (picture: Reference.Grey) => Float32Array.from(picture.values)

const expectClose = (actual: Float32Array, expected: ArrayLike<number>, tolerance: number) => {
  expect(actual.length).toBe(expected.length)
  const worst = actual.reduce((max, x, k) => Math.max(max, Math.abs(x - expected[k]!)), 0)
  expect(worst).toBeLessThan(tolerance)
}

describe.each([
  ["Discharge", Discharge.layer],
  ["Gpu", gpu]
])("the demo's kernels on %s", (_, layer) => {
  const run = <A, E>(self: Effect.Effect<A, E, Layer.Success<typeof gpu>>): Promise<A> =>
    Effect.runPromise(self.pipe(Effect.provide(layer as typeof gpu)) as Effect.Effect<A, E>)

  it("make a colour picture grey", async () => {
    const { grey: actual } = await run(Kernel.run(Kernels.greyscale(height, width), { pixels: sample.pixels }))
    expectClose(actual, grey.values, 1e-4)
  })
  it("blur, edges included", async () => {
    const { o } = await run(Kernel.run(Kernels.blur(height, width), { x: values(grey) }))
    expectClose(o, blurred.values, 1e-3)
  })
  it("leave an even picture even when they blur it", async () => {
    const { o } = await run(Kernel.run(Kernels.blur(height, width), { x: new Float32Array(height * width).fill(200) }))
    expectClose(o, new Float32Array(height * width).fill(200), 1e-3)
  })
  it("find edges, and none around the picture", async () => {
    const { o } = await run(Kernel.run(Kernels.sobel(height, width), { x: values(blurred) }))
    expectClose(o, edges.values, 1e-2)
  })
  it("count each pixel of the picture once, and none beside it", async () => {
    const x = Float32Array.from(edges.values, Math.floor)
    const { bins } = await run(Kernel.run(Kernels.histogram(height, width), { x }))
    expect([...bins]).toEqual(Reference.histogram({ width, height, values: x }))
  })
  it("make all levels equally frequent", async () => {
    const x = Float32Array.from(grey.values, Math.floor)
    const bins = Int32Array.from(Reference.histogram({ width, height, values: x }))
    const { table } = await run(Kernel.run(Kernels.equalisation, { bins }))
    expectClose(table, Reference.equalisation([...bins]), 1e-3)
    const { o } = await run(Kernel.run(Kernels.equalise(height, width), { x, table }))
    expect([...o]).toEqual([...x].map((level) => table[level]))
    expect(Math.max(...o)).toBe(255)
    expect(Math.min(...o)).toBe(0)
  })
  it("equalise a picture of one level without dividing by zero", async () => {
    const bins = new Int32Array(256)
    bins[7] = 100
    const { table } = await run(Kernel.run(Kernels.equalisation, { bins }))
    expect([...table].every((x) => x === 0)).toBe(true)
  })
})

describe("the demo's kernel with inline WGSL", () => {
  const contrast = Kernel.run(Kernels.contrast(height, width), { x: values(grey) })
  const expected = Array.from(grey.values, (x) => 255 / (1 + Math.exp((127.5 - x) / 32)))

  it("fails typed on Discharge, which has no rule for it", async () => {
    const failed = contrast.pipe(
      Effect.as("ran"),
      Interpreter.provide(Discharge.layer),
      Effect.catchTag("NotImplemented", (e) => Effect.succeed(e.message))
    )
    expect(await Effect.runPromise(failed)).toMatch(/contrast.*Discharge.*curve/)
  })
  it("passes by fallback to the GPU", async () => {
    const { o } = await Effect.runPromise(contrast.pipe(Effect.provide(Interpreter.orElse(Discharge.layer, gpu))))
    expectClose(o, expected, 0.05)
  })
})
