/** Runs of kernels on the emulated WGSL, and its verdict beside that of the checker of lowered kernels. */
import { Result } from "effect"
import * as DType from "../../src/DType.ts"
import { fromWords, toWords } from "../../src/gpu/words.ts"
import type { Arrays } from "../../src/Interpreter.ts"
import * as Shape from "../../src/Shape.ts"
import { type BarrierSite, barriersOf, withoutBarrier } from "../../src/simulate/lowered/blocks.ts"
import { checkLowered } from "../../src/simulate/lowered/checker.ts"
import type { Options } from "../../src/wgsl/compile.ts"
import type { Module } from "../../src/wgsl/module.ts"
import { isAtomic } from "../../src/wgsl/packed.ts"
import { ways } from "./reflectFaults.ts"
import { emitted, lowered, type Run } from "./lowered.ts"
import { type Detected, emulate } from "./reflect.ts"

const kept = ways()
const inputs = ({ args, program }: Run): ReadonlyMap<string, Uint32Array> =>
  new Map(
    program.refs.filter((ref) => ref.access !== "out").map((ref) => [ref.name, toWords(ref.dtype, args.get(ref.name)!)])
  )
export interface Ran extends Detected {
  /** What each ref holds in the end. */
  readonly results: Arrays
}
/** Runs a module that a run's program has become. */
export const emulated = (run: Run, module: Module): Ran => {
  const { words, ...detected } = emulate(module, inputs(run), kept)
  const resultOf = (ref: Run["program"]["refs"][number]): DType.HostArray => {
    const [bound, size] = [words.get(ref.name), Shape.size(ref.shape)]
    if (bound !== undefined) return fromWords(ref.dtype, bound, size)
    return ref.access === "out" ? DType.hostArray(ref.dtype, size) : run.args.get(ref.name)!
  }
  return { ...detected, results: new Map(run.program.refs.map((ref) => [ref.name, resultOf(ref)])) }
}
export const emulatedAsIs = (run: Run, options: Options): Ran =>
  emulated(
    run,
    emitted(run.program, options, (l) => l)
  )

/** Where two invocations race without a barrier. */
export interface Verdict extends BarrierSite {
  /** Memories that our checker names, and that the other detector can tell of. */
  readonly ours: ReadonlyArray<string>
  /** What the other says: memories, and whatever is wrong besides. */
  readonly theirs: ReadonlyArray<string>
  /** Whether ours names atomic memory too, of which the other sees nothing. */
  readonly atomic: boolean
}
/** Without each barrier in turn, what both say; `undefined` where ours cannot follow the kernel. */
export const verdicts = (run: Run, options: Options): ReadonlyArray<Verdict> | undefined => {
  const { lowered: of, storage } = lowered(run, options)
  const unseen = new Set(of.memories.filter(isAtomic).map(({ name }) => name))
  const found: Array<Verdict> = []
  for (const barrier of barriersOf(of)) {
    const report = checkLowered(withoutBarrier(of, barrier.number), storage(), { inlines: () => (x) => x! })
    if (Result.isFailure(report)) return undefined
    const told = report.success.findings.filter((f) => f._tag !== "Race" || f.among === "invocations")
    const ours = new Set(told.map((f) => (f._tag === "Race" ? f.memory : f._tag)))
    const module = emitted(run.program, options, (l) => withoutBarrier(l, barrier.number))
    const { errors, logged, races } = emulated(run, module)
    found.push({
      ...barrier,
      ours: [...ours].filter((name) => !unseen.has(name)).toSorted(),
      theirs: [...races, ...errors, ...logged].toSorted(),
      atomic: [...ours].some((name) => unseen.has(name))
    })
  }
  return found
}
