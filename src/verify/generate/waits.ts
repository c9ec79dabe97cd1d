/** Barriers and semaphores. What is asserted of a wait was brought about before it; other waits tell what they found. */
import type { Draft } from "../../ir/primitive.ts"
import { type Atom, type Eqn, literal, type Scratch } from "../../ir/program.ts"
import * as A from "./affine.ts"
import { attempt } from "../../ir/build.ts"
import { within } from "./control.ts"
import { barrier as barrierScratch } from "./refs.ts"
import type { Gen, RefPlan } from "./state.ts"
import { type Seen, view, wholeView } from "./views.ts"

type Through = Pick<Draft, "refs" | "indices">

// --- assertions ---------------------------------------------------------------------------------------------------------

/** The assertion with which a wait that nothing ends becomes a failure. */
const assertReached = (gen: Gen, reached: Atom, ref: string): void => {
  gen.builder.emit("assert", [gen.use(reached)], { params: { kind: "deadlock", ref, detail: "it is not reached" } })
}

// --- barriers -----------------------------------------------------------------------------------------------------------

/** One of the barriers, whose number is known or comes to hand. */
const one = (gen: Gen, { name, shape }: Scratch): Through => {
  const [n] = shape
  if (n === undefined) return { refs: [{ name, view: [] }], indices: [] }
  const position = gen.place.at(-1)
  const isKnown = position === undefined || gen.draw.chance(0.7)
  const indices = isKnown ? [] : [gen.op("rem", [position, literal("i32", n)])]
  const at = isKnown ? A.fixed(gen.draw.below(n)) : A.sum(0, [[1, 0]])
  return { refs: [{ name, view: [{ _tag: "Index", at: [A.point(at)] }] }], indices }
}
const arrivalsOf = ({ role }: Scratch): number => (role?.kind === "barrier" ? role.arrivals : 0)
const isBarrier = ({ role }: Scratch): boolean => role?.kind === "barrier"

/** All arrivals of a phase, one by one or in a loop. */
const arriveAll = (gen: Gen, arrivals: number, to: Through, meanwhile: () => void): void => {
  const arrive = () => void gen.builder.emit("barrierArrive", [], to)
  if (gen.draw.chance(0.25)) {
    const turn = gen.builder.region([{ dtype: "i32", shape: [] }], () => {
      arrive()
      return []
    })
    gen.builder.emit("fori", [literal("i32", 0), literal("i32", arrivals)], { regions: [turn] })
    return
  }
  for (let k = 0; k < arrivals; k++) {
    arrive()
    if (gen.draw.chance(0.3)) gen.add(gen.builder.emit("barrierTest", [], to)[0]!)
    if (gen.draw.chance(0.2)) meanwhile()
  }
}
/** A phase from its arrivals to the wait for it. */
const phase = (gen: Gen, of: Scratch, meanwhile: () => void): void => {
  const to = one(gen, of)
  arriveAll(gen, arrivalsOf(of), to, meanwhile)
  const complete = gen.add(gen.builder.emit("barrierWait", [], to)[0]!)
  if (gen.draw.chance(0.8)) assertReached(gen, complete, of.name)
}
/** One step on a barrier, whatever state it is in. */
const step = (gen: Gen, of: Scratch): void => {
  const primitive = gen.draw.of(["barrierArrive", "barrierArrive", "barrierTest", "barrierWait"])
  for (const result of gen.builder.emit(primitive, [], one(gen, of))) gen.add(result)
}
/** Uses a barrier that is in scope, or one of its own. */
export const barrier = (gen: Gen, meanwhile: () => void): void => {
  gen.budget -= 3
  const known = gen.draw.maybe(gen.roles.filter(isBarrier))
  if (known !== undefined)
    return gen.isCareful || gen.draw.chance(0.5) ? phase(gen, known, meanwhile) : step(gen, known)
  const own = barrierScratch(gen)
  within(gen, [own], () => {
    phase(gen, own, meanwhile)
    if (!gen.isCareful && gen.draw.chance(0.5)) attempt(() => step(gen, own))
    if (gen.draw.chance(0.3)) phase(gen, own, meanwhile)
  })
}
export const sync = (gen: Gen): void => void gen.builder.emit("sync", [])

// --- semaphores ---------------------------------------------------------------------------------------------------------

const through = (seen: Seen): Through => ({ refs: [seen.use], indices: seen.indices })
/** A number of signals: known, or only at run time. */
const count = (gen: Gen): Atom => {
  const known = gen.draw.chance(0.3) ? gen.find((v) => v.dtype === "i32" && v.shape.length === 0) : undefined
  return known === undefined ? literal("i32", gen.draw.below(5)) : gen.op("and", [known, literal("i32", 7)])
}
const emit = (gen: Gen, primitive: string, seen: Seen, more: Partial<Eqn> = {}): void => {
  const { operands = [], params = {} } = more
  for (const result of gen.builder.emit(primitive, operands, { ...through(seen), params })) gen.add(result)
}
/** What program instances may do to the semaphores of a ref: signals commute as additions do. */
const operations = ({ isCareful }: Gen, { policy, space, step }: RefPlan): ReadonlyArray<string> => {
  if (policy === "read") return ["semaphoreRead"]
  if (policy === "accumulate") return step === "add" ? ["semaphoreSignal"] : []
  return ["semaphoreSignal", "semaphoreRead", ...(space === undefined || isCareful ? [] : ["semaphoreWaitLocal"])]
}
const onRef = (gen: Gen, ref: RefPlan): void => {
  const primitive = gen.draw.maybe(operations(gen, ref))
  if (primitive === undefined) return
  const seen = view(gen, ref, primitive === "semaphoreWaitLocal")
  if (seen.aval.dtype !== "i32") return
  if (primitive === "semaphoreRead") return emit(gen, primitive, seen)
  const params = primitive === "semaphoreWaitLocal" ? { decrement: gen.draw.chance(0.7) } : {}
  emit(gen, primitive, seen, { operands: [gen.use(count(gen))], params })
}
/** Signals, and a wait for as many or fewer of them. */
const handshake = (gen: Gen, plan: RefPlan, meanwhile: () => void): void => {
  const all = wholeView(gen, plan)
  const seen = gen.draw.chance(0.5) ? all : view(gen, plan, true)
  const signals = Array.from({ length: gen.draw.between(1, 2) }, () => gen.draw.below(4))
  for (const n of signals) emit(gen, "semaphoreSignal", all, { operands: [literal("i32", n)] })
  if (gen.draw.chance(0.4)) meanwhile()
  const needed = literal("i32", gen.draw.below(signals.reduce((sum, n) => sum + n, 0) + 1))
  const params = { decrement: gen.draw.chance(0.7) }
  const isInside = seen === all
  const [found] = gen.builder.emit("semaphoreWaitLocal", [needed], { ...through(seen), params })
  gen.add(found!)
  if (!isInside || gen.draw.chance(0.2)) return
  const reached = gen.op("ge", [found!, needed])
  const axes = reached.shape.map((_, d) => d)
  assertReached(gen, axes.length === 0 ? reached : gen.op("reduceAll", [reached], { axes, keepDims: false }), plan.name)
}
/** Uses semaphores of a ref that is in scope, or some of its own. */
export const semaphore = (gen: Gen, meanwhile: () => void): void => {
  gen.budget -= 3
  const known = gen.refs.filter(({ dtype }) => dtype === "i32")
  if (known.length > 0 && gen.draw.chance(0.6)) return onRef(gen, gen.draw.of(known))
  const own: Scratch = {
    name: gen.name("t"),
    dtype: "i32",
    shape: gen.draw.chance(0.5) ? [] : [gen.draw.between(1, 4)],
    space: gen.draw.of(["workgroup", "register"] as const)
  }
  const body = () => {
    // Nothing else knows this scratch: what was signalled is there.
    const [plan] = gen.refs.splice(-1)
    handshake(gen, plan!, meanwhile)
  }
  within(gen, [own], body, [own])
}
