/** What the evaluator refuses. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { discharge } from "../../src/discharge/discharge.ts"
import { evaluate, type EvaluateOptions } from "../../src/discharge/evaluate.ts"
import type { Program } from "../../src/ir/program.ts"
import type * as DType from "../../src/DType.ts"
import { primitive } from "../../src/primitives/index.ts"
import { f, program, ref } from "../support/ir.ts"

const p = program({ grid: [3], refs: [ref("x", "f32", [2])] }, (b) => b.accumulate("x", f(1)))
const failure = (p: Program, args: Record<string, DType.HostArray>, options?: EvaluateOptions) =>
  Effect.runPromise(Effect.flip(evaluate(p, new Map(Object.entries(args)), options)))
const x = new Float32Array(2)

describe("evaluation refuses", () => {
  it("an argument that is missing, of another type or of another length", async () => {
    const pure = await Effect.runPromise(discharge(p))
    const reason = { _tag: "InvalidArgument", ref: "x", expected: "Float32Array of 2" }
    expect(await failure(pure, {})).toMatchObject({ reason: { ...reason, actual: "nothing" } })
    expect(await failure(pure, { x: new Int32Array(2) })).toMatchObject({
      reason: { ...reason, actual: "Int32Array of 2" }
    })
    expect(await failure(pure, { x: new Float32Array(3) })).toMatchObject({
      reason: { ...reason, actual: "Float32Array of 3" }
    })
  })
  it("an order that is no permutation", async () => {
    const pure = await Effect.runPromise(discharge(p))
    for (const order of [() => [0, 1], () => [0, 1, 1], () => [1, 2, 3]])
      expect(await failure(pure, { x }, { order })).toMatchObject({ reason: { _tag: "InvalidArgument", ref: "order" } })
  })
  it("a program that still has effects", async () => {
    expect(await failure(p, { x })).toMatchObject({ reason: { _tag: "InvalidProgram" } })
  })
  it("a primitive without an evaluation rule", async () => {
    const pure = await Effect.runPromise(discharge(p))
    const primitives = (name: string) => {
      if (name !== "viewAdd") return primitive(name)
      const { evaluate: _, ...rest } = primitive(name)!
      return rest
    }
    expect(await failure(pure, { x }, { primitives })).toMatchObject({
      reason: { _tag: "Unsupported", primitive: "viewAdd" }
    })
  })
})
