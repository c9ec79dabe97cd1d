/** A ref of another kernel, by name. */
import { f32, Kernel, MemRef } from "effect-kernels"

declare const foreign: MemRef.MemRef<"zz", "f32", [8], "inout">
const k = Kernel.make("k", { grid: [1], refs: { x: MemRef.inout(f32, [8]) } }, function* ({ x }) {
  yield* MemRef.store(x, yield* MemRef.load(foreign))
})
Kernel.run(k, { x: new Float32Array(8) })
