/**
 * Another implementation reads the emitted WGSL, gives the values of Discharge and sees the same races, with and without each
 * barrier. Where it is wrong, the list of its faults says so, each with a minimal kernel.
 */
import { Effect, Result } from "effect"
import { describe, expect, it } from "vitest"
import { matmul } from "../../examples/matmul.ts"
import { examples } from "../../examples/support/all.ts"
import { difference as distance, samples as numbers } from "../../examples/support/example.ts"
import { discharge } from "../../src/discharge/discharge.ts"
import { fromWords, toWords } from "../../src/gpu/words.ts"
import * as Shape from "../../src/Shape.ts"
import type { Lowered } from "../../src/ir/lowered.ts"
import { barriersOf, withoutBarrier } from "../../src/simulate/lowered/blocks.ts"
import { checkLowered } from "../../src/simulate/lowered/checker.ts"
import { difference, showDifference } from "../../src/verify/agree.ts"
import { argumentsOf } from "../../src/verify/case.ts"
import { track } from "../../src/verify/trust/track.ts"
import { primitive } from "../../src/primitives/index.ts"
import type { Module } from "../../src/wgsl/module.ts"
import { emitted, exampleRuns, lowered, type Run, traced } from "../support/lowered.ts"
import { asItIs, detect, type Emulated, emulate, type Ways } from "../support/reflect.ts"
import { all, type Fault, open, remedied } from "../support/reflectFaults.ts"
import { samples } from "../verify/support.ts"

// --- its faults ---------------------------------------------------------------------------------------------------------

const asSeen = ({ code }: Fault, ways: Ways) => {
  const o = new Uint32Array(4)
  const { errors, logged, races } = detect(code, [o.buffer], ways)
  return { gives: [...o], races: [...races], told: [...errors, ...logged] }
}
const asWanted = ({ gives, races }: Fault, seen: ReturnType<typeof asSeen>) => ({
  gives: gives ?? seen.gives,
  races,
  told: []
})

describe("a fault of the other implementation:", () => {
  it.each(remedied.map((f) => [f.name, f] as const))("%s; and not under its remedy", (_, fault) => {
    const ways = { ...asItIs, ...fault.remedy }
    const [plain, better, best] = [asSeen(fault, asItIs), asSeen(fault, ways), asSeen(fault, all)]
    expect(plain).not.toEqual(asWanted(fault, plain))
    expect(better).toEqual(asWanted(fault, better))
    expect(best).toEqual(asWanted(fault, best))
  })
  it.each(open.map((f) => [f.name, f] as const))("%s", (_, fault) => {
    const seen = asSeen(fault, all)
    expect(seen).not.toEqual(asWanted(fault, seen))
  })
})

// --- comparison ---------------------------------------------------------------------------------------------------------

/** Whether a kernel has what an open fault is about; accesses to atomic memory are left out where verdicts are compared. */
const isUnfit = ({ code }: Module): boolean =>
  code.includes("atomicCompareExchangeWeak") || /struct \w+_result/.test(code)

const on = (module: Module, { args, program }: Run): Emulated => {
  const given = program.refs.filter((ref) => ref.access !== "out")
  return emulate(module, new Map(given.map((ref) => [ref.name, toWords(ref.dtype, args.get(ref.name)!)])), all)
}
/** What is wrong with what it gives, by Discharge; for inlines without a rule, which that has not, by the example. */
const valuesWrong = async ({ args, name, program }: Run, { words }: Emulated): Promise<string | undefined> => {
  const pure = await Effect.runPromise(Effect.result(discharge(program)))
  if (Result.isFailure(pure)) {
    const { expected, tolerance } = examples.find((e) => e.name === name)!
    const far = Object.entries(expected).filter(([ref, values]) => {
      const { dtype, shape } = program.refs.find((r) => r.name === ref)!
      return distance(fromWords(dtype, words.get(ref)!, Shape.size(shape)), values) > tolerance
    })
    return far.length === 0 ? undefined : `${far.map(([ref]) => ref).join()} is not as expected`
  }
  const tracked = await Effect.runPromise(track(pure.success, args, primitive))
  if (typeof tracked === "string") return tracked
  const actual = new Map(
    program.refs.flatMap((ref) => {
      const found = words.get(ref.name)
      return found === undefined ? [] : [[ref.name, fromWords(ref.dtype, found, Shape.size(ref.shape))] as const]
    })
  )
  const refs = tracked.refs.filter(({ name }) => actual.has(name))
  const found = difference({ ...tracked, refs }, actual)
  return found && showDifference(found)
}
/** Names of memories that race, by our checker and by the other one. */
const verdicts = (
  run: Run,
  of: Lowered,
  without: Lowered,
  storage: ReadonlyMap<string, Float64Array>,
  module: Module
) => {
  const ours = checkLowered(without, storage, { inlines: () => (x) => x! })
  if (Result.isFailure(ours)) return undefined
  // Bindings of narrow elements are words, which are changed by atomic steps.
  const isAtomic = (name: string): boolean => new RegExp(`\\b${name}: array<atomic<`).test(module.code)
  const plain = new Set(of.memories.map(({ name }) => name).filter((name) => !isAtomic(name)))
  const racing = ours.success.findings.map((f) => (f._tag === "Race" ? f.memory : f._tag))
  const theirs = on(module, run)
  const shown = (names: Iterable<string>) => [...new Set(names)].filter((name) => plain.has(name)).toSorted()
  return { ours: shown(racing), theirs: shown(theirs.races), told: [...theirs.errors, ...theirs.logged] }
}

interface Compared {
  readonly wrong: ReadonlyArray<string>
  /** Barriers that were taken away, one at a time. */
  readonly barriers: number
}
const compare = async (
  run: Run,
  options: Parameters<typeof lowered>[1] & object,
  module: Module
): Promise<Compared> => {
  const whole = on(module, run)
  const told = [...whole.races, ...whole.errors, ...whole.logged]
  const values = told.length > 0 ? undefined : await valuesWrong(run, whole)
  const wrong = [...told, ...(values === undefined ? [] : [values])]
  const { lowered: of, storage } = lowered(run, options)
  let barriers = 0
  for (const { number, site } of barriersOf(of)) {
    const changed = emitted(run.program, options, (l) => withoutBarrier(l, number))
    const verdict = verdicts(run, of, withoutBarrier(of, number), storage(), changed)
    if (verdict === undefined) break
    barriers++
    const isSame = verdict.ours.join() === verdict.theirs.join() && verdict.told.length === 0
    if (!isSame) wrong.push(`without barrier ${number} at ${site.path}: ${JSON.stringify(verdict)}`)
  }
  return { wrong, barriers }
}

const small = matmul(6, 5, 4, { m: 4, k: 2, n: 2 })
const smallMatmul: Run = {
  name: "matmul",
  program: await traced(small),
  args: new Map([
    ["a", numbers(30, 1)],
    ["b", numbers(20, 2)]
  ])
}
const runs = [...(await exampleRuns()).filter(({ name }) => name !== "matmul"), smallMatmul]

describe("another interpreter of WGSL", () => {
  const options = { schedule: { workgroupSize: 8 } }
  const fit = runs.filter((run) => !isUnfit(emitted(run.program, options, (l) => l)))
  it("runs all examples but what open faults are about", () => {
    expect(runs.filter((run) => !fit.includes(run)).map(({ name }) => name)).toEqual(["ragged matmul 3"])
  })
  it.each(fit.map((run) => [run.name, run] as const))(
    "gives the values of the example %s, and sees the races that ours sees, with and without each barrier",
    async (_, run) => {
      expect(
        (
          await compare(
            run,
            options,
            emitted(run.program, options, (l) => l)
          )
        ).wrong
      ).toEqual([])
    }
  )
  it("does so for 300 programs at random", async () => {
    const workgroups = { schedule: { workgroupSize: 4 }, subgroup: 4 } as const
    const found = { compared: 0, unfit: 0, barriers: 0 }
    for (const c of samples(360, { equations: 6, careful: true }, 20261202)) {
      if (found.compared === 300) break
      const run: Run = { name: "generated", program: c.program, args: argumentsOf(c) }
      const module = emitted(run.program, workgroups, (l) => l)
      if (isUnfit(module)) {
        found.unfit++
        continue
      }
      const { barriers, wrong } = await compare(run, workgroups, module)
      expect(wrong).toEqual([])
      found.compared++
      found.barriers += barriers
    }
    expect(found.compared).toBe(300)
    expect(found.unfit).toBeLessThan(50)
    expect(found.barriers).toBeGreaterThan(60)
  }, 120_000)
})
