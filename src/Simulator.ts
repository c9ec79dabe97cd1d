/**
 * Simulator: runs kernels on the CPU and finds what a device hides: races, deadlocks, copies that nobody waits for, barriers
 * out of step, and values that nobody has written.
 *
 * It gives the results of `Discharge`, and follows who touches which element, and in what order: two accesses race if nothing
 * (a barrier, the wait for a copy, a semaphore) orders them, whichever the run happened to do first. It also follows which
 * values are defined, as memcheck does: fresh outputs and scratch, padding and what is outside of a ref are 0 everywhere,
 * and a mistake where they reach a result, a condition or an index; a select or a mask that is defined keeps them out.
 *
 * Of float sums whose order is open it asks whether they are exact in every order. Threads of a program instance (`threads`
 * of `Kernel.make`), which no other interpreter has, run under a deterministic scheduler.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { Control, i32, Kernel, MemRef, Simulator } from "effect-kernels"
 *
 * const count = Kernel.make("count", {
 *   grid: [30],
 *   refs: { total: MemRef.inout(i32, []) }
 * }, function*({ total }) {
 *   const k = yield* Control.programId(0)
 *   yield* MemRef.store(total, (yield* MemRef.load(total)).add(k))
 * })
 * const report = await Effect.runPromise(Simulator.check(count, { total: Int32Array.of(0) }))
 * console.assert(report.findings[0]?._tag === "Race")
 * // For people: console.log(Simulator.toText(report))
 * ```
 */
import { Effect, Layer } from "effect"
import type * as Effects from "./Effects.ts"
import { Faulty, KernelError, type NotImplemented } from "./Errors.ts"
import type * as Inline from "./Inline.ts"
import * as Interpreter from "./Interpreter.ts"
import type { Program } from "./ir/program.ts"
import type * as Kernel from "./Kernel.ts"
import { type CheckOptions, examine } from "./simulate/check.ts"
import { Ran, type Report, reportOn } from "./simulate/report.ts"
import { implemented, type Outcome, simulate } from "./simulate/run.ts"
import type { Options } from "./simulate/settings.ts"
import { render } from "./simulate/text.ts"
import { bind, type Given } from "./trace/arguments.ts"
import { draftOf } from "./trace/draft.ts"

export * from "./Findings.ts"
export type { CheckOptions } from "./simulate/check.ts"
export { fromJson, Ran, Report, toJson } from "./simulate/report.ts"
export type { Flying, Options, Schedule, Zeros } from "./simulate/settings.ts"
export { type Lines, SourceLines } from "./simulate/sourceLines.ts"
export { render, toText } from "./simulate/text.ts"

/** Effects that the Simulator interprets: all but inline WGSL without a rule. */
export type Claims = Effects.Core | Effects.Pipeline | Effects.Semaphore | Effects.Subgroup | Effects.Threads

/**
 * A layer that teaches this interpreter what an inline means, as `Discharge.rule` teaches that one.
 */
export const rule = <Name extends string, Rule>(
  inline: Inline.Any<Name, Rule>,
  rule: NoInfer<Rule>
): Layer.Layer<Effects.Inline<Name>> =>
  Layer.succeed(Interpreter.ruleKey("Simulator", inline.inline), rule as never) as never

export interface LayerOptions extends Options {
  /** What becomes of a run with findings: it fails with `Faulty`, logs a warning, or says nothing; `"fail"` if absent. */
  readonly findings?: "fail" | "log" | "ignore"
}

const failed = (program: Program, { findings }: Outcome): KernelError =>
  new KernelError({ kernel: program.name, reason: new Faulty({ findings }) })
const reportOf = (program: Program, { accesses, findings }: Outcome): Report =>
  reportOn(program, new Ran({ schedules: [], programs: 0, threads: program.threads ?? 1, accesses }), findings)

const run = (program: Program, options: LayerOptions) =>
  Effect.fnUntraced(function* (args: Interpreter.Arrays) {
    const outcome = yield* simulate(program, args, options)
    const { failure, findings, results } = outcome
    if (findings.length > 0 && options.findings === "log")
      yield* Effect.flatMap(render(reportOf(program, outcome)), (text) => Effect.logWarning(text))
    if (findings.length > 0 && (options.findings ?? "fail") === "fail") return yield* failed(program, outcome)
    return results ?? (yield* failure ?? failed(program, outcome))
  })

/** The interpreter, with options. */
export const make = (options: LayerOptions = {}): Interpreter.Service => ({
  name: "Simulator",
  compile: Effect.fnUntraced(function* (program: Program) {
    const taught = yield* Interpreter.withRules("Simulator", program)
    yield* implemented(taught)
    return { run: run(taught, options) }
  })
})
/**
 * Runs kernels in the Simulator, under one schedule. A run in which something is found fails with a `KernelError` whose
 * reason is `Faulty`, unless the option `findings` says otherwise.
 */
export const layer = (options: LayerOptions = {}): Interpreter.InterpreterLayer<Claims> =>
  Interpreter.layer<Claims>(make(options))

/**
 * Runs a kernel under several schedules and reports what is found, each cause once, with the smallest grid and shapes at
 * which it persists.
 *
 * A kernel that other interpreters refuse when it is traced, because a copy is not waited for or a barrier is out of step, is
 * run all the same. Fails with `KernelError` where the kernel cannot be traced or an argument does not fit, with
 * `NotImplemented` at inline WGSL without a rule.
 */
export const check = <Name extends string, S extends Kernel.Specs, E, R>(
  self: Kernel.Kernel<Name, S, E, R>,
  args: NoInfer<Kernel.Args<S>>,
  options: CheckOptions = {}
): Effect.Effect<Report, E | KernelError | NotImplemented, Exclude<R, Effects.Any>> =>
  Effect.gen(function* () {
    const { mistake, program } = yield* draftOf(self)
    const taught = yield* Interpreter.withRules("Simulator", program)
    const given = yield* bind(taught, args as Given)
    return yield* examine(taught, given, options, mistake?.message)
  }) as any
