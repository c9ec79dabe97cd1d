/** Floats for a ref of bf16, whose host array holds bits. */
import { bf16, Kernel, MemRef } from "effect-kernels"

const k = Kernel.make("k", { grid: [1], refs: { x: MemRef.inout(bf16, [2]) } }, function* () {})
Kernel.run(k, { x: new Float32Array(2) })
