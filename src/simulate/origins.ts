/** Where undefined elements come from: numbers that shadows carry, and what they stand for. */
import type { Eqn } from "../ir/program.ts"
import type { Stand } from "./collector.ts"
import { type Memory, neverWritten } from "./memory.ts"
import type { Zeros } from "./settings.ts"

const kinds: ReadonlyArray<Zeros> = ["output", "scratch", "padding", "outOfBounds"]
/** The first undefined element of one kind that an equation has read. */
export interface Origin {
  readonly stand: Stand
  readonly memory: Memory
  readonly kind: Zeros
  /** The element that was read: coordinates in the ref, or, outside of it, how the view names it. */
  readonly element: ReadonlyArray<number>
}

export class Origins {
  private readonly known = new Map<number, Origin>()
  private readonly numberOf: (eqn: Eqn) => number
  constructor(numberOf: (eqn: Eqn) => number) {
    this.numberOf = numberOf
  }
  /** The number of an origin: the same for an equation in every run of it, and under every schedule. */
  number(kind: Zeros, eqn: Eqn, ref: number, make: () => Origin): number {
    const number = neverWritten + 1 + (this.numberOf(eqn) * 4 + ref) * kinds.length + kinds.indexOf(kind)
    if (!this.known.has(number)) this.known.set(number, make())
    return number
  }
  of(number: number): Origin {
    return this.known.get(number)!
  }
}
