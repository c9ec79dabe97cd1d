/** The WGSL of kernels, as people read it. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { Effect, Result } from "effect"
import { describe, expect, it } from "vitest"
import { histogram } from "../../examples/histogram.ts"
import { layerNorm } from "../../examples/layer-norm.ts"
import { matmul } from "../../examples/matmul.ts"
import { prefixSum } from "../../examples/prefix-sum.ts"
import { saxpy } from "../../examples/saxpy.ts"
import { softmax } from "../../examples/softmax.ts"
import { stencil } from "../../examples/stencil.ts"
import type { Program } from "../../src/ir/program.ts"
import { compile } from "../../src/wgsl/compile.ts"
import { control, inlines, large, scratch } from "./kernels.ts"

const kernels: { readonly [name: string]: { readonly trace: Effect.Effect<Program, unknown, any> } } = {
  histogram: histogram(700, 16, 64),
  layerNorm: layerNorm(8, 100),
  matmul: matmul(40, 50, 24, { m: 16, k: 16, n: 16 }),
  prefixSum: prefixSum(300, 128),
  saxpy: saxpy(1000),
  softmax: softmax(8, 1000),
  stencil: stencil(30, 21),
  control,
  inlines,
  large: large(128),
  scratch
}
const folder = new URL("./golden/", import.meta.url)
/** Compares with a stored text; `UPDATE_GOLDEN=1` stores it. */
const golden = (name: string, text: string): void => {
  const file = new URL(`${name}.wgsl`, folder)
  if (process.env["UPDATE_GOLDEN"] === "1") {
    mkdirSync(folder, { recursive: true })
    writeFileSync(file, text)
  }
  expect(existsSync(file), `${name}.wgsl is missing; UPDATE_GOLDEN=1 makes it`).toBe(true)
  expect(text).toBe(readFileSync(file, "utf8"))
}
/** The text from the entry point on, after the declarations of memory; helpers have tests of their own. */
const readable = (code: string): string => {
  const lines = code.split("\n")
  const entry = lines.indexOf("") + 1
  return [...lines.filter((line, k) => k < entry && /^(@group|var<)/.test(line)), "", ...lines.slice(entry)].join("\n")
}

describe("the WGSL of a kernel stays as it was", () => {
  for (const [name, kernel] of Object.entries(kernels))
    it(name, async () => {
      const program = await Effect.runPromise(kernel.trace as Effect.Effect<Program>)
      golden(name, readable(Result.getOrThrow(compile(program, { positions: false })).code))
    })
})
