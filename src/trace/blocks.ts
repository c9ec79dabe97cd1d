/** Block specifications as views: what a program instance sees of each ref. */
import { TypingError } from "../ir/typing.ts"
import { programIdTile } from "./control.ts"
import { checkEntry, type Entry, placeOf, stepsOf } from "./places.ts"
import { capture } from "./position.ts"
import { at, IndexError, isMemRef, MemRefImpl, use } from "./ref.ts"
import { ForeignError, type TraceState } from "./state.ts"
import { isTile, OperandError, type TileImpl } from "./tile.ts"

/** What index maps know: scalar parameters and tables. */
export type Known = { readonly [name: string]: TileImpl | TableImpl }
/** A block specification, unchecked. */
export interface BlockOptions {
  readonly block: ReadonlyArray<Entry>
  readonly index?: (...ids: ReadonlyArray<any>) => unknown
  readonly indexWith?: (scalars: any, ...ids: ReadonlyArray<any>) => unknown
}
const own = "make positions of numbers and of the ids that the map gets"

/** Fails if what an index map gives is no tile, or is made of what the map did not get. */
const checkOwn = (state: TraceState, u: unknown, axis: number): void => {
  if (isMemRef(u)) throw new TypingError(`its index map captures ref "${u.name}"`, own)
  if (!isTile(u)) throw new TypingError(`its index map gives ${typeof u} for axis ${axis}`, own)
  try {
    state.checkOwn(u)
  } catch (e) {
    throw e instanceof ForeignError ? new TypingError(`its index map captures ${e.what}`, own) : e
  }
}

/** A table as index maps see it: what they look up is loaded where the map runs. */
export class TableImpl {
  readonly ref: MemRefImpl
  constructor(ref: MemRefImpl) {
    this.ref = ref
  }
  at(...index: ReadonlyArray<unknown>): TileImpl {
    const source = capture()
    const { state } = this.ref.home
    if (index.length !== this.ref.shape.length)
      throw new TypingError(`${index.length} indices for the ${this.ref.shape.length} axes of table "${this.ref.name}"`)
    const { indices, use: view } = use(state, at(this.ref, index), source)
    return state.emit({ primitive: "load", indices, refs: [view], source })[0]!
  }
}

/** What an index map gives; what it throws by itself is a mistake of the map, and not of the body. */
const attempt = (map: () => unknown): unknown => {
  try {
    return map()
  } catch (e) {
    if (e instanceof OperandError || e instanceof TypingError || e instanceof IndexError) throw e
    throw new TypingError(`its index map threw ${String(e)}`)
  }
}
const runIndexMap = (state: TraceState, block: BlockOptions, rank: number, scalars: Known): ReadonlyArray<unknown> => {
  const axes = state.grid.length
  const ids = state.grid.map((_, axis) => programIdTile(state, axis)) as ReadonlyArray<unknown>
  const map =
    block.index ?? (block.indexWith && ((...all: ReadonlyArray<unknown>) => block.indexWith!(scalars as any, ...all)))
  if (map === undefined) return new Array<unknown>(rank).fill(0)
  const arity = block.index?.length ?? block.indexWith!.length - 1
  if (arity > axes) throw new TypingError(`its index map takes ${arity} ids, the grid has ${axes} axes`)
  const given = attempt(() => map(...ids))
  if (!Array.isArray(given) || given.length !== rank)
    throw new TypingError(
      `its index map gives ${Array.isArray(given) ? `${given.length} positions` : typeof given} for ${rank} axes`,
      "give one position per axis of the array"
    )
  return given
}

/** The ref that the body gets, of the one that the block lies over. */
export const blockRef = (
  state: TraceState,
  on: MemRefImpl,
  block: BlockOptions | undefined,
  scalars: Known
): MemRefImpl => {
  if (block === undefined) return on
  if (!Array.isArray(block.block) || block.block.length !== on.shape.length)
    throw new TypingError(
      `a block of ${block.block?.length ?? 0} axes for an array of ${on.shape.length}`,
      "give one entry per axis"
    )
  block.block.forEach(checkEntry)
  const given = runIndexMap(state, block, on.shape.length, scalars)
  const places = block.block.map((entry, axis) =>
    placeOf(entry, given[axis], axis, (u, axis) => checkOwn(state, u, axis))
  )
  const shape = block.block.flatMap((entry) => (entry === null ? [] : [typeof entry === "number" ? entry : entry.size]))
  const steps = [...on.steps, ...stepsOf(block.block, places, on.shape)]
  return new MemRefImpl(on.name, { dtype: on.dtype, shape }, on.access, on.home, steps)
}
