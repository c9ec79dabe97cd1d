import { it } from "vitest"
import { Effect } from "effect"
import { f32, Kernel, MemRef, Tile } from "../../src/index.ts"
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
it("x", async () => {
  const k = softmax(64, 1000)
  console.log(await Effect.runPromise((Kernel as any).print(k)))
  console.log(await Effect.runPromise((Kernel as any).wgsl(k)))
})
