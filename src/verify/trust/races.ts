/** Who touched which element of a ref: finds what two program instances do to one element in no order. */
import type { Data } from "../../ir/array.ts"

export type Access = "read" | "write" | "add"
const none = 0
const readBy = 1
const readByMany = 2
const ownedBy = 3
const addedBy = 4
const addedByMany = 5

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
  if (mode === none) return access === "read" ? readBy : access === "write" ? ownedBy : addedBy
  if (mode === readByMany) return access === "read" ? readByMany : undefined
  if (mode === addedByMany) return access === "add" ? addedByMany : undefined
  if (!mine) {
    if (mode === readBy && access === "read") return readByMany
    return mode === addedBy && access === "add" ? addedByMany : undefined
  }
  if (mode === readBy && access === "read") return readBy
  return mode === addedBy && access === "add" ? addedBy : ownedBy
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
