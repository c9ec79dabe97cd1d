/**
 * What was done to each element of a ref: the last write, and the reads and atomic steps since.
 *
 * Two accesses race if one is a write, or one an atomic step and the other none, and neither is in the view of the other. It
 * is decided for each element when the second comes, by what the actors have acquired and not by when they happened to run.
 */
import { type Access, type Actor, sees } from "./actors.ts"

/** One access, or the last of each actor. */
type Some = Access | Map<number, Access> | undefined

const add = (to: Some, access: Access): Some => {
  if (to === undefined) return access
  if (to instanceof Map) return to.set(access.actor.id, access)
  if (sees(access.actor, to)) return access
  return new Map([
    [to.actor.id, to],
    [access.actor.id, access]
  ])
}
/** The first access that the actor has not in its view. */
const unseen = (of: Some, actor: Actor, isMeant: (a: Access) => boolean = () => true): Access | undefined => {
  if (of === undefined) return undefined
  const counts = (a: Access): boolean => isMeant(a) && !sees(actor, a)
  if (!(of instanceof Map)) return counts(of) ? of : undefined
  for (const access of of.values()) if (counts(access)) return access
  return undefined
}

export class History {
  private readonly writes: Array<Access | undefined> = []
  private readonly reads: Array<Some> = []
  private readonly steps: Array<Some> = []
  private readonly looks: Array<Some> = []

  /** Notes an access to an element; gives an earlier one that races with it. */
  touch(cell: number, access: Access): Access | undefined {
    const { actor, kind } = access
    const written = unseen(this.writes[cell], actor)
    if (kind === "look") {
      this.looks[cell] = add(this.looks[cell], access)
      return written
    }
    if (kind === "read") {
      const rival = written ?? unseen(this.steps[cell], actor)
      this.reads[cell] = add(this.reads[cell], access)
      return rival
    }
    const rival = written ?? unseen(this.reads[cell], actor)
    if (kind !== "write") {
      this.steps[cell] = add(this.steps[cell], access)
      return rival
    }
    const stepped = unseen(this.steps[cell], actor) ?? unseen(this.looks[cell], actor)
    this.writes[cell] = access
    this.reads[cell] = this.steps[cell] = this.looks[cell] = undefined
    return rival ?? stepped
  }

  /**
   * A step of another kind on the element, of which nothing says whether it comes before. Exchanges do not count: flags and
   * locks are made of them, whichever comes first.
   */
  otherStep(cell: number, { actor, as, kind }: Access): Access | undefined {
    return unseen(this.steps[cell], actor, (a) => a.kind !== "exchange" && (a.kind !== kind || a.as !== as))
  }
  /** A step on the element by somebody else, of which nothing says whether it comes before. */
  sameStep(cell: number, actor: Actor): Access | undefined {
    return unseen(this.steps[cell], actor)
  }
  /** Who changed the element last. */
  lastChange(cell: number): Access | undefined {
    const steps = this.steps[cell]
    return (steps instanceof Map ? [...steps.values()].at(-1) : steps) ?? this.writes[cell]
  }
}
