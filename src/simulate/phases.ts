/** Barriers: what arrivals release, phases that are complete, and who has observed them. */
import { acquireFrom, type Actor, nothing, release, type View } from "./actors.ts"
import type { Collector, Stand } from "./collector.ts"
import { placeOf } from "./collector.ts"
import type { Memory } from "./memory.ts"

/** Of some arrivals, the first and the last in the program: which of them come to one phase is up to chance. */
interface Arrivals {
  readonly first: Stand
  readonly last: Stand
}
/** A phase that is complete. */
interface Phase {
  readonly view: View
  /** A copy has arrived, which nobody has waited for if nobody waits for the phase. */
  readonly isOfCopies: boolean
  /** Of its arrivals, the first and the last in the program. */
  readonly arrivals: Arrivals
  /** That it was complete too early has been told. */
  isTold: boolean
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
  /** Those of the next phase. */
  private arrived: Arrivals | undefined
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

  private with(stand: Stand): Arrivals {
    const { arrived = { first: stand, last: stand }, collector } = this
    const number = ({ eqn }: Stand): number => collector.numberOf(eqn)
    return {
      first: number(stand) < number(arrived.first) ? stand : arrived.first,
      last: number(stand) >= number(arrived.last) ? stand : arrived.last
    }
  }
  /** One arrival, which releases what its actor has done. */
  arrive(stand: Stand): void {
    stand.actor.time++
    release(stand.actor, this.view)
    const arrivals = (this.arrived = this.with(stand))
    this.isOfCopies ||= stand.actor.by === "copy"
    if (++this.count < this.arrivals) return
    const before = this.phases.at(-1)
    const phase = { view: this.view, isOfCopies: this.isOfCopies, arrivals, observers: [], isTold: false }
    const isSeen = ({ actor, time }: Phase["observers"][number]): boolean =>
      (this.view.clock.get(actor.id) ?? -1) >= time
    if (before !== undefined && (before.observers.length === 0 || !before.observers.every(isSeen)))
      this.tooEarly(before, phase)
    this.phases.push(phase)
    this.view = nothing()
    this.isOfCopies = false
    this.arrived = undefined
    this.count = 0
  }
  private tooEarly(before: Phase, phase: Phase): void {
    phase.isTold = true
    this.misuse(
      "overArrival",
      [before.arrivals.first, phase.arrivals.last],
      "a phase completes while the one before may not have been waited for",
      "wait for each phase before the next can be complete, or take two barriers in turn"
    )
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
    const later = this.phases[next + 1]
    if (later !== undefined && !later.isTold) this.late(actor, stand, phase, later, next)
    acquireFrom(actor, phase.view)
    this.observed.set(actor.id, next + 1)
    phase.observers.push({ actor, time: ++actor.time })
  }
  /** It waits for a phase when the next is complete: because it has waited for that in another way, or by chance. */
  private late(actor: Actor, stand: Stand, phase: Phase, later: Phase, next: number): void {
    const { last } = later.arrivals
    const { id } = last.actor
    if ((actor.clock.get(id) ?? -1) < later.view.clock.get(id)!) return this.tooEarly(phase, later)
    this.misuse(
      "missed",
      [stand, last],
      `it waits for phase ${next + 1}, when phase ${this.phases.length} is complete already`,
      "each thread that waits for a barrier waits for each of its phases"
    )
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
        [this.arrived!.last],
        `its scope ends with ${this.count} of the ${this.arrivals} arrivals of a phase`,
        hint
      )
    const phase = this.phases.at(-1)
    if (phase !== undefined && phase.observers.length === 0 && !phase.isOfCopies && !phase.isTold)
      this.misuse(
        "unobserved",
        [phase.arrivals.last],
        "a phase is complete when its scope ends, and nothing has waited for it",
        hint
      )
  }
}
