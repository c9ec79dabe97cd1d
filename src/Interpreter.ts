/**
 * Interpreters: what a program means, as a service. Layers of it compose.
 *
 * An interpreter's layer claims, in its type, the effects that it interprets. `Effect.provide` is strict: an effect that no
 * layer claims is a compile error. `Interpreter.provide` is lenient: such an effect becomes `NotImplemented<"name">` in the
 * error channel.
 *
 * @example
 * ```ts
 * import { Effect, Layer } from "effect"
 * import { Discharge, Gpu, GpuDevice, Interpreter } from "effect-kernels"
 *
 * const gpu = Gpu.layer.pipe(Layer.provide(GpuDevice.layer))
 * // The CPU where it can, the GPU for kernels with inline WGSL.
 * const either = Interpreter.orElse(Discharge.layer, gpu)
 * // Each run on both; fails with Mismatch where they differ.
 * const checked = Interpreter.differential(gpu, Discharge.layer, { atol: 1e-6, rtol: 1e-5 })
 * ```
 */
import { Cache, Context, Duration, Effect, Layer, Option, type Scope } from "effect"
import * as DType from "./DType.ts"
import type * as Effects from "./Effects.ts"
import { KernelError, Mismatch, NotImplemented, Unsupported } from "./Errors.ts"
import { elements } from "./ir/array.ts"
import { print } from "./ir/print.ts"
import { equations, type Program, programEffects } from "./ir/program.ts"
import { attachRules } from "./trace/attach.ts"
import type { Rule } from "./trace/inline.ts"

export { NotImplemented }

/** Host arrays by the names of refs; scalar parameters are arrays of one element. */
export type Arrays = ReadonlyMap<string, DType.HostArray>
/** A program that is ready to run. */
export interface Compiled {
  /** Runs it; gives what `out` and `inout` refs hold in the end. */
  readonly run: (args: Arrays) => Effect.Effect<Arrays, KernelError>
}
export interface Service {
  readonly name: string
  /** Makes a program ready; fails with `NotImplemented` for a primitive without a rule. Rules are looked up in the context. */
  readonly compile: (program: Program) => Effect.Effect<Compiled, KernelError | NotImplemented>
}
/** The interpreter that `Kernel.run` uses. */
export class Interpreter extends Context.Service<Interpreter, Service>()("effect-kernels/Interpreter") {}

/** A layer that interprets kernels whose effects are among `Claims`. */
export type InterpreterLayer<Claims, E = never, R = never> = Layer.Layer<Interpreter | Claims, E, R>

/** An interpreter from its parts; `Claims` is what it promises to interpret. */
export const layer = <Claims extends Effects.Any>(service: Service): InterpreterLayer<Claims> =>
  Layer.succeed(Interpreter, service) as unknown as InterpreterLayer<Claims>

type ClaimsOf<ROut> = Extract<ROut, Effects.Any>
/** The larger of two sets of effects if one contains the other, else the second: what it has runs there, if not on the first. */
type Larger<A, B> = [B] extends [A] ? A : B
type Both<A, B> = Extract<A, B> | Extract<B, A>
/** `NotImplemented` for the effects in `R`; `never` when there are none. */
export type Missing<R> = [Extract<R, Effects.Any>] extends [never]
  ? never
  : NotImplemented<Effects.NameOf<Extract<R, Effects.Any>>>

/** The interpreter whose missing rules are in the types: the one that {@link provide} provided. */
const Lenient = Context.Reference<Service | undefined>("effect-kernels/Interpreter/Lenient", {
  defaultValue: () => undefined
})

/** Like `Effect.provide`, except that effects that the layer does not interpret become `NotImplemented` failures. */
export const provide: {
  <ROut, E2, RIn>(
    layer: Layer.Layer<ROut, E2, RIn>
  ): <A, E, R>(
    self: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | E2 | Missing<Exclude<R, ROut>>, Exclude<R, ROut | Effects.Any> | RIn>
} = (layer: Layer.Layer<any, any, any>) => (self: Effect.Effect<any, any, any>) =>
  Effect.provide(
    Effect.flatMap(Effect.serviceOption(Interpreter), (own) =>
      Effect.provideService(self, Lenient, Option.getOrUndefined(own))
    ),
    layer
  ) as any

/** In strict use the types promise that no rule is missing; where they were told wrong, the error says how. */
export const strictly = <A, E, R>(
  self: Effect.Effect<A, E | NotImplemented, R>
): Effect.Effect<A, E | KernelError | NotImplemented, R> =>
  Effect.catchIf(
    self,
    (e): e is E & NotImplemented => e instanceof NotImplemented,
    (e) =>
      Effect.gen(function* () {
        const lenient = (yield* Lenient) === Option.getOrUndefined(yield* Effect.serviceOption(Interpreter))
        return yield* lenient ? e : new KernelError({ kernel: e.kernel, reason: misled(e) })
      })
  ) as Effect.Effect<A, E | KernelError | NotImplemented, R>
const misled = (e: NotImplemented): Unsupported =>
  new Unsupported({
    primitive: e.primitive,
    interpreter: e.interpreter,
    detail: `${e.reason}, although the layers claim it`,
    hint: "where two interpreters were merged, only one remains: use Interpreter.orElse",
    ...(e.source === undefined ? {} : { source: e.source })
  })

/**
 * The interpreter of a layer, with what the layer brought (rules, for one) in its context.
 *
 * @internal
 */
export const built = <ROut, E, R>(
  layer: Layer.Layer<ROut, E, R>
): Effect.Effect<Service & { readonly context: Context.Context<never> }, E, R | Scope.Scope> =>
  Effect.map(Layer.build(layer), (all) => {
    const context = all as Context.Context<never>
    const { compile, name } = Context.get(all as Context.Context<any>, Interpreter) as Service
    return { name, context, compile: (program) => Effect.provide(compile(program), context) }
  })

const combined = <Claims, E, R>(make: Effect.Effect<Service, E, any>): InterpreterLayer<Claims, E, R> =>
  Layer.effect(Interpreter, make) as unknown as InterpreterLayer<Claims, E, R>

const fallsBack = (e: KernelError | NotImplemented): boolean =>
  e._tag === "NotImplemented" || e.reason._tag === "Unsupported"

/**
 * The first interpreter where it can run the kernel, else the second: falls back on `NotImplemented` and `Unsupported`.
 *
 * It claims the larger set of effects if one contains the other, else the second's.
 */
export const orElse = <A, E, R, B, E2, R2>(
  self: Layer.Layer<A, E, R>,
  that: Layer.Layer<B, E2, R2>
): InterpreterLayer<Larger<ClaimsOf<A>, ClaimsOf<B>>, E | E2, R | R2> =>
  combined(
    Effect.gen(function* () {
      const first = yield* built(self)
      const second = yield* built(that)
      return {
        name: `${first.name} or ${second.name}`,
        compile: (program) => Effect.catchIf(first.compile(program), fallsBack, () => second.compile(program))
      } satisfies Service
    })
  )

/** How far results may lie apart: |actual - expected| ≤ atol + rtol · |expected|. */
export interface Tolerance {
  readonly atol: number
  readonly rtol: number
}
const agree = (actual: number, expected: number, exact: boolean, { atol, rtol }: Tolerance): boolean =>
  Object.is(actual, expected) ||
  actual === expected ||
  (!exact && Number.isFinite(expected) && Math.abs(actual - expected) <= atol + rtol * Math.abs(expected))

const compare = (
  names: readonly [string, string],
  program: Program,
  actual: Arrays,
  expected: Arrays,
  tolerance: Tolerance
) => {
  for (const ref of program.refs) {
    const { dtype, name } = ref
    const [found, wanted] = [actual.get(name), expected.get(name)]
    if (found === undefined || wanted === undefined) continue
    const [x, y] = [elements(ref, found), elements(ref, wanted)]
    const exact = !DType.isFloat(DType.widened(dtype))
    for (let index = 0; index < y.length; index++)
      if (!agree(x[index]!, y[index]!, exact, tolerance))
        return new KernelError({
          kernel: program.name,
          reason: new Mismatch({
            ref: name,
            index,
            expected: y[index]!,
            actual: x[index]!,
            subject: names[0],
            oracle: names[1]
          })
        })
  }
  return undefined
}

/**
 * Runs both interpreters and gives the subject's results, or fails with `Mismatch` where they differ from the oracle's.
 *
 * Integers and truth values must be equal; NaN equals NaN, an infinity itself.
 */
export const differential = <A, E, R, B, E2, R2>(
  subject: Layer.Layer<A, E, R>,
  oracle: Layer.Layer<B, E2, R2>,
  tolerance: Tolerance
): InterpreterLayer<Both<ClaimsOf<A>, ClaimsOf<B>>, E | E2, R | R2> =>
  combined(
    Effect.gen(function* () {
      const a = yield* built(subject)
      const b = yield* built(oracle)
      return {
        name: `${a.name} against ${b.name}`,
        compile: Effect.fnUntraced(function* (program: Program) {
          const [x, y] = yield* Effect.all([a.compile(program), b.compile(program)])
          return {
            run: Effect.fnUntraced(function* (args: Arrays) {
              const [actual, expected] = yield* Effect.all([x.run(args), y.run(args)], { concurrency: 2 })
              const mismatch = compare([a.name, b.name], program, actual, expected, tolerance)
              return mismatch === undefined ? actual : yield* mismatch
            })
          }
        })
      } satisfies Service
    })
  )

/**
 * The service under which an interpreter's rule for an inline stands.
 *
 * @internal
 */
export const ruleKey = (interpreter: string, inline: string) =>
  Context.Service<Effects.Inline<string>, Rule>(`effect-kernels/${interpreter}/rule/${inline}`)
/**
 * The program, with the rules in context for the inlines that it leaves open.
 *
 * @internal
 */
export const withRules = (interpreter: string, program: Program): Effect.Effect<Program, KernelError> =>
  Effect.contextWith((context: Context.Context<never>) => {
    const rules = new Map<string, Rule>()
    for (const eqn of equations(program.body)) {
      if (eqn.primitive !== "inline" || eqn.regions.length > 0) continue
      const name = String(eqn.params["inline"])
      const rule = Context.getOrUndefined(context as Context.Context<any>, ruleKey(interpreter, name))
      if (rule !== undefined) rules.set(name, rule as Rule)
    }
    return rules.size === 0 ? Effect.succeed(program) : attachRules(program, rules)
  })

const ruleIds = new WeakMap<object, number>()
let nextRule = 0
/** Which rules a context holds: a program compiled with others is another one. */
const rulesKey = (context: Context.Context<never>): string => {
  let key = ""
  for (const [name, rule] of context.mapUnsafe) {
    if (!name.startsWith("effect-kernels/") || !name.includes("/rule/")) continue
    if (!ruleIds.has(rule)) ruleIds.set(rule, nextRule++)
    key += `${name}=${ruleIds.get(rule)}\n`
  }
  return key
}

const texts = new WeakMap<Program, string>()
/** Whether runs tell where equations were written. */
const tellsPositions = (program: Program): boolean => programEffects(program).some((e) => e._tag === "Debug")
/** The text of a program, written once: a kernel gives the same program at each run. */
const textOf = (program: Program): string => {
  let text = texts.get(program)
  if (text === undefined) texts.set(program, (text = print(program, { positions: tellsPositions(program) })))
  return text
}

/** Keeps compiled programs, by program and rules, the least recently used ones first to go; results are never kept. */
export const cached =
  (options: { readonly capacity: number }) =>
  <A, E, R>(self: Layer.Layer<A, E, R>): InterpreterLayer<ClaimsOf<A>, E, R> =>
    combined(
      Effect.gen(function* () {
        const inner = yield* built(self)
        const asked = new Map<string, ReturnType<Service["compile"]>>()
        const cache = yield* Cache.make({
          capacity: options.capacity,
          timeToLive: Duration.infinity,
          lookup: (key: string) => Effect.suspend(() => asked.get(key)!)
        })
        return {
          name: `cached ${inner.name}`,
          compile: (program) =>
            Effect.contextWith((context: Context.Context<never>) => {
              const key = rulesKey(context) + textOf(program)
              asked.set(key, Effect.provide(inner.compile(program), context))
              return Effect.ensuring(
                Cache.get(cache, key),
                Effect.sync(() => asked.delete(key))
              )
            })
        } satisfies Service
      })
    )
