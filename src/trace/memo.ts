/** Traces a kernel once, unless its body looks at services or settings of the context it runs in. */
import { Context, Effect } from "effect"
import type { Program } from "../ir/program.ts"

/** Keys that tracing itself, and Effect's runtime, look at; they do not change what a body means. */
const isOwn = (key: string): boolean => key.startsWith("effect/") || key.startsWith("effect-kernels/trace/")

/** Services that remember whether anybody asked for one. */
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
}

const watched = (
  context: Context.Context<never>
): { readonly services: Watched; readonly context: Context.Context<never> } => {
  const services = new Watched()
  for (const [key, value] of context.mapUnsafe) services.set(key, value)
  services.asked = false
  return { services, context: Context.makeUnsafe(services) }
}

/** The trace, remembered where it depends on nothing but the kernel. */
export const memoised = (trace: Effect.Effect<Program, unknown, unknown>): Effect.Effect<Program, unknown, unknown> => {
  let known: Program | undefined
  return Effect.contextWith((outer: Context.Context<never>) => {
    if (known !== undefined) return Effect.succeed(known)
    const { context, services } = watched(outer)
    return Effect.map(Effect.provideContext(trace as Effect.Effect<Program>, context), (program) => {
      if (!services.asked) known = program
      return program
    })
  }) as Effect.Effect<Program, unknown, unknown>
}
