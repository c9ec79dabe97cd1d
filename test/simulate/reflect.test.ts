/** Another implementation reads the emitted WGSL of the examples, gives the same values and sees the same races. */
import { Result } from "effect"
import { expect, describe, it } from "vitest"
import { examples } from "../../examples/support/all.ts"
import { fromWords, toWords } from "../../src/gpu/words.ts"
import * as Shape from "../../src/Shape.ts"
import { barriersOf, withoutBarrier } from "../../src/simulate/lowered/blocks.ts"
import { checkLowered } from "../../src/simulate/lowered/checker.ts"
import { difference } from "../../examples/support/example.ts"
import type { Module } from "../../src/wgsl/module.ts"
import { emitted, exampleRuns, lowered, type Run } from "../support/lowered.ts"
import { type Emulated, emulate } from "../support/reflect.ts"

const options = { schedule: { workgroupSize: 8 } }
const on = (module: Module, { args, program }: Run): Emulated =>
  emulate(
    module,
    new Map(
      program.refs
        .filter((ref) => ref.access !== "out")
        .map((ref) => [ref.name, toWords(ref.dtype, args.get(ref.name)!)])
    )
  )
/** What it cannot run: matmul takes it long, and an exchange gives it no structure. */
const isUnfit = ({ name }: Run, module: Module): boolean =>
  name === "matmul" || module.code.includes("atomicCompareExchangeWeak")
const runs = await exampleRuns()

describe.each(runs.map((run) => [run.name, run] as const))(
  "another interpreter of WGSL, on the example %s",
  (name, run) => {
    const module = emitted(run.program, options, (l) => l)
    it.skipIf(isUnfit(run, module))("gives its results, sees no race, and understands all of it", () => {
      const { errors, logged, races, words } = on(module, run)
      expect([...races, ...errors, ...logged]).toEqual([])
      const example = examples.find((e) => e.name === name)
      for (const ref of run.program.refs) {
        const expected = example?.expected[ref.name]
        if (expected === undefined) continue
        const actual = fromWords(ref.dtype, words.get(ref.name)!, Shape.size(ref.shape))
        expect(difference(actual, expected)).toBeLessThanOrEqual(Math.max(example!.tolerance, 0))
      }
    })
    const { lowered: of, storage } = lowered(run, options)
    for (const { number, site } of barriersOf(of))
      it(`sees the race that our checker sees without barrier ${number}, at ${site.path}`, () => {
        const without = withoutBarrier(of, number)
        const { findings } = Result.getOrThrow(checkLowered(without, storage(), { inlines: () => (x) => x! }))
        const ours = new Set(findings.map((f) => (f._tag === "Race" ? f.memory : f._tag)))
        const { races } = on(
          emitted(run.program, options, (l) => withoutBarrier(l, number)),
          run
        )
        expect([...races].toSorted()).toEqual([...ours].toSorted())
      })
  }
)
