/** What a software pipeline goes over: its steps, and the blocks of refs at each of them. */
import type { Source } from "../../ir/program.ts"
import { TypingError } from "../../ir/typing.ts"
import { type Algebra, delinearise } from "../../ir/view.ts"
import * as Shape from "../../Shape.ts"
import { bounded } from "../affine.ts"
import { type BlockOptions, blockRef } from "../blocks.ts"
import { AccessError, isMemRef, type MemRefImpl, moved } from "../ref.ts"
import type { TraceState } from "../state.ts"
import { constant, isTile, lift, overAll, refuse, type TileImpl } from "../tile.ts"

/** A ref, cut into blocks by the steps of a pipeline. */
export class Blocks {
  readonly ref: unknown
  readonly options: BlockOptions
  constructor(ref: unknown, options: BlockOptions) {
    this.ref = ref
    this.options = options
  }
}
/** A stream of blocks under the name that the body knows it by. */
export interface Stream {
  readonly name: string
  readonly ref: MemRefImpl
  readonly options: BlockOptions
}
export interface Options {
  readonly grid: ReadonlyArray<number>
  readonly in?: { readonly [name: string]: unknown }
  readonly out?: { readonly [name: string]: unknown }
  readonly maxConcurrentSteps?: number
  readonly delayRelease?: number
}
export interface Plan {
  readonly state: TraceState
  readonly source: Source
  readonly grid: ReadonlyArray<number>
  readonly steps: number
  /** Steps whose blocks are there or on their way at once. */
  readonly depth: number
  /** Steps by which a block is fetched ahead of its own: no later than its place in memory is free. */
  readonly ahead: number
  readonly from: ReadonlyArray<Stream>
  readonly to: ReadonlyArray<Stream>
}

export const fail = (source: Source, detail: string, hint?: string): never => refuse("emit", source, detail, hint)
const streams = (source: Source, what: string, given: Options["in"]): ReadonlyArray<Stream> =>
  Object.entries(given ?? {}).map(([name, blocks]) => {
    if (!(blocks instanceof Blocks)) return fail(source, `${what} "${name}" is no block`, "make it with Pipeline.block")
    const { options, ref } = blocks
    if (!isMemRef(ref)) return fail(source, `${what} "${name}" is a block of what is no ref`)
    if (what === "out" && ref.access === "in") throw new AccessError(ref.name, source)
    return { name, ref, options }
  })

const whole = (n: unknown, least: number): n is number => Number.isInteger(n) && (n as number) >= least
const checkGrid = (source: Source, grid: unknown): ReadonlyArray<number> =>
  Array.isArray(grid) && grid.every((n) => whole(n, 0))
    ? grid
    : fail(source, `a grid of ${String(grid)}`, "give a list of whole numbers of at least 0")
const depthOf = (source: Source, { delayRelease = 0, maxConcurrentSteps = 2 }: Options, steps: number): number => {
  if (!whole(maxConcurrentSteps, 1))
    return fail(source, `maxConcurrentSteps is ${maxConcurrentSteps}`, "give a whole number of at least 1")
  if (!whole(delayRelease, 0)) return fail(source, `delayRelease is ${delayRelease}`, "give a whole number")
  if (delayRelease >= maxConcurrentSteps)
    return fail(
      source,
      `blocks are kept for ${delayRelease} more steps, and there are ${maxConcurrentSteps} of each`,
      "delayRelease is less than maxConcurrentSteps"
    )
  return Math.min(maxConcurrentSteps, Math.max(1, steps))
}
/** One memory under two names would be fetched before, or kept back after, the other is written. */
const checkApart = (source: Source, from: ReadonlyArray<Stream>, to: ReadonlyArray<Stream>): void => {
  const names = new Set<string>()
  for (const { name } of [...from, ...to])
    if (names.size === names.add(name).size) fail(source, `two streams are named "${name}"`)
  for (const [k, { name, ref }] of to.entries()) {
    const other = [...from, ...to.slice(k + 1)].find((s) => s.ref.name === ref.name)
    if (other !== undefined)
      fail(
        source,
        `"${other.name}" and "${name}" are both ref "${ref.name}"`,
        "a ref that is written is one out stream, whose blocks can be read"
      )
  }
}

export const planOf = (state: TraceState, source: Source, options: Options): Plan => {
  if (typeof options !== "object" || options === null) return fail(source, "takes a record of options")
  const grid = checkGrid(source, options.grid)
  const from = streams(source, "in", options.in)
  const to = streams(source, "out", options.out)
  checkApart(source, from, to)
  const steps = Shape.size(grid)
  const depth = depthOf(source, options, steps)
  // With a place for each step none has to be free again.
  const ahead = depth === steps ? depth - 1 : Math.max(0, depth - 1 - (options.delayRelease ?? 0))
  return { state, source, grid, steps, depth, ahead, from, to }
}

/** Index arithmetic on tiles that are at least 0. */
const tiles: Algebra<TileImpl> = {
  constant: (n) => constant("i32", n),
  add: (a, b) => lift("add", [a, b]),
  mul: (a, n) => lift("mul", [a, n]),
  div: (a, n) => lift("div", [a, n]),
  mod: (a, n) => bounded(lift("rem", [a, n]), 0, Math.max(0, n - 1))
}
/** Where in the grid a step stands; beyond the last step, along the first axis. */
export const idsAt = ({ grid }: Plan, step: TileImpl): ReadonlyArray<TileImpl> => delinearise(tiles, grid, step)
/** The block of a stream at a step. */
export const blockAt = (plan: Plan, { name, options, ref }: Stream, step: TileImpl): MemRefImpl => {
  const { grid, source, state } = plan
  const outer = state.frame
  const axes = grid.map((size) => ({ size, semantics: "sequential" as const }))
  const ids = new Map(idsAt(plan, step).map((id, axis) => [axis, id]))
  state.frame = { ...outer, grid: axes, programIds: ids }
  try {
    return blockRef(state, ref, options, {})
  } catch (e) {
    if (!(e instanceof TypingError)) throw e
    return fail(source, `block "${name}": ${e.detail}`, e.hint)
  } finally {
    state.frame = outer
  }
}

const positions = (ref: MemRefImpl): ReadonlyArray<TileImpl> => {
  const found: Array<TileImpl> = []
  moved(ref, (at) => {
    const tile = isTile(at) ? at : constant("i32", at)
    found.push(tile)
    return tile
  })
  return found
}
/** Whether a stream shows another block at `other` than at `step`; both are inside the grid. */
export const differs = (plan: Plan, stream: Stream, step: TileImpl, other: TileImpl): TileImpl => {
  const there = positions(blockAt(plan, stream, other))
  return positions(blockAt(plan, stream, step))
    .map((at, k) => lift("ne", [at, there[k]!]))
    .reduce((any, ne) => lift("or", [any, overAll("reduceAny", ne)]), constant("bool", 0))
}
