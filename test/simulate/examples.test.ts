/**
 * The examples make no mistakes, and those of the records only what they are there to show.
 */
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { Simulator } from "../../src/index.ts"
import { gelu, meaning } from "../../examples/gelu.ts"
import { examples } from "../../examples/support/all.ts"
import { type Arrays, difference } from "../../examples/support/example.ts"
import { primitives } from "../../src/primitives/index.ts"
import { examine } from "../../src/simulate/check.ts"
import { runnable } from "../support/examples.ts"
import { schedules } from "../support/simulated.ts"

describe.each(examples.map((e) => [e.name, e] as const))("the example %s", (_, example) => {
  it.each(schedules)("has no findings and gives what plain code gives: %j", async (how) => {
    const taught = Layer.merge(Simulator.layer(how), Simulator.rule(gelu, meaning))
    const run = Effect.provide(example.main as Effect.Effect<Arrays, unknown, any>, taught)
    const out = await Effect.runPromise(run as Effect.Effect<Arrays>)
    for (const [ref, expected] of Object.entries(example.expected))
      expect(difference(out[ref]!, expected), ref).toBeLessThanOrEqual(example.tolerance)
  })
})

/** What examples of records show by a mistake. */
const shown: { readonly [name: string]: ReadonlyArray<Simulator.Finding["_tag"]> } = {
  // Positions outside of a ref: what is read there is 0, what is written there is lost.
  load: ["OutOfBounds"],
  accumulate: ["OutOfBounds"],
  // Fresh outputs and scratch are 0.
  store: ["Uninitialised"],
  scoped: ["Uninitialised"],
  // What is in flight has read its source, as far as results go.
  copyStart: ["Race"],
  multiplyAccumulate: ["Race"],
  // One arrival of two is no phase.
  barrierWait: ["Stuck"]
}

describe("the examples of the records", () => {
  it.each(primitives.map((p) => [p.name, p] as const))("%s", async (name, record) => {
    const { args, program } = runnable(record, record.example)
    const report = await Effect.runPromise(examine(program, new Map(Object.entries(args)), { schedules }))
    expect(report.findings.map((f) => f._tag).sort()).toEqual([...(shown[name] ?? [])].sort())
    for (const { hint } of report.findings) expect(hint).not.toBe("")
  })
})
