/** Who touched which element of a ref: finds what two program instances do to one element in no order. */
import type { Data } from "../../ir/array.ts"

/** Steps whose order does not show, as long as all on one element are of one kind. */
export const steps = ["add", "max", "min", "and", "or", "xor"] as const
export type Step = (typeof steps)[number]
export type Access = "read" | "write" | Step
const none = 0
const readBy = 1
const readByMany = 2
const ownedBy = 3
/** Stepped by one instance; by several, one more. Each kind of step has two modes. */
const steppedBy = (step: Step): number => 4 + 2 * steps.indexOf(step)
const isStep = (access: Access): access is Step => access !== "read" && access !== "write"

/** What has happened to each element: how it was touched, and by which instance. */
export interface History {
  readonly mode: Uint8Array
  readonly who: Int32Array
}
const histories = new WeakMap<Data, History>()
const historyOf = (data: Data): History => {
  const known = histories.get(data)
  if (known !== undefined) return known
  const made = { mode: new Uint8Array(data.length), who: new Int32Array(data.length) }
  histories.set(data, made)
  return made
}

/** What an element becomes, or `undefined` if that is a race. */
const next = (mode: number, mine: boolean, access: Access): number | undefined => {
  if (mode === none) return access === "read" ? readBy : access === "write" ? ownedBy : steppedBy(access)
  if (mode === readByMany) return access === "read" ? readByMany : undefined
  if (isStep(access)) {
    const own = steppedBy(access)
    if (mode === own) return mine ? own : own + 1
    if (mode === own + 1) return mode
  }
  if (mode > ownedBy && mode % 2 === 1) return undefined
  if (!mine) return mode === readBy && access === "read" ? readByMany : undefined
  return mode === readBy && access === "read" ? readBy : ownedBy
}

/** Notes accesses of an instance to the elements at `places`; whether all is in order. */
export const touch = (data: Data, places: Iterable<number>, instance: number, access: Access): boolean => {
  const { mode, who } = historyOf(data)
  for (const at of places) {
    const to = next(mode[at]!, who[at] === instance, access)
    if (to === undefined) return false
    mode[at] = to
    who[at] = instance
  }
  return true
}
/** The storage that a write gave is the same ref. */
export const succeed = (before: Data, after: Data): void => {
  if (before === after) return
  const { mode, who } = historyOf(before)
  histories.set(after, { mode: mode.slice(), who: who.slice() })
}
