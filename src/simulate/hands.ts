/** Touches memory for an actor: moves elements and their origins, and has the collector told what is wrong with it. */
import * as DType from "../DType.ts"
import { type ArrayValue, scalar } from "../ir/array.ts"
import type { EvalContext } from "../ir/primitive.ts"
import type { Atom, Eqn } from "../ir/program.ts"
import type { Origins, Shadowed } from "../ir/shadow.ts"
import type { Cells, Change, Hands, StepKind } from "../ir/simulate.ts"
import { mayRepeat } from "../ir/view.ts"
import { stepOf } from "../primitives/structural/access.ts"
import { packed } from "../primitives/structural/defined.ts"
import { words } from "../primitives/structural/words.ts"
import { type Access, accessBy, acquireFrom, type Actor, nothing, release } from "./actors.ts"
import { type Memory, neverWritten } from "./memory.ts"
import { addTo, isExact, sumFrom } from "./sums.ts"
import * as Tell from "./tell.ts"
import { apart, apply, keep, masked, outOfBounds, reachOf } from "./views.ts"
import type { World } from "./world.ts"

/** What hands work on: an equation, the memory of its refs, and the values of its indices when it was run. */
export interface Work {
  readonly world: World
  readonly eqn: Eqn
  readonly memory: (ref: number) => Memory
  readonly value: (atom: Atom) => Shadowed
  /** What pure operations on the memory of refs are evaluated with: they may change it in place. */
  readonly evaluation: EvalContext
}
const values = (all: ReadonlyArray<Shadowed | undefined>): ReadonlyArray<ArrayValue> =>
  all.flatMap((s) => (s === undefined ? [] : [s.value]))
const originAt = ({ origins, value }: Shadowed, e: number): number => origins?.[e * stepOf(value)] ?? 0
/** Bits and sums of integers are the same, whatever the sign; sums of floats, the least and the greatest are not. */
const takenFor = (kind: StepKind, dtype: DType.Name): string => {
  const isOfNumbers = kind === "max" || kind === "min" || (kind === "add" && DType.isFloat(DType.widened(dtype)))
  return isOfNumbers ? dtype : "words"
}

export class WorkingHands implements Hands {
  protected readonly work: Work
  protected readonly actor: Actor
  constructor(work: Work, actor: Actor) {
    this.work = work
    this.actor = actor
  }

  private access(kind: Access["kind"]): Access {
    return accessBy(this.actor, this.work.eqn, kind)
  }
  /** Touches cells; tells of races. */
  private touch(memory: Memory, cells: Cells, access: Access): void {
    const { history } = memory
    for (const cell of cells) {
      if (cell < 0) continue
      this.work.world.accesses++
      const rival = history?.touch(cell, access)
      if (rival !== undefined) Tell.race(this.work.world, memory, cell, rival, access)
    }
  }
  /** The number of an origin: what the cell has, or, if nothing was written there, that of this access. */
  private originOf(ref: number, memory: Memory, cell: number, at: number): number {
    if (cell === masked) return 0
    const origin = cell < 0 ? 0 : memory.origins[cell]!
    if (cell >= 0 && origin !== neverWritten) return origin
    const { eqn, world } = this.work
    return Tell.originOf(world, this.actor, eqn, ref, memory, cell, () => this.positionOf(ref, at))
  }
  /** Where element `e` of a view lies, as far as it lies anywhere. */
  private positionOf(ref: number, e: number): ReadonlyArray<number> {
    const { eqn, memory, value } = this.work
    const indices = eqn.indices.map((atom) => value(atom).value)
    return reachOf(eqn, ref, memory(ref).type).outside.positionOf(indices, e)?.coords ?? []
  }

  read(ref: number, cells: Cells, mask?: Shadowed, other?: Shadowed): Shadowed {
    const { eqn, world } = this.work
    const memory = this.work.memory(ref)
    const { shown } = reachOf(eqn, ref, memory.type)
    this.touch(memory, cells, this.access("read"))
    const rest = mask && [mask, other ?? { value: scalar(DType.widened(shown.dtype), 0), origins: undefined }]
    const [value] = apply(this.work.evaluation, eqn, ref, "viewGet", {}, memory, values(rest ?? []))
    world.steps++
    return { value: apart(value!, memory), origins: this.originsOf(ref, memory, cells, other) }
  }

  /** Where what the cells hold is undefined from. */
  private originsOf(ref: number, memory: Memory, cells: Cells, other?: Shadowed): Origins {
    let origins: Int32Array | undefined
    for (let e = 0; e < cells.length; e++) {
      const cell = cells[e]!
      if (cell >= 0 && memory.origins[cell] === 0) continue
      const isOther = cell === masked
      const origin = isOther ? (other === undefined ? 0 : originAt(other, e)) : this.originOf(ref, memory, cell, e)
      if (origin !== 0) (origins ??= new Int32Array(cells.length))[e] = origin
    }
    return origins
  }

  private checkWrite(memory: Memory, ref: number, cells: Cells): void {
    if (this.work.world.stray.has(cells)) return
    const e = cells.indexOf(outOfBounds)
    if (e >= 0) Tell.lostWrite(this.work.world, this.actor, this.work.eqn, memory, this.positionOf(ref, e))
  }
  write(ref: number, cells: Cells, value: Shadowed, mask?: Shadowed): void {
    const { eqn, world } = this.work
    const memory = this.work.memory(ref)
    this.checkWrite(memory, ref, cells)
    const access = this.access("write")
    this.touch(memory, cells, access)
    const mayMeet = mayRepeat(eqn.refs[ref]!.view) && !world.stray.has(cells)
    const twice = mayMeet ? memory.repeated(cells) : undefined
    if (twice !== undefined) Tell.duplicate(world, memory, twice, access)
    const [after] = apply(this.work.evaluation, eqn, ref, "viewPut", {}, memory, values([value, mask]))
    keep(memory, after!)
    for (let e = 0; e < cells.length; e++) if (cells[e]! >= 0) memory.origins[cells[e]!] = originAt(value, e)
    if (memory.sums !== undefined) for (const cell of cells) memory.sums.delete(cell)
    this.changed()
  }
  private changed(): void {
    const { world } = this.work
    world.steps++
    world.version++
    if ("changes" in this.actor) (this.actor as { changes: number }).changes++
  }

  step(ref: number, cells: Cells, kind: StepKind, change: Change): Shadowed | undefined {
    const { eqn, world } = this.work
    const memory = this.work.memory(ref)
    this.checkWrite(memory, ref, cells)
    const { dtype } = reachOf(eqn, ref, memory.type).shown
    const access = accessBy(this.actor, eqn, kind, takenFor(kind, dtype))
    this.order(memory, ref, cells, access, change)
    if (world.settings.acquireRelease) this.synchronise(memory, cells)
    this.touch(memory, cells, access)
    const found = this.shiftOrigins(ref, memory, cells, change)
    // The elements stay where they are: the change is made in place, or kept there.
    const now = words(memory.value.data)
    const before = Array.from(cells, (cell) => (cell < 0 ? 0 : now[cell]!))
    const given = values([...change.operands, change.mask])
    const [after, old] = apply(this.work.evaluation, eqn, ref, change.primitive, change.params ?? {}, memory, given)
    keep(memory, after!)
    if (cells.some((cell, e) => cell >= 0 && now[cell] !== before[e])) this.changed()
    else world.steps++
    return old && { value: old, origins: found }
  }
  private shiftOrigins(ref: number, memory: Memory, cells: Cells, { operands }: Change): Origins {
    const found = new Int32Array(cells.length)
    for (let e = 0; e < cells.length; e++) {
      const cell = cells[e]!
      found[e] = this.originOf(ref, memory, cell, e)
      if (cell >= 0) memory.origins[cell] = Math.max(found[e]!, ...operands.map((o) => originAt(o, e)))
    }
    return packed(found)
  }
  /** Each element's steps release and acquire what their actors have done. */
  private synchronise(memory: Memory, cells: Cells): void {
    for (const cell of cells) {
      if (cell < 0) continue
      const released = memory.released.get(cell) ?? nothing()
      acquireFrom(this.actor, released)
      release(this.actor, released)
      memory.released.set(cell, released)
    }
  }
  /** Tells where the order of steps shows: steps of several kinds, and float sums that round. */
  private order(memory: Memory, ref: number, cells: Cells, access: Access, { operands }: Change): void {
    const { history } = memory
    if (history === undefined || access.kind === "exchange" || access.kind === "look") return
    const { world } = this.work
    const { dtype } = reachOf(this.work.eqn, ref, memory.type).shown
    const isFloatAdd = access.kind === "add" && DType.isFloat(DType.widened(dtype))
    const twice = isFloatAdd && mayRepeat(this.work.eqn.refs[ref]!.view) ? memory.repeated(cells) : undefined
    for (let e = 0; e < cells.length; e++) {
      const cell = cells[e]!
      if (cell < 0) continue
      const other = history.otherStep(cell, access)
      if (other !== undefined) Tell.orderShows(world, memory, cell, other, access, "steps of two kinds do not commute")
      if (!isFloatAdd) continue
      const [value] = operands
      const sums = (memory.sums ??= new Map())
      const sum = addTo(
        sums.get(cell) ?? sumFrom(memory.value.data[cell]!),
        value!.value.data[e * stepOf(value!.value)]!
      )
      sums.set(cell, sum)
      if (isExact(sum, memory.type.dtype === "i32" || memory.type.dtype === "u32" ? dtype : memory.type.dtype)) continue
      const rival = history.sameStep(cell, this.actor) ?? (twice === undefined ? undefined : access)
      if (rival !== undefined) Tell.orderShows(world, memory, cell, rival, access, "the sum rounds, in whatever order")
    }
  }
}
