/** Memories of a lowered kernel that invocations share, and what each access to them is noted as. */
import * as DType from "../../DType.ts"
import type { AtomicOp, Memory } from "../../ir/lowered.ts"
import { type Access, Accesses, isAtomicKind, type Kind, kinds } from "./accesses.ts"
import type { Findings } from "./findings.ts"
import type { LoweredRace, Touch } from "./report.ts"
import { kept, recast, rounded, stepOf } from "./scalars.ts"

/** What one invocation has for itself. */
export interface Lane {
  readonly id: number
  readonly locals: Float64Array
  /** By the numbers of the memories that are registers. */
  readonly registers: ReadonlyArray<Float64Array>
}
/** Where a run stands. Epochs count barriers, and go on from workgroup to workgroup. */
export interface Clock {
  workgroup: number
  /** Invocations of a workgroup. */
  readonly size: number
  /** Statements that all invocations have run together. */
  turn: number
  /** Selections under way whose other value is wanted. */
  dropping: number
  readonly epochs: { workgroup: number; storage: number }
}

const accessOf = (kind: Kind): Touch["access"] =>
  isAtomicKind(kind) ? "atomic" : kind === kinds.read ? "read" : "write"

/** A memory that is no register. */
export class Cells {
  readonly memory: Memory
  readonly data: Float64Array
  private readonly clock: Clock
  private readonly findings: Findings
  private readonly within: Accesses
  private readonly between: Accesses | undefined
  constructor(memory: Memory, data: Float64Array, clock: Clock, findings: Findings) {
    this.memory = memory
    this.data = data
    this.clock = clock
    this.findings = findings
    this.within = new Accesses(memory.length, "invocations", (cell, epoch, actor, a, b) =>
      this.tell("invocations", cell, epoch, actor, a, b)
    )
    if (memory.space === "storage")
      this.between = new Accesses(memory.length, "workgroups", (cell, epoch, actor, a, b) =>
        this.tell("workgroups", cell, epoch, actor, a, b)
      )
  }
  private tell(
    among: LoweredRace["among"],
    cell: number,
    epoch: number,
    actor: number,
    earlier: Access,
    later: Access
  ): void {
    const { size } = this.clock
    const touch = (who: number, { kind, site }: Access) => ({
      workgroup: Math.floor(who / size),
      invocation: who % size,
      access: accessOf(kind),
      site
    })
    const mark = epoch * this.memory.length + cell
    this.findings.race(among, this.memory, cell, mark, touch(actor, earlier), touch(later.actor, later))
  }

  private note(at: number, lane: Lane, site: number, kind: Kind): void {
    const { dropping, epochs, size, turn, workgroup } = this.clock
    const epoch = this.memory.space === "workgroup" ? epochs.workgroup : epochs.storage
    const actor = workgroup * size + lane.id
    this.within.note(at, epoch, site, kind, actor, actor, turn)
    // A read of what another workgroup writes is no race if nobody wants the value; barriers stand before it all the same.
    if (dropping === 0) this.between?.note(at, 0, site, kind, actor, workgroup, turn)
  }
  private has(at: number): boolean {
    return at >= 0 && at < this.memory.length
  }
  /** Reads outside give 0: WGSL computes values that a selection then drops. */
  load(at: number, lane: Lane, site: number): number {
    if (!this.has(at)) return 0
    if (this.memory.writable) this.note(at, lane, site, kinds.read)
    return this.data[at]!
  }
  /** Puts what `next` makes of what a cell holds, and of `a` and `b`, in its place; gives what was there. */
  change(at: number, lane: Lane, site: number, kind: Kind, next: Change, a: number, b: number): number {
    if (!this.has(at)) {
      const { workgroup } = this.clock
      const touch = { workgroup, invocation: lane.id, access: accessOf(kind) }
      this.findings.outOfBounds(this.memory.name, at, at, touch, site)
      return 0
    }
    this.note(at, lane, site, kind)
    const before = this.data[at]!
    this.data[at] = next(before, a, b)
    return before
  }
}

/** What a cell holds in the end, from what it holds and up to two values. */
export type Change = (before: number, a: number, b: number) => number
/** A value is stored. */
export const storing = ({ dtype }: Memory): Change => {
  const keep = kept(dtype)
  return (_, value) => keep(value)
}
/** A value is added, in a dtype that may be another than the memory's. */
export const adding = ({ dtype }: Memory, added: DType.Name): Change => {
  const [into, outOf, sum] = [recast(added, dtype), recast(dtype, added), rounded("add", DType.widened(added))]
  const keep = kept(dtype)
  return (before, value) => keep(into(sum(outOf(before), value)))
}
/** An atomic step on values of a dtype. */
export const stepping = ({ dtype }: Memory, op: AtomicOp, seen: DType.Name): Change => {
  const [into, outOf, step] = [recast(seen, dtype), recast(dtype, seen), stepOf(op, seen)]
  return (before, a, b) => into(step(outOf(before), a, b))
}
