/** Block specifications as views: what a program instance sees of each ref. */
import type { RefDecl } from "../ir/program.ts"
import { TypingError } from "../ir/typing.ts"
import * as Shape from "../Shape.ts"
import { programIdTile } from "./control.ts"
import { isMemRef, MemRefImpl, type Position } from "./ref.ts"
import { ForeignError, type TraceState } from "./state.ts"
import { apply, constant, isTile, OperandError, type TileImpl } from "./tile.ts"

type Index = number | TileImpl
/** What stands for an axis: blocks of a size, one position, or a window placed by element. */
type Entry =
  number | null | { readonly "~element": number; readonly size: number; readonly pad: readonly [number, number] }
/** A block specification, unchecked. */
export interface BlockOptions {
  readonly block: ReadonlyArray<Entry>
  readonly index?: (...ids: ReadonlyArray<any>) => unknown
  readonly indexWith?: (scalars: any, ...ids: ReadonlyArray<any>) => unknown
}
const isWindow = (u: unknown): u is Exclude<Entry, number | null> =>
  typeof u === "object" && u !== null && "~element" in u

const times = (at: Index, n: number): Index =>
  typeof at === "number" ? at * n : apply("mul", [at, constant("i32", n)])
const minus = (at: Index, n: number): Index =>
  n === 0 ? at : typeof at === "number" ? at - n : apply("sub", [at, constant("i32", n)])

const checkEntry = (entry: unknown, axis: number): void => {
  const size = isWindow(entry) ? entry.size : entry
  const whole = size === null || (Number.isInteger(size) && (size as number) >= 0)
  if (!whole)
    throw new TypingError(
      `block size ${String(size)} on axis ${axis}`,
      "sizes are whole numbers of at least 0, or null"
    )
}

const own = "make positions of numbers and of the ids that the map gets"

const indexOf = (state: TraceState, u: unknown, axis: number): Index => {
  if (typeof u === "number") {
    if (!Number.isInteger(u))
      throw new TypingError(`its index map gives ${u} for axis ${axis}`, "positions are whole numbers")
    return u
  }
  if (isMemRef(u)) throw new TypingError(`its index map captures ref "${u.name}"`, own)
  if (!isTile(u)) throw new TypingError(`its index map gives ${typeof u} for axis ${axis}`, own)
  if (u.dtype !== "i32" || u.shape.length > 0)
    throw new TypingError(
      `its index map gives ${u.dtype}${Shape.show(u.shape)} for axis ${axis}`,
      "positions are i32 scalars"
    )
  try {
    state.checkOwn(u)
  } catch (e) {
    throw e instanceof ForeignError ? new TypingError(`its index map captures ${e.what}`, own) : e
  }
  return u
}

/** What an index map gives; what it throws by itself is a mistake of the map, and not of the body. */
const attempt = (map: () => unknown): unknown => {
  try {
    return map()
  } catch (e) {
    if (e instanceof OperandError || e instanceof TypingError) throw e
    throw new TypingError(`its index map threw ${String(e)}`)
  }
}
const runIndexMap = (
  state: TraceState,
  block: BlockOptions,
  rank: number,
  scalars: { readonly [name: string]: TileImpl }
): ReadonlyArray<Index> => {
  const axes = state.grid.length
  const ids = state.grid.map((_, axis) => programIdTile(state, axis)) as ReadonlyArray<unknown>
  const map =
    block.index ?? (block.indexWith && ((...all: ReadonlyArray<unknown>) => block.indexWith!(scalars as any, ...all)))
  if (map === undefined) return new Array<Index>(rank).fill(0)
  const arity = block.index?.length ?? block.indexWith!.length - 1
  if (arity > axes) throw new TypingError(`its index map takes ${arity} ids, the grid has ${axes} axes`)
  const given = attempt(() => map(...ids))
  if (!Array.isArray(given) || given.length !== rank)
    throw new TypingError(
      `its index map gives ${Array.isArray(given) ? `${given.length} positions` : typeof given} for ${rank} axes`,
      "give one position per axis of the array"
    )
  return given.map((u, axis) => indexOf(state, u, axis))
}

const positionOf = (entry: Entry, at: Index): Position =>
  entry === null
    ? { _tag: "Point", at }
    : isWindow(entry)
      ? { _tag: "Range", start: minus(at, entry.pad[0]), size: entry.size, stride: 1 }
      : { _tag: "Range", start: times(at, entry as number), size: entry as number, stride: 1 }

const isWhole = (p: Position, dim: number): boolean => p._tag === "Range" && p.start === 0 && p.size === dim

/** The ref that the body gets. */
export const blockRef = (
  state: TraceState,
  decl: RefDecl,
  block: BlockOptions | undefined,
  scalars: { readonly [name: string]: TileImpl }
): MemRefImpl => {
  const home = { state, block: state.current }
  if (block === undefined) return new MemRefImpl(decl.name, decl, decl.access, home)
  if (!Array.isArray(block.block) || block.block.length !== decl.shape.length)
    throw new TypingError(
      `a block of ${block.block?.length ?? 0} axes for an array of ${decl.shape.length}`,
      "give one entry per axis"
    )
  block.block.forEach(checkEntry)
  const index = runIndexMap(state, block, decl.shape.length, scalars)
  const at = block.block.map((entry, axis) => positionOf(entry, index[axis]!))
  const shape = at.flatMap((p) => (p._tag === "Range" ? [p.size] : []))
  const whole = at.every((p, axis) => isWhole(p, decl.shape[axis]!))
  return new MemRefImpl(
    decl.name,
    { dtype: decl.dtype, shape },
    decl.access,
    home,
    whole ? [] : [{ _tag: "Index", at }]
  )
}
