/**
 * The one service behind all effects: operations of a kernel's body find the trace that they belong to in it.
 *
 * An operation that is made and never run would be lost without a word; so each registers with the trace that is ambient
 * when it is made, and leaves the register when it runs.
 */
import { Context, Effect } from "effect"
import { capture } from "./position.ts"
import type { TraceState } from "./state.ts"
import type { Source } from "../ir/program.ts"

export class Tracer extends Context.Service<Tracer, TraceState>()("effect-kernels/trace/Tracer") {}

let ambient: TraceState | undefined
/** Runs host code of a body with its trace as the ambient one. */
export const within = <A>(state: TraceState, f: () => A): A => {
  const outer = ambient
  ambient = state
  try {
    return f()
  } finally {
    ambient = outer
  }
}

const registered = <A, E, R>(
  name: string,
  source: Source,
  make: (ran: (state: TraceState) => void) => Effect.Effect<A, E, R>
) => {
  const state = ambient
  const token = {}
  state?.pending.set(token, { primitive: name, source })
  return make(() => state?.pending.delete(token))
}

/** An operation that emits equations when it is run. */
export const operation = <A>(name: string, run: (state: TraceState, source: Source) => A): Effect.Effect<A> => {
  const source = capture()
  return registered(name, source, (ran) =>
    Tracer.useSync((state) => {
      ran(state)
      return run(state, source)
    })
  ) as Effect.Effect<A>
}
/** An operation with bodies of its own. */
export const control = <A, E, R>(
  name: string,
  run: (state: TraceState, source: Source) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => {
  const source = capture()
  return registered(name, source, (ran) =>
    Tracer.use((state) => {
      ran(state)
      return run(state, source)
    })
  ) as Effect.Effect<A, E, R>
}

/** A body: a generator of operations, or an effect. */
export type Body<A, E, R> = Effect.Effect<A, E, R> | Generator<Effect.Effect<any, E, R>, A, never>

/** The effect of a body. Its trace is ambient until it ends, and again at each step, since other fibers may run between. */
export const runBody = <A>(
  state: TraceState,
  body: () => Body<A, unknown, unknown> | A
): Effect.Effect<A, unknown, unknown> =>
  Effect.suspend(() => {
    const outer = ambient
    ambient = state
    const made = body()
    const effect = isGenerator<A>(made)
      ? Effect.gen(() => steps(state, made))
      : Effect.isEffect(made)
        ? made
        : Effect.succeed(made)
    return Effect.onExit(effect as Effect.Effect<A, unknown, unknown>, () =>
      Effect.sync(() => {
        ambient = outer
      })
    )
  })

const isGenerator = <A>(u: unknown): u is Generator<Effect.Effect<any>, A, never> =>
  typeof u === "object" && u !== null && typeof (u as Generator).next === "function" && Symbol.iterator in u

const steps = <A>(
  state: TraceState,
  body: Generator<Effect.Effect<any>, A, never>
): Generator<Effect.Effect<any>, A, never> => {
  const wrapped = {
    next: (value?: unknown) => within(state, () => body.next(value as never)),
    return: (value: A) => within(state, () => body.return(value)),
    throw: (error: unknown) => within(state, () => body.throw(error)),
    [Symbol.iterator]: () => wrapped
  }
  return wrapped as unknown as Generator<Effect.Effect<any>, A, never>
}
