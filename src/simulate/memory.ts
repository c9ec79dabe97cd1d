/** What refs and scratch hold in a run: elements, where they are undefined from, and who has touched them. */
import type { View } from "./actors.ts"
import { History } from "./history.ts"
import type { Sum } from "./sums.ts"
import { type ArrayValue, zeros } from "../ir/array.ts"
import type { Access as RefAccess, RefType } from "../ir/program.ts"

/** An element that nothing has been written to. */
export const neverWritten = 1

export class Memory {
  readonly name: string
  readonly type: RefType
  /** How the kernel declares it; scratch is its own. */
  readonly access: RefAccess | "scratch"
  value: ArrayValue
  readonly origins: Int32Array
  /** Nothing can change what is only read. */
  readonly history: History | undefined
  /** What semaphores have been signalled with, by element. */
  readonly released = new Map<number, View>()
  /** What was added to float elements since they were last stored, by element. */
  sums: Map<number, Sum> | undefined
  private readonly seen: Int32Array
  private stamp = 0
  private isSettled = false

  constructor(name: string, type: RefType, access: Memory["access"], value: ArrayValue = zeros(type)) {
    this.name = name
    this.type = type
    this.access = access
    this.value = value
    const size = value.data.length
    const isFresh = access === "out" || access === "scratch"
    // Accumulators start as 0 by promise.
    this.origins = new Int32Array(size).fill(isFresh && type.role === undefined ? neverWritten : 0)
    this.history = access === "in" ? undefined : new History()
    this.seen = new Int32Array(access === "in" ? 0 : size)
  }

  /** What nothing has been written to is 0 on purpose: it is a semaphore. */
  settle(): void {
    if (this.isSettled) return
    this.isSettled = true
    for (let cell = 0; cell < this.origins.length; cell++)
      if (this.origins[cell] === neverWritten) this.origins[cell] = 0
  }
  /** The first of the cells that stands in the list twice, if any does. */
  repeated(cells: Iterable<number>): number | undefined {
    this.stamp++
    for (const cell of cells) {
      if (cell < 0) continue
      if (this.seen[cell] === this.stamp) return cell
      this.seen[cell] = this.stamp
    }
    return undefined
  }
}
