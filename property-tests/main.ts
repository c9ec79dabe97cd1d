/**
 * The long run: `npm run property -- --runs 3000 --seed 7 --faults 500`.
 *
 * Holds programs at random to all laws, tells each failure shrunk and as text for the corpus, and how often each primitive
 * occurred. Then holds the Simulator to silence on as many programs without a fault, some with threads, and to finding each of
 * the faults that are planted in some, so many of each kind. Ends with 1 if a law failed, or if, in 3000 runs or more, a
 * primitive occurred less than 20 times.
 */
import { Layer, ManagedRuntime } from "effect"
import { Gpu, GpuDevice as Device, Interpreter } from "effect-kernels"
import { GpuDevice } from "effect-kernels/node"
import { Verify } from "effect-kernels/verify"
import fc from "fast-check"
import { Counts, shares, unlisted } from "./counts.ts"
import { kinds, plantAll } from "./faults/law.ts"
import * as Laws from "./laws.ts"
import { readOptions } from "./options.ts"
import * as OnSimulator from "./simulator-laws.ts"

interface Law {
  readonly name: string
  readonly holds: (c: Verify.Case) => Laws.Verdict
}
interface Failure {
  readonly law: Law
  readonly run: number
  readonly wrong: string
  readonly shrunk: Verify.Case
}

const onHost: ReadonlyArray<Law> = [
  { name: "well typed", holds: Laws.wellTyped },
  { name: "parse-print", holds: Laws.parsesAsPrinted },
  { name: "effects-recomputed", holds: Laws.effectsAreDeclared },
  { name: "discharge-pure", holds: Laws.dischargesPurely },
  { name: "grid-order", holds: Laws.anyOrder },
  { name: "simulator-equals-discharge", holds: OnSimulator.simulatesAsDischarge },
  { name: "detection-independent-of-schedule", holds: OnSimulator.findsTheSame }
]
const onDevice = (device: Interpreter.Service): Law => ({ name: "gpu-equals-discharge", holds: Laws.agrees(device) })

const wrongWith = (law: Law, c: Verify.Case): Promise<string | undefined> =>
  Laws.silently(law.holds(c)).catch((error: unknown) => (error instanceof Error ? error.message : String(error)))
const check = async (laws: ReadonlyArray<Law>, c: Verify.Case, run: number): Promise<ReadonlyArray<Failure>> => {
  for (const law of laws) {
    const wrong = await wrongWith(law, c)
    if (wrong === undefined) continue
    const shrunk = await Verify.minimise(c, async (smaller) => (await wrongWith(law, smaller)) !== undefined)
    return [{ law, run, wrong: (await wrongWith(law, shrunk)) ?? wrong, shrunk }]
  }
  return []
}

const report = ({ law, run, shrunk, wrong }: Failure): void =>
  console.log(`\nrun ${run}: ${law.name}: ${wrong}\nfor property-tests/corpus:\n${Verify.show(shrunk)}`)
/** One line that is written over, on a terminal; now and then a line elsewhere. */
const progress = (done: number, of: number, failures: number, started: number): void => {
  const seconds = ((performance.now() - started) / 1000).toFixed(0)
  const line = `${done}/${of} programs, ${failures} failures, ${seconds} s`
  if (process.stdout.isTTY) process.stdout.write(`\r${line}`)
  else if (done > 0 && (done % 250 === 0 || done === of)) console.log(line)
}

/** Holds all cases to the laws. The device works on one case while the host works on the next. */
const checkAll = async (device: Interpreter.Service, cases: ReadonlyArray<Verify.Case>): Promise<number> => {
  const started = performance.now()
  let failures = 0
  let pending: Promise<ReadonlyArray<Failure>> = Promise.resolve([])
  const settle = async (found: ReadonlyArray<Failure>, done: number): Promise<void> => {
    found.forEach(report)
    failures += found.length
    progress(done, cases.length, failures, started)
  }
  for (const [k, c] of cases.entries()) {
    const found = await check(onHost, c, k)
    const before = await pending
    pending = check([onDevice(device)], c, k)
    await settle([...before, ...found], k)
  }
  await settle(await pending, cases.length)
  return failures
}

/** Programs in which nothing is wrong, on the Simulator; a smaller program may have a fault, so failures are told as they are. */
const checkSilence = async (runs: number, seed: number): Promise<number> => {
  const threaded = Math.ceil(runs / 4)
  const cases = [
    ...fc.sample(Verify.programs({ careful: true }), { numRuns: runs - threaded, seed }),
    ...fc.sample(Verify.programs({ careful: true, threads: 3 }), { numRuns: threaded, seed })
  ]
  const counts = new Counts()
  let failures = 0
  for (const [k, c] of cases.entries()) {
    counts.add(c)
    const law = { name: "simulator-is-silent", holds: OnSimulator.isSilent }
    const wrong = await wrongWith(law, c)
    if (wrong === undefined) continue
    failures++
    report({ law, run: k, wrong, shrunk: c })
  }
  console.log(`${runs} programs without a fault (${shares(cases)}): ${failures} failures`)
  const missing = counts.rare(1)
  if (missing.length > 0) console.log(`in none of them: ${missing.join(", ")}`)
  return failures
}
/** Faults of each kind, each planted in a program of its own. */
const checkFaults = async (count: number, seed: number): Promise<number> => {
  let failures = 0
  for (const kind of kinds) {
    const missed = await plantAll(kind, count, seed)
    failures += missed.length
    console.log(`${kind.name}: ${count - missed.length} of ${count} found`)
    for (const { c, wrong } of missed.slice(0, 3)) console.log(`${wrong}\n${Verify.show(c)}`)
  }
  return failures
}

const main = async (): Promise<number> => {
  const { faults, runs, seed } = readOptions(process.argv.slice(2))
  const managed = ManagedRuntime.make(Layer.provideMerge(Gpu.layer, GpuDevice.layerSoftware))
  const { description } = await managed.runPromise(Device.GpuDevice)
  console.log(`${runs} programs from seed ${seed}, on ${description}`)
  const cases = fc.sample(Verify.programs({ failing: 0.2 }), { numRuns: runs, seed })
  const counts = new Counts()
  for (const c of cases) counts.add(c)
  let failures = await checkAll(await managed.runPromise(Interpreter.Interpreter), cases)
  await managed.dispose()
  failures += await checkSilence(runs, seed)
  if (faults > 0) failures += await checkFaults(faults, seed)
  console.log(`\n${counts.table()}\n`)
  if (unlisted.length > 0) console.log(`in no program: ${unlisted.join(", ")}`)
  const rare = runs < 3000 ? [] : counts.rare(20)
  if (rare.length > 0) console.log(`fewer than 20 times: ${rare.join(", ")}`)
  console.log(`${runs} programs, ${failures} failures`)
  return failures > 0 || rare.length > 0 ? 1 : 0
}
process.exitCode = await main()
