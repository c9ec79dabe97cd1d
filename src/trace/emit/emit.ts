/**
 * Software pipelines: a loop over steps, in order, whose blocks are fetched some steps ahead.
 *
 * Each block of an in stream is copied into a ring of workgroup memory: the copy starts `ahead` steps before its step and
 * lands there at its step, so that its loads overlap with the work in between. A block of an out stream stays in
 * workgroup memory as long as the steps show it, and goes back at the last of them. With a depth of 1 the body works on the
 * refs themselves.
 */
import { Effect } from "effect"
import type { Eqn, Scratch, Source } from "../../ir/program.ts"
import type * as Shape from "../../Shape.ts"
import { load, store } from "../access.ts"
import { cond, fori, inScope, showForm } from "../control.ts"
import { land, launch } from "../copy.ts"
import { standingAt } from "../position.ts"
import { at, type MemRefImpl } from "../ref.ts"
import { constant, lift, type TileImpl } from "../tile.ts"
import type { TokenImpl } from "../token.ts"
import { type Body, control, runBody } from "../tracer.ts"
import { blockAt, differs, fail, idsAt, type Options, type Plan, planOf, type Stream } from "./plan.ts"

type Refs = { readonly [name: string]: MemRefImpl }
type UserBody = (
  carry: unknown,
  refs: Refs,
  ...ids: ReadonlyArray<TileImpl>
) => Body<unknown, unknown, unknown> | unknown
type Gen<A> = Generator<Effect.Effect<any, any, any>, A, any>
type Traced = Effect.Effect<unknown, unknown, unknown>

const named = <A>(streams: ReadonlyArray<Stream>, of: (stream: Stream, k: number) => A): { [name: string]: A } =>
  Object.fromEntries(streams.map((stream, k) => [stream.name, of(stream, k)]))

// --- the body -----------------------------------------------------------------------------------------------------------

const touches = (eqn: Eqn, name: string): boolean => eqn.effects.some((e) => "ref" in e && e.ref === name)
const changes = (eqn: Eqn, name: string): boolean =>
  eqn.effects.some((e) => "ref" in e && e.ref === name && e._tag !== "Read")
/** The refs behind the streams are not for the body: what it does there would be too late, or undone. */
const checkBody = (plan: Plan, eqns: ReadonlyArray<Eqn>): void => {
  const { from, source, to } = plan
  const late = from.find(({ ref }) => eqns.some((eqn) => changes(eqn, ref.name)))
  if (late !== undefined)
    fail(source, `the body writes ref "${late.ref.name}", which is read ahead as "${late.name}"`, "write another ref")
  const own = to.find(({ ref }) => eqns.some((eqn) => touches(eqn, ref.name)))
  if (own !== undefined)
    fail(
      source,
      `the body uses ref "${own.ref.name}", whose blocks are kept as "${own.name}"`,
      `use "${own.name}", the block that the body gets`
    )
}
const runStep = (plan: Plan, body: UserBody, carry: unknown, refs: Refs, step: TileImpl): Traced =>
  Effect.suspend(() => {
    const { source, state } = plan
    const { current } = state
    const before = current.eqns.length
    return Effect.map(
      runBody(state, () => body(carry, refs, ...idsAt(plan, step))),
      (next) => {
        if (showForm(next) !== showForm(carry))
          fail(source, `the body gives ${showForm(next)}, the carry is ${showForm(carry)}`, "a carry keeps its types")
        if (plan.depth > 1) checkBody(plan, current.eqns.slice(before))
        return next
      }
    )
  })

/** The loop whose body works on the refs themselves: what every pipeline means. */
const plainLoop = (plan: Plan, init: unknown, body: UserBody): Traced =>
  fori(0, plan.steps, init as any, (step, carry) =>
    runStep(
      plan,
      body,
      carry,
      named([...plan.from, ...plan.to], (s) => blockAt(plan, s, step)),
      step
    )
  )

// --- rings --------------------------------------------------------------------------------------------------------------

const shapeAt = (plan: Plan, stream: Stream): Shape.Shape => blockAt(plan, stream, constant("i32", 0)).shape
const rings = (plan: Plan): ReadonlyArray<Scratch> => [
  ...plan.from.map((s) => ring(s, [plan.depth, ...shapeAt(plan, s)])),
  ...plan.to.map((s) => ring(s, shapeAt(plan, s)))
]
const ring = ({ name, ref }: Stream, shape: Shape.Shape): Scratch => ({
  name,
  dtype: ref.dtype,
  shape,
  space: "workgroup"
})
const slot = (plan: Plan, ring: MemRefImpl, step: TileImpl): MemRefImpl => at(ring, [lift("rem", [step, plan.depth])])

/** Starts the copies of the blocks of a step; none beyond the last one. */
const fetch = (plan: Plan, memory: Refs, step: TileImpl): { readonly [name: string]: TokenImpl } => {
  const { source, state, steps } = plan
  const when = step.literal === undefined ? lift("lt", [step, steps]) : undefined
  return named(plan.from, (s) =>
    launch(state, source, blockAt(plan, s, step), slot(plan, memory[s.name]!, step), { when })
  )
}

// --- out streams --------------------------------------------------------------------------------------------------------

const copy = (source: Source, from: MemRefImpl, to: MemRefImpl): Effect.Effect<unknown> =>
  Effect.flatMap(
    standingAt(source, () => load(from, undefined)),
    (value) => standingAt(source, () => store(to, value, undefined))
  )
const when = (source: Source, predicate: TileImpl, body: () => Traced): Traced =>
  standingAt(source, () =>
    cond(
      "when",
      predicate,
      () => Effect.asVoid(body()),
      () => undefined
    )
  )

/** Brings in the block of an out stream, where the step before had another one. */
const enter = (plan: Plan, stream: Stream, kept: MemRefImpl, step: TileImpl): Traced => {
  const isFirst = lift("eq", [step, 0])
  const isOther = differs(plan, stream, step, lift("sub", [step, 1]))
  return when(plan.source, lift("or", [isFirst, isOther]), () => copy(plan.source, blockAt(plan, stream, step), kept))
}
/** Brings it back, where the next step has another one. */
const leave = (plan: Plan, stream: Stream, kept: MemRefImpl, step: TileImpl): Traced => {
  const isLast = lift("eq", [step, plan.steps - 1])
  const isOther = differs(plan, stream, step, lift("add", [step, 1]))
  return when(plan.source, lift("or", [isLast, isOther]), () => copy(plan.source, kept, blockAt(plan, stream, step)))
}

// --- the pipeline -------------------------------------------------------------------------------------------------------

interface Carried {
  readonly carry: unknown
  /** By how many steps ahead. */
  readonly flying: { readonly [ahead: string]: { readonly [name: string]: TokenImpl } }
}

const step = (plan: Plan, memory: Refs, body: UserBody, now: TileImpl, { carry, flying }: Carried): Traced =>
  Effect.gen(function* (): Gen<Carried> {
    const { ahead, source, state } = plan
    const all: Carried["flying"] = { ...flying, [ahead]: fetch(plan, memory, lift("add", [now, ahead])) }
    for (const token of Object.values(all[0]!)) land(state, token, source)
    for (const s of plan.to) yield* enter(plan, s, memory[s.name]!, now)
    const refs = {
      ...named(plan.from, (s) => slot(plan, memory[s.name]!, now)),
      ...named(plan.to, (s) => memory[s.name]!)
    }
    const next = yield* runStep(plan, body, carry, refs, now)
    for (const s of plan.to) yield* leave(plan, s, memory[s.name]!, now)
    const later = Array.from({ length: ahead }, (_, k) => [k, all[k + 1]!] as const)
    return { carry: next, flying: Object.fromEntries(later) }
  })

const pipelined = (plan: Plan, memory: Refs, init: unknown, body: UserBody): Traced =>
  Effect.gen(function* (): Gen<unknown> {
    const { ahead, source, state, steps } = plan
    const first = Array.from({ length: ahead }, (_, k) => [k, fetch(plan, memory, constant("i32", k))] as const)
    const start: Carried = { carry: init, flying: Object.fromEntries(first) }
    const last = (yield* fori(0, steps, start as any, (now, carried) =>
      step(plan, memory, body, now, carried as unknown as Carried)
    )) as unknown as Carried
    for (const tokens of Object.values(last.flying))
      for (const token of Object.values(tokens)) land(state, token, source)
    return last.carry
  })

export const emit = (options: Options, init: unknown, body: UserBody) =>
  control("emit", (state, source) =>
    Effect.suspend(() => {
      const plan = planOf(state, source, options)
      if (plan.depth === 1) return standingAt(source, () => plainLoop(plan, init, body))
      return inScope(state, rings(plan), source, (scratch) =>
        standingAt(source, () =>
          pipelined(
            plan,
            named([...plan.from, ...plan.to], (_, k) => scratch[k]!),
            init,
            body
          )
        )
      )
    })
  )
