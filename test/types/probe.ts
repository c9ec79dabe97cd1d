import { Effect, Layer } from "effect"
import { Discharge, f32, Gpu, GpuDevice, Interpreter, Kernel, MemRef, Tile, Block } from "effect-kernels"

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
declare const x: Float32Array
const run = Kernel.run(softmax(64, 1000), { x })          // Effect<{ o: Float32Array }, KernelError, Interpreter | Read<"x"> | Write<"o">>
const gpu = Gpu.layer.pipe(Layer.provide(GpuDevice.layer)) // GpuDevice: navigator.gpu here, Dawn from effect-kernels/node
run.pipe(Effect.provide(gpu))                              // strict: an effect that the layer cannot interpret is a compile error
run.pipe(Interpreter.provide(Discharge.layer))  
export const a = MemRef.in(f32, [8, 8, 3], { block: [4, null, Block.element(3)], index: (i, j, k) => [i, j.mul(2), k] })
export const b = MemRef.in(f32, [8, 8, 3], { block: [4, null, Block.element(3)], index: (...ids) => [...ids] })
export const c = MemRef.in(f32, [8, 8, 3], { block: [4, null, Block.element(3)], indexWith: ({ n }, i) => [n!, i, 0] })
