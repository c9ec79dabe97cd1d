/**
 * Which accesses to one cell nothing orders.
 *
 * A cell keeps, for the stretch since the last barrier, one entry per statement and kind of access, with up to two of those
 * who made it. Whoever comes then, one of an entry's two is somebody else if anybody was: so every pair of statements that
 * meet is found, in whatever order the accesses come.
 */
import type { AtomicOp } from "../../ir/lowered.ts"

/** Kinds of access: atomic steps of one kind commute, unless somebody looks at what was there before. */
export const kinds = { read: 0, write: 1, step: 2, add: 3, max: 4, min: 5, and: 6, or: 7, xor: 8 } as const
export type Kind = (typeof kinds)[keyof typeof kinds]
export const isAtomicKind = (kind: Kind): boolean => kind >= kinds.step
/** The kind of an atomic step; `isLookedAt` says that something uses what was there before. */
export const kindOf = (op: AtomicOp, isLookedAt: boolean): Kind =>
  isLookedAt || op === "exchange" || op === "compareExchange" ? kinds.step : kinds[op]

/** An access. Accesses of one statement, run once by all invocations, have one `turn`. */
export interface Access {
  readonly site: number
  readonly kind: Kind
  /** The invocation, and on whose account: its own within a workgroup, between workgroups that of its workgroup. */
  readonly actor: number
  readonly owner: number
  readonly turn: number
}
/** Accesses of one statement and kind to one cell. */
export class Entry implements Access {
  site = 0
  kind: Kind = kinds.read
  turn = 0
  actor = 0
  owner = 0
  /** An invocation of another owner that made the same access; −1 if there is none. */
  other = -1
  next: Entry | undefined = undefined
  set(site: number, kind: Kind, actor: number, owner: number, turn: number): this {
    this.site = site
    this.kind = kind
    this.actor = actor
    this.owner = owner
    this.turn = turn
    this.other = -1
    this.next = undefined
    return this
  }
}
/** Within a workgroup, steps of several statements (or turns) must come in their order: barriers see to that. */
const clashWithin = (a: Kind, b: Kind, sameTurn: boolean): boolean =>
  a === b ? a === kinds.write || (a === kinds.step && !sameTurn) : true
/** Between workgroups, no step on atomic memory waits for another. */
const clashBetween = (a: Kind, b: Kind): boolean =>
  !(a === kinds.read && b === kinds.read) && !(isAtomicKind(a) && isAtomicKind(b))

/** Told of two accesses that clash: the cell, the epoch, the invocation of the earlier access, and both accesses. */
export type Told = (cell: number, epoch: number, actor: number, earlier: Access, later: Access) => void

/** The accesses to the cells of one memory. */
export class Accesses {
  private readonly heads: Array<Entry | undefined>
  private readonly epochs: Int32Array
  private readonly clash: (a: Kind, b: Kind, sameTurn: boolean) => boolean
  private readonly tell: Told
  constructor(length: number, among: "invocations" | "workgroups", tell: Told) {
    this.heads = new Array<Entry | undefined>(length).fill(undefined)
    this.epochs = new Int32Array(length)
    this.clash = among === "invocations" ? clashWithin : clashBetween
    this.tell = tell
  }
  /** Notes an access in an epoch, which counts barriers: accesses of different epochs are in order. */
  note(cell: number, epoch: number, site: number, kind: Kind, actor: number, owner: number, turn: number): void {
    const head = this.heads[cell]
    if (head === undefined || this.epochs[cell] !== epoch) {
      this.heads[cell] = (head ?? new Entry()).set(site, kind, actor, owner, turn)
      this.epochs[cell] = epoch
      return
    }
    let own: Entry | undefined
    for (let e: Entry | undefined = head; e !== undefined; e = e.next) {
      const isSame = e.kind === kind && e.site === site && (kind !== kinds.step || e.turn === turn)
      if (isSame) own = e
      if ((e.owner !== owner || e.other !== -1) && this.clash(e.kind, kind, e.turn === turn))
        this.tell(cell, epoch, e.owner !== owner ? e.actor : e.other, e, { site, kind, actor, owner, turn })
    }
    if (own === undefined) {
      const entry = new Entry().set(site, kind, actor, owner, turn)
      entry.next = head.next
      head.next = entry
    } else if (own.owner !== owner && own.other === -1) own.other = actor
  }
}
