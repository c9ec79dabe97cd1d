/**
 * Who acts, and what each has in its view: the happens-before order of a run, as vector clocks.
 *
 * An actor is a thread, or what a thread has started. What an actor does is in order; across actors only what one has
 * released and another acquired is. Clocks are sparse: an actor that has acquired nothing knows of nobody.
 */
import type { Eqn } from "../ir/program.ts"
import type { StepKind } from "../ir/simulate.ts"

/** Time up to which each actor's doings are known. */
export type Clock = Map<number, number>

export interface Actor {
  readonly id: number
  /** Position of the program instance in the grid, and the number of the instance. */
  readonly program: () => ReadonlyArray<number>
  readonly instance: number
  readonly thread: number
  readonly by: "thread" | "copy" | "multiplyAccumulate"
  /** Counts the actor's accesses. */
  time: number
  /** What it has acquired of others. */
  clock: Clock
  /**
   * Where plain writes reach copies only after a fence: those that a copy sees, or that a copy which starts now would see.
   */
  proxy: Clock | undefined
}
/** One access, by one run of an equation, to any number of elements. */
export interface Access {
  readonly actor: Actor
  readonly time: number
  readonly eqn: Eqn
  readonly kind: "read" | "write" | StepKind
  /** What a step takes the element for, where that matters to it: words, or numbers of a dtype. */
  readonly as: string
  /** Where the actor's program instance stood. */
  readonly program: ReadonlyArray<number>
}

export const acquire = (into: Clock, from: Clock): void => {
  for (const [id, time] of from) if ((into.get(id) ?? -1) < time) into.set(id, time)
}
/** All that an actor knows, its own doings included. */
export const known = ({ clock, id, time }: Actor): Clock => new Map(clock).set(id, time)
/** Whether an access comes before all that the actor does from now on. */
export const sees = (actor: Actor, { actor: other, kind, time }: Access): boolean => {
  const needsFence = actor.by !== "thread" && other.by === "thread" && kind !== "read"
  const clock = (needsFence ? actor.proxy : undefined) ?? actor.clock
  return other === actor || (clock.get(other.id) ?? -1) >= time
}

/** What is handed on from one actor to another. */
export interface View {
  readonly clock: Clock
  readonly proxy: Clock
}
export const nothing = (): View => ({ clock: new Map(), proxy: new Map() })
export const release = (actor: Actor, into: View): void => {
  acquire(into.clock, known(actor))
  if (actor.proxy !== undefined) acquire(into.proxy, actor.by === "thread" ? actor.proxy : known(actor))
}
export const acquireFrom = (actor: Actor, { clock, proxy }: View): void => {
  acquire(actor.clock, clock)
  if (actor.proxy !== undefined) acquire(actor.proxy, proxy)
}

export const accessBy = (actor: Actor, eqn: Eqn, kind: Access["kind"], as = "words"): Access => ({
  actor,
  time: ++actor.time,
  eqn,
  kind,
  as,
  program: actor.program()
})
