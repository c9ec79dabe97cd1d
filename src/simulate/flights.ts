/** What a thread has started and what goes on beside it: copies, and products of the matrix pipeline. */
import type { Eqn } from "../ir/program.ts"
import type { Shadowed } from "../ir/shadow.ts"
import type { Flight, FlightKind } from "../ir/simulate.ts"
import type { Actor } from "./actors.ts"
import type { Stand } from "./collector.ts"

export class InFlight implements Flight {
  readonly kind: FlightKind
  readonly actor: Actor
  readonly stand: Stand
  readonly ref: string
  /** Who has started it, and when. */
  readonly from: { readonly thread: Actor; readonly time: number }
  private readonly read: () => Shadowed
  private data: Shadowed | undefined
  constructor(kind: FlightKind, actor: Actor, stand: Stand, ref: string, from: InFlight["from"], read: () => Shadowed) {
    this.kind = kind
    this.actor = actor
    this.stand = stand
    this.ref = ref
    this.from = from
    this.read = read
  }
  /** Whether another one was started by somebody who knew of this one. */
  isBefore(other: InFlight): boolean {
    return (other.actor.clock.get(this.from.thread.id) ?? -1) >= this.from.time
  }
  get eqn(): Eqn {
    return this.stand.eqn
  }
  take(): Shadowed {
    return (this.data ??= this.read())
  }
}

/** Work that is done in its own time, but in the order of its queue. */
export class Queue {
  private readonly items: Array<{ readonly flight: InFlight; readonly done: () => void; isDone: boolean }> = []
  get length(): number {
    return this.items.length
  }
  get last(): InFlight | undefined {
    return this.items.at(-1)?.flight
  }
  push(flight: InFlight, done: () => void): void {
    this.items.push({ flight, done, isDone: false })
  }
  /** Does all that is queued and not done. */
  settle(): void {
    for (const item of this.items) {
      if (!item.isDone) item.done()
      item.isDone = true
    }
  }
  /** Takes the oldest, done. */
  shift(): InFlight | undefined {
    const [item] = this.items
    if (item === undefined) return undefined
    if (!item.isDone) item.done()
    this.items.shift()
    return item.flight
  }
}
