/**
 * Discharge: ref mutation rewritten away into a pure array program, which runs on the CPU.
 *
 * It needs no device, is the definition of what every primitive means, and interprets everything but inline WGSL without a
 * rule.
 */
import { Effect, Layer } from "effect"
import { discharge as rewrite } from "./discharge/discharge.ts"
import { evaluate, type EvaluateOptions } from "./discharge/evaluate.ts"
import type * as Effects from "./Effects.ts"
import type { KernelError, NotImplemented } from "./Errors.ts"
import type * as Inline from "./Inline.ts"
import * as Interpreter from "./Interpreter.ts"
import type { Program } from "./ir/program.ts"

/**
 * A layer that teaches this interpreter what an inline means.
 *
 * The rule is a body over tiles (and, for a block inline, refs); it counts for `Discharge` and no other interpreter.
 *
 * @example
 * ```ts
 * import { Effect, Layer } from "effect"
 * import { Discharge, f32, Inline, Kernel, MemRef } from "effect-kernels"
 *
 * const double = Inline.elementwise("double", { args: { x: f32 }, result: f32, wgsl: "return x + x;" })
 * const kernel = Kernel.make("doubled", {
 *   grid: [1],
 *   refs: { x: MemRef.in(f32, [2]), o: MemRef.out(f32, [2]) }
 * }, function*({ x, o }) {
 *   yield* MemRef.store(o, yield* double(yield* MemRef.load(x)))
 * })
 * const taught = Layer.merge(Discharge.layer, Discharge.rule(double, ({ x }) => x.add(x)))
 * const run = Kernel.run(kernel, { x: Float32Array.of(1, 2) }).pipe(Effect.provide(taught))
 * console.assert((await Effect.runPromise(run)).o.join() === "2,4")
 * ```
 */
export const rule = <Name extends string, Rule>(
  inline: Inline.Any<Name, Rule>,
  rule: NoInfer<Rule>
): Layer.Layer<Effects.Inline<Name>> =>
  Layer.succeed(Interpreter.ruleKey("Discharge", inline.inline), rule as never) as never

const pure = new WeakMap<Program, Program>()
/** Rewrites a program that needs no rules from the context; once. */
const rewriteOnce = (program: Program): Effect.Effect<Program, KernelError | NotImplemented> => {
  const known = pure.get(program)
  if (known !== undefined) return Effect.succeed(known)
  return Effect.tap(rewrite(program), (p) => Effect.sync(() => pure.set(program, p)))
}

export interface DischargeOptions {
  /** Refs of the kernel and scratch to rewrite, by name; all others stay refs. Everything, if left out. */
  readonly only?: ReadonlyArray<string>
}
/** A kernel, as far as discharge needs one. */
export interface Traceable<E, R> {
  readonly trace: Effect.Effect<Program, E, R>
}

/**
 * The pure program: all refs are values, no effect is left. With `only`, the refs of these names are values, and effects on
 * others stay; such a program can be discharged further, and what it means does not change.
 *
 * The refs that became values are `discharged` of the program: its body has a parameter and a result for each. Fails with
 * `InvalidArgument` for a name that the kernel does not have, with `NotImplemented` for an inline without a rule, given
 * with it or in the context.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { Discharge, i32, Kernel, MemRef } from "effect-kernels"
 *
 * const twice = Kernel.make("twice", {
 *   grid: [1],
 *   refs: { x: MemRef.inout(i32, [4]), o: MemRef.out(i32, [4]) }
 * }, function*({ o, x }) {
 *   yield* MemRef.accumulate(x, yield* MemRef.load(x))
 *   yield* MemRef.store(o, yield* MemRef.load(x))
 * })
 * const { discharged } = await Effect.runPromise(Discharge.discharge(twice, { only: ["x"] }))
 * console.assert(discharged.join() === "x")
 * ```
 */
export const discharge = <E = never, R = never>(
  self: Program | Traceable<E, R>,
  options: DischargeOptions = {}
): Effect.Effect<Program, E | KernelError | NotImplemented, R> =>
  Effect.flatMap("trace" in self ? self.trace : Effect.succeed(self), (program) => dischargeProgram(program, options))

const dischargeProgram = (
  program: Program,
  options: DischargeOptions
): Effect.Effect<Program, KernelError | NotImplemented> =>
  Effect.flatMap(Interpreter.withRules("Discharge", program), (taught) => {
    const { only } = options
    if (taught !== program) return rewrite(taught, only === undefined ? {} : { only })
    return only === undefined ? rewriteOnce(program) : rewrite(program, { only })
  })

/** The interpreter with options: the order in which parallel program instances run. */
export const make = (options: EvaluateOptions = {}): Interpreter.Service => ({
  name: "Discharge",
  compile: (program) => Effect.map(discharge(program), (pure) => ({ run: (args) => evaluate(pure, args, options) }))
})
/** Effects that Discharge interprets. */
export type Claims = Effects.Core | Effects.Pipeline | Effects.Semaphore
/** Runs kernels on the CPU; program instances in row-major order. */
export const layer: Interpreter.InterpreterLayer<Claims> = Interpreter.layer<Claims>(make())
/** As {@link layer}, with the program instances in another order: kernels without races give the same results. */
export const layerOrdered = (order: NonNullable<EvaluateOptions["order"]>): Interpreter.InterpreterLayer<Claims> =>
  Interpreter.layer<Claims>(make({ order }))
