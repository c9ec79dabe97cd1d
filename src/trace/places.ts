/** Where a block lies, as steps of a view: from the entries of a block and the positions that the index map gives. */
import { TypingError } from "../ir/typing.ts"
import type { Padded } from "../ir/view.ts"
import * as Shape from "../Shape.ts"
import type { Position, Step } from "./ref.ts"
import { isTile, lift, type TileImpl } from "./tile.ts"

type Index = number | TileImpl
interface Sized {
  readonly size: number
}
interface Window extends Sized {
  readonly "~element": number
  readonly pad: readonly [number, number]
}
/** What stands for an axis: blocks of a size, one position, a window, a window of some length, or any positions. */
export type Entry =
  number | null | Window | (Sized & { readonly "~bounded": number }) | (Sized & { readonly "~gather": number })
/** What an index map gives for an axis, checked against the entry. */
export type Place =
  | { readonly _tag: "At"; readonly at: Index }
  | { readonly _tag: "Span"; readonly start: Index; readonly length: Index }
  | { readonly _tag: "Tile"; readonly tile: TileImpl }

const has = (u: unknown, key: string): boolean => typeof u === "object" && u !== null && key in u
const isWindow = (e: Entry): e is Window => has(e, "~element")
const isBounded = (e: Entry): e is Sized & { readonly "~bounded": number } => has(e, "~bounded")
const isGather = (e: Entry): e is Sized & { readonly "~gather": number } => has(e, "~gather")

export const checkEntry = (entry: unknown, axis: number): void => {
  const sized = isWindow(entry as Entry) || isBounded(entry as Entry) || isGather(entry as Entry)
  const size = sized ? (entry as Sized).size : entry
  const whole = size === null || (Number.isInteger(size) && (size as number) >= 0)
  if (!whole)
    throw new TypingError(
      `block size ${String(size)} on axis ${axis}`,
      "sizes are whole numbers of at least 0, or null"
    )
}

const scalar = (u: unknown, axis: number, what: string): Index => {
  if (typeof u === "number") {
    if (!Number.isInteger(u))
      throw new TypingError(`its index map gives ${u} for axis ${axis}`, `${what} are whole numbers`)
    return u
  }
  const tile = u as TileImpl
  if (tile.dtype !== "i32" || tile.shape.length > 0)
    throw new TypingError(
      `its index map gives ${tile.dtype}${Shape.show(tile.shape)} for axis ${axis}`,
      `${what} are i32 scalars`
    )
  return tile
}
/** `own` checks a value that is not a number: that it is a tile, made of what the map got. */
export const placeOf = (entry: Entry, u: unknown, axis: number, own: (u: unknown, axis: number) => void): Place => {
  const check = (v: unknown): void => void (typeof v === "number" || own(v, axis))
  if (isBounded(entry)) {
    if (!has(u, "~span"))
      throw new TypingError(
        `axis ${axis} is bounded, and its index map gives no span`,
        "give Block.span(start, length)"
      )
    const { length, start } = u as { readonly start: unknown; readonly length: unknown }
    check(start)
    check(length)
    return {
      _tag: "Span",
      start: scalar(start, axis, "starts of spans"),
      length: scalar(length, axis, "lengths of spans")
    }
  }
  if (has(u, "~span"))
    throw new TypingError(`its index map gives a span for axis ${axis}`, "declare the axis as Block.bounded(size)")
  if (!isGather(entry)) {
    check(u)
    return { _tag: "At", at: scalar(u, axis, "positions") }
  }
  own(u, axis)
  const tile = u as TileImpl
  if (!isTile(u) || tile.dtype !== "i32" || !Shape.equals(tile.shape, [entry.size]))
    throw new TypingError(
      `its index map gives ${tile.dtype}${Shape.show(tile.shape)} for axis ${axis}`,
      `the axis is gathered: give an i32 tile of shape [${entry.size}]`
    )
  return { _tag: "Tile", tile }
}

const times = (at: Index, n: number): Index => (typeof at === "number" ? at * n : lift("mul", [at, n]))
const plus = (a: Index, b: Index): Index =>
  typeof a === "number" && typeof b === "number" ? a + b : b === 0 ? a : a === 0 ? b : lift("add", [a, b])
const minus = (a: Index, b: Index): Index =>
  typeof a === "number" && typeof b === "number" ? a - b : b === 0 ? a : lift("sub", [a, b])
const clamped = (at: Index, n: number): Index =>
  typeof at === "number" ? Math.min(Math.max(at, 0), n) : lift("clamp", [at, 0, n])

const range = (start: Index, size: number): Position => ({ _tag: "Range", start, size, stride: 1 })
const padded = (start: Index, size: number, padded: Padded = true): Position => ({
  _tag: "Range",
  start,
  size,
  stride: 1,
  padded
})

/**
 * The entry as a position of the array. A bounded one is the window of its full size that *ends* where the span ends: what
 * lies beyond the end is beyond the window, and `tail` shows the part from the start on.
 */
const positionOf = (entry: Entry, place: Place): Position => {
  if (place._tag === "Tile") return { _tag: "Gather", index: place.tile }
  if (place._tag === "Span") {
    const { size } = entry as Sized
    return padded(minus(plus(place.start, clamped(place.length, size)), size), size)
  }
  if (entry === null) return { _tag: "Point", at: place.at }
  if (isWindow(entry)) {
    const { pad, size } = entry
    return padded(minus(place.at, pad[0]), size, pad[0] >= size || pad[1] >= size ? "wholly" : true)
  }
  return padded(times(place.at, entry as number), entry as number)
}
const tail = (entry: Entry, place: Place): Position => {
  const size = typeof entry === "number" ? entry : entry!.size
  return place._tag === "Span" ? padded(minus(size, clamped(place.length, size)), size, "wholly") : range(0, size)
}
const isWhole = (p: Position, dim: number): boolean => p._tag === "Range" && p.start === 0 && p.size === dim

/** The steps from an array of that shape to the block. */
export const stepsOf = (
  block: ReadonlyArray<Entry>,
  places: ReadonlyArray<Place>,
  shape: Shape.Shape
): ReadonlyArray<Step> => {
  const positions = block.map((entry, axis) => positionOf(entry, places[axis]!))
  // Index tiles of one step go together element by element; these each pick along their own axis.
  const gathered = positions.flatMap((p, axis) => (p._tag === "Gather" ? [axis] : [])).slice(0, -1)
  const alone = gathered.map((own, k): Step => {
    const at = positions.map((p, axis) => {
      const size =
        gathered.indexOf(axis) >= 0 && gathered.indexOf(axis) < k ? (block[axis] as Sized).size : shape[axis]!
      return axis === own ? p : range(0, size)
    })
    return { _tag: "Index", at }
  })
  const together: Step = {
    _tag: "Index",
    at: positions.map((p, axis) => (gathered.includes(axis) ? range(0, (block[axis] as Sized).size) : p))
  }
  const rest = block.flatMap((entry, axis) => (entry === null ? [] : [tail(entry, places[axis]!)]))
  if (places.some((p) => p._tag === "Span")) return [...alone, together, { _tag: "Index", at: rest }]
  return positions.every((p, axis) => isWhole(p, shape[axis]!)) ? [] : [...alone, together]
}
