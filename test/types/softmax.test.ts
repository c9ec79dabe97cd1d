/** The first example that a user sees, in the letters of the design. */
import { Effect, Layer } from "effect"
import {
  Discharge,
  type Effects,
  f32,
  Gpu,
  GpuDevice,
  Interpreter,
  Kernel,
  type KernelError,
  MemRef,
  Tile
} from "effect-kernels"
import { describe, expect, expectTypeOf, it } from "vitest"

// prettier-ignore
const softmax = (rows: number, cols: number) =>
  Kernel.make("softmax", {
    grid: [rows],
    refs: {
      x: MemRef.in(f32, [rows, cols], { block: [1, cols], index: (i) => [i, 0] }),
      o: MemRef.out(f32, [rows, cols], { block: [1, cols], index: (i) => [i, 0] })
    }
  }, function*({ x, o }) {
    const v = yield* MemRef.load(x)
    const e = v.sub(Tile.max(v, { axis: 1, keepDims: true })).exp()
    yield* MemRef.store(o, e.div(Tile.sum(e, { axis: 1, keepDims: true })))
  })

const [rows, cols] = [4, 7]
const x = Float32Array.from({ length: rows * cols }, (_, i) => (i * 5) % 11)
const run = Kernel.run(softmax(rows, cols), { x })
const gpu = Gpu.layer.pipe(Layer.provide(GpuDevice.layer))

const row = (r: number): ReadonlyArray<number> => {
  const part = [...x.subarray(r * cols, (r + 1) * cols)].map((v) => Math.exp(v))
  return part.map((v) => v / part.reduce((a, b) => a + b))
}
const expected = Array.from({ length: rows }, (_, r) => row(r)).flat()

describe("the softmax of the design", () => {
  it("has in its type what it gives, how it fails and what it needs", () => {
    expectTypeOf(run).toEqualTypeOf<
      Effect.Effect<
        { readonly o: Float32Array },
        KernelError,
        Interpreter.Interpreter | Effects.Read<"x"> | Effects.Write<"o">
      >
    >()
    const strict = run.pipe(Effect.provide(gpu))
    expectTypeOf<Effect.Services<typeof strict>>().toEqualTypeOf<never>()
  })
  it("runs on the CPU, provided leniently", async () => {
    const { o } = await Effect.runPromise(run.pipe(Interpreter.provide(Discharge.layer)))
    o.forEach((v, i) => expect(v).toBeCloseTo(expected[i]!, 6))
  })
})
