/** Kernels in their lowered form with the arguments of a run, for the checker and for other people's. */
import { Effect, type Exit } from "effect"
import { examples } from "../../examples/support/all.ts"
import { Interpreter, type Kernel } from "../../src/index.ts"
import { elements } from "../../src/ir/array.ts"
import type { Lowered } from "../../src/ir/lowered.ts"
import type { Program } from "../../src/ir/program.ts"
import type { Storage } from "../../src/simulate/lowered/checker.ts"
import { primitive } from "../../src/primitives/index.ts"
import { emit } from "../../src/wgsl/emit.ts"
import type { Module } from "../../src/wgsl/module.ts"
import { type Options, prepare } from "../../src/wgsl/compile.ts"

/** A program and what it is run on. */
export interface Run {
  readonly name: string
  readonly program: Program
  readonly args: Interpreter.Arrays
}

/** What an effect asks an interpreter to run; the interpreter answers with nothing. */
const asked = async (name: string, main: Effect.Effect<unknown, unknown, any>): Promise<ReadonlyArray<Run>> => {
  const runs: Array<Run> = []
  const recorder = Interpreter.layer<any>({
    name: "Recorder",
    compile: (program) =>
      Effect.succeed({
        run: (args) => {
          runs.push({ name: `${name}${runs.length === 0 ? "" : ` ${runs.length + 1}`}`, program, args })
          return Effect.succeed(new Map())
        }
      })
  })
  await Effect.runPromise(Effect.exit(Effect.provide(main, recorder)) as Effect.Effect<Exit.Exit<unknown, unknown>>)
  return runs
}
/** The runs of the examples. */
export const exampleRuns = async (): Promise<ReadonlyArray<Run>> =>
  (await Promise.all(examples.map(({ main, name }) => asked(name, main)))).flat()

export const traced = (kernel: Kernel.Any): Promise<Program> =>
  Effect.runPromise(kernel.trace as Effect.Effect<Program>)

/** The lowered form, and its bound memories filled with the arguments. */
export const lowered = (
  { args, program }: Pick<Run, "args" | "program">,
  options: Options = {}
): { readonly lowered: Lowered; readonly storage: () => Storage } => {
  const prepared = prepare(program, options)
  const bound = prepared.lowered.memories.filter((m) => m.space === "storage")
  const fill = (): Storage =>
    new Map(
      bound.map((memory) => {
        const data = new Float64Array(memory.length)
        const ref = program.refs.find((r) => r.name === prepared.refOf(memory))!
        const given = args.get(ref.name)
        if (ref.access !== "out" && given !== undefined) data.set(elements(ref, given))
        return [memory.name, data]
      })
    )
  return { lowered: prepared.lowered, storage: fill }
}

/** The WGSL of a lowered kernel, changed before it is text. */
export const emitted = (program: Program, options: Options, change: (lowered: Lowered) => Lowered): Module => {
  // Names are given while text is written, so that each text has a preparation of its own.
  const { lowered, names, refOf, spillWords } = prepare(program, options)
  const known = { inlines: program.inlines, namer: names, refOf, spillWords, grid: program.grid }
  return emit(change(lowered), { primitive: (name) => primitive(name)!, ...known })
}
