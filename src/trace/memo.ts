/** Traces a kernel once, unless its body looks at services or settings of the context it runs in. */
import { Context, Effect } from "effect"

/** What every fiber looks at when its context changes, whatever it runs. */
const looked = new Set([
  "effect/Tracer",
  "effect/Scheduler",
  "effect/References/TracerEnabled",
  "effect/Tracer/ParentSpan",
  "effect/References/CurrentLogLevel",
  "effect/References/MinimumLogLevel",
  "effect/References/CurrentStackFrame",
  "effect/Metric/FiberRuntimeMetrics",
  "effect/Scheduler/MaxOpsBeforeYield",
  "effect/Scheduler/PreventSchedulerYield"
])
const isOwn = (key: string): boolean => looked.has(key) || key.startsWith("effect-kernels/trace/")

/** Services that remember whether anybody asked for one; a copy is not watched, so that it counts as a question. */
class Watched extends Map<string, unknown> {
  asked = false
  override get(key: string) {
    this.asked ||= !isOwn(key)
    return super.get(key)
  }
  override has(key: string) {
    this.asked ||= !isOwn(key)
    return super.has(key)
  }
  override [Symbol.iterator]() {
    this.asked = true
    return super[Symbol.iterator]()
  }
  override forEach(...args: Parameters<Map<string, unknown>["forEach"]>) {
    this.asked = true
    super.forEach(...args)
  }
}

const watched = (
  context: Context.Context<never>
): { readonly services: Watched; readonly context: Context.Context<never> } => {
  const services = new Watched()
  for (const [key, value] of context.mapUnsafe) services.set(key, value)
  return { services, context: Context.makeUnsafe(services) }
}

/** The trace, remembered where it depends on nothing but the kernel. */
export const memoised = <A>(trace: Effect.Effect<A, unknown, unknown>): Effect.Effect<A, unknown, unknown> => {
  let known: A | undefined
  return Effect.contextWith((outer: Context.Context<never>) => {
    if (known !== undefined) return Effect.succeed(known)
    const { context, services } = watched(outer)
    // Not `provideContext`, which would copy the services.
    const watching = Effect.updateContext(trace as Effect.Effect<A>, () => context)
    return Effect.map(watching, (traced) => {
      if (!services.asked) known = traced
      return traced
    })
  }) as Effect.Effect<A, unknown, unknown>
}
