/** Barriers: what arrivals release, phases that are complete, and who has observed them. */
import { acquireFrom, type Actor, nothing, release, type View } from "./actors.ts"
import type { Collector, Stand } from "./collector.ts"
import { placeOf } from "./collector.ts"
import type { Memory } from "./memory.ts"

/** A phase that is complete. */
interface Phase {
  readonly view: View
  /** A copy has arrived, which nobody has waited for if nobody waits for the phase. */
  readonly isOfCopies: boolean
  readonly completed: Stand
  readonly observers: Array<{ readonly actor: Actor; readonly time: number }>
}

export class Barrier {
  private readonly memory: Memory
  private readonly cell: number
  private readonly collector: Collector
  private readonly arrivals: number
  private readonly phases: Array<Phase> = []
  private readonly observed = new Map<number, number>()
  private view = nothing()
  private count = 0
  private last: Stand | undefined
  private isOfCopies = false
  constructor(memory: Memory, cell: number, collector: Collector) {
    this.memory = memory
    this.cell = cell
    this.collector = collector
    const { role } = memory.type
    this.arrivals = role?.kind === "barrier" ? role.arrivals : 1
  }

  private misuse(
    misuse: "overArrival" | "missed" | "partial" | "unobserved",
    stands: readonly [Stand, Stand?],
    detail: string,
    hint: string
  ): void {
    const [first, second] = stands
    const key = [misuse, this.memory.name, this.collector.numberOf(first.eqn)]
    this.collector.add("BarrierMisuse", key, () => ({
      ref: this.memory.name,
      element: this.collector.element(this.memory, this.cell),
      detail,
      hint,
      misuse,
      first: placeOf(first),
      ...(second === undefined ? {} : { second: placeOf(second) })
    }))
  }

  /** One arrival, which releases what its actor has done. */
  arrive(stand: Stand): void {
    release(stand.actor, this.view)
    this.last = stand
    this.isOfCopies ||= stand.actor.by === "copy"
    if (++this.count < this.arrivals) return
    const before = this.phases.at(-1)
    const isSeen = ({ actor, time }: Phase["observers"][number]): boolean =>
      (this.view.clock.get(actor.id) ?? -1) >= time
    if (before !== undefined && (before.observers.length === 0 || !before.observers.every(isSeen)))
      this.misuse(
        "overArrival",
        [before.completed, stand],
        "a phase completes while the one before may not have been waited for",
        "wait for each phase before the next can be complete, or take two barriers in turn"
      )
    this.phases.push({ view: this.view, isOfCopies: this.isOfCopies, completed: stand, observers: [] })
    this.view = nothing()
    this.isOfCopies = false
    this.count = 0
  }
  private next(actor: Actor): number {
    return this.observed.get(actor.id) ?? 0
  }
  isComplete(actor: Actor): boolean {
    return this.phases.length > this.next(actor)
  }
  observe(actor: Actor, stand: Stand): void {
    const next = this.next(actor)
    const phase = this.phases[next]!
    if (this.phases.length - next > 1)
      this.misuse(
        "missed",
        [stand, this.phases[next + 1]!.completed],
        `it waits for phase ${next + 1}, when phase ${this.phases.length} is complete already`,
        "each thread that waits for a barrier waits for each of its phases"
      )
    acquireFrom(actor, phase.view)
    this.observed.set(actor.id, next + 1)
    phase.observers.push({ actor, time: ++actor.time })
  }
  standing(): string {
    return `a phase of ${this.arrivals} arrivals, of which there are ${this.count}`
  }

  /** The barrier's scope ends. */
  end(): void {
    const hint = "make each phase complete, and wait for each"
    if (this.count > 0)
      this.misuse(
        "partial",
        [this.last!],
        `its scope ends with ${this.count} of the ${this.arrivals} arrivals of a phase`,
        hint
      )
    const phase = this.phases.at(-1)
    if (phase !== undefined && phase.observers.length === 0 && !phase.isOfCopies)
      this.misuse(
        "unobserved",
        [phase.completed],
        "a phase is complete when its scope ends, and nothing has waited for it",
        hint
      )
  }
}
