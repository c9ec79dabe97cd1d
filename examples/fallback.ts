import { Kernel } from "effect-kernels"
import { activated } from "./gelu.ts"
import { type Example, runIfMain, samples } from "./support/example.ts"

/**
 * A kernel that only a GPU can run, under `Interpreter.orElse(Discharge.layer, gpu)`: the CPU refuses it when it is
 * compiled, before anything runs, and the GPU takes it.
 */
const x = samples(200)

export const example: Example = {
  name: "fallback",
  about: "inline WGSL without a rule: refused by the CPU, taken by the GPU",
  main: Kernel.run(activated, { x }),
  expected: { o: x.map((v) => 0.5 * v * (1 + Math.tanh(0.7978845608 * (v + 0.044715 * v ** 3)))) },
  tolerance: 2e-5
}
runIfMain(import.meta.url, example)
