/** The examples of the records, which documentation shows, are true on every interpreter. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { check } from "../../src/ir/check.ts"
import { type Family, type Primitive, pure } from "../../src/ir/primitive.ts"
import { fromProgram } from "../../src/Kernel.ts"
import { primitive, primitives } from "../../src/primitives/index.ts"
import { equationsOf, runnable } from "../support/examples.ts"
import { discharge, interpreters, simulator, type Subject } from "../support/interpreters.ts"
import { refused, results } from "../support/kernels.ts"
import { agrees } from "./agree.ts"
import { use } from "./families.ts"

const examples = primitives.map((p) => [p.name, p, p.example] as const)

/** Tags of the effects that equations of a family may have; `undefined` where they are those of regions or declared. */
const effectsOf: { readonly [F in Family]?: ReadonlyArray<string> } = {
  arithmetic: [],
  math: [],
  compare: [],
  convert: [],
  shape: [],
  reduce: [],
  dot: [],
  grid: ["Threads"],
  memory: ["Read", "Write", "Accum"],
  atomic: ["Read", "Write"],
  copy: ["Read", "Write", "Accum", "Memory", "Threads"],
  barrier: ["Read", "Write", "Memory"],
  matrix: ["Read", "Write", "Memory", "Pipeline"],
  semaphore: ["Read", "Write", "Semaphore"],
  subgroup: ["Subgroup"],
  debug: ["Debug"]
}

/** Whether a number is what the example says; for functions of numbers, within what the record allows. */
const holds = (record: Primitive, k: number, i: number, actual: number, expected: number): boolean => {
  const { elementwise, example } = record
  if (elementwise === undefined || "program" in example)
    return actual === expected || (Number.isNaN(actual) && Number.isNaN(expected))
  expect(k).toBe(0)
  const args = example.operands.map((o) => o.data[i]!)
  return agrees(use(record.name, example.operands.at(-1)!.dtype, example.params), args, expected, actual)
}
const isMissing = ({ control, discharge: rule, evaluate, lanes, simulate, wgsl }: Primitive, on: Subject): boolean =>
  (on === discharge ? (evaluate ?? control ?? rule) : on === simulator ? (simulate ?? evaluate ?? lanes) : wgsl) ===
  undefined

describe.each(examples)("the example of %s", (name, record, example) => {
  const ready = runnable(record, example)
  it("is a program that the checker passes, and holds the primitive", () => {
    expect(check(ready.program, primitive)).toBeUndefined()
    expect(equationsOf(record, ready).length).toBeGreaterThan(0)
  })
  it("has the effects of its family", () => {
    const allowed = effectsOf[record.family]
    for (const eqn of equationsOf(record, ready)) {
      if (record.effects === pure) expect(eqn.effects).toEqual([])
      if (allowed !== undefined) for (const { _tag } of eqn.effects) expect(allowed).toContain(_tag)
      for (const e of eqn.effects)
        if ("ref" in e && eqn.regions.length === 0) expect(eqn.refs.map((r) => r.name)).toContain(e.ref)
    }
  })
  it.each(interpreters)("gives what it says on $name", async (on) => {
    const kernel = await Effect.runPromise(fromProgram(ready.program))
    // Provided strictly, a rule that is missing is one that the layer's type claims.
    const missing = ready.program.threads === undefined ? name : "threads"
    if (isMissing(record, on)) return refused("Unsupported", kernel, ready.args as never, { says: [missing], on })
    const actual = await results(kernel, ready.args, on)
    Object.entries(ready.results).forEach(([ref, expected], k) => {
      const got = Array.from(actual[ref]!)
      const wrong = expected.filter((x, i) => !holds(record, k, i, got[i]!, x))
      if (wrong.length > 0 || got.length !== expected.length) expect(got, ref).toEqual(expected)
    })
  })
})
