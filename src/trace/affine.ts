/**
 * Index expressions as affine forms.
 *
 * Scalars that are sums and multiples of others are taken apart, so that the IR sees `4*i + j` and not an opaque value.
 * Division and remainder join where the dividend is known to stay in 0…2³¹-1, since tiles truncate and forms floor.
 */
import { addAffine as add, anything, type Interval, scaleAffine as scale, wrapped } from "../ir/compose.ts"
import type { Affine, Term } from "../ir/view.ts"
import { constant } from "../ir/view.ts"
import type { TileImpl } from "./tile.ts"

/** Numbers the tiles that the views of one equation index with. */
export class Collector {
  readonly tiles: Array<TileImpl> = []
  /** Forms of the expressions met so far; shared ones are taken apart once. */
  readonly forms = new Map<TileImpl, Affine>()
  private readonly numbers = new Map<TileImpl, number>()
  position(tile: TileImpl): number {
    let n = this.numbers.get(tile)
    if (n === undefined) {
      n = this.tiles.length
      this.numbers.set(tile, n)
      this.tiles.push(tile)
    }
    return n
  }
}

const ranges = new WeakMap<TileImpl, Interval>()
/** Tells what values a scalar can take: a program id or a loop variable. */
export const bounded = (tile: TileImpl, low: number, high: number): TileImpl => {
  ranges.set(tile, { low, high })
  return tile
}
/** Expressions deeper than this are taken as they are. */
const maxDepth = 200

const literalOf = (tile: TileImpl | undefined): number | undefined =>
  tile?.literal?._tag === "Literal" ? tile.literal.value : undefined

/** Where the value of an i32 scalar lies. */
export const rangeOf = (tile: TileImpl, depth = 0): Interval => {
  const known = ranges.get(tile)
  if (known !== undefined) return known
  const range = depth > maxDepth ? anything : computeRange(tile, depth + 1)
  ranges.set(tile, range)
  return range
}
const computeRange = (tile: TileImpl, depth: number): Interval => {
  const value = literalOf(tile)
  if (value !== undefined) return { low: value, high: value }
  const [a, b] = tile.operands
  if (!["add", "sub", "neg", "mul", "div", "rem"].includes(tile.primitive ?? "")) return anything
  const x = rangeOf(a!, depth)
  const y = b === undefined ? x : rangeOf(b, depth)
  const by = literalOf(b)
  switch (tile.primitive) {
    case "add":
      return wrapped(x.low + y.low, x.high + y.high)
    case "sub":
      return wrapped(x.low - y.high, x.high - y.low)
    case "neg":
      return wrapped(-x.high, -x.low)
    case "mul": {
      const corners = [x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high]
      return wrapped(Math.min(...corners), Math.max(...corners))
    }
    default: {
      if (by === undefined || by < 1 || x.low < 0) return anything
      return tile.primitive === "div"
        ? { low: Math.floor(x.low / by), high: Math.floor(x.high / by) }
        : { low: 0, high: Math.min(by - 1, x.high) }
    }
  }
}

const term = (of: Term): Affine => ({ constant: 0, terms: [{ coefficient: 1, term: of }] })

const formOf = (tile: TileImpl, into: Collector, depth: number): Affine => {
  let form = into.forms.get(tile)
  if (form === undefined) into.forms.set(tile, (form = takeApart(tile, into, depth)))
  return form
}
const takeApart = (tile: TileImpl, into: Collector, depth: number): Affine => {
  const value = literalOf(tile)
  if (value !== undefined) return constant(value)
  const [a, b] = tile.operands
  const of = (t: TileImpl | undefined) => formOf(t!, into, depth + 1)
  const factor = literalOf(b)
  if (depth < maxDepth)
    switch (tile.primitive) {
      case "add":
        return add(of(a), of(b))
      case "sub":
        return add(of(a), scale(of(b), -1))
      case "neg":
        return scale(of(a), -1)
      case "mul":
        if (factor !== undefined) return scale(of(a), factor)
        if (literalOf(a) !== undefined) return scale(of(b), literalOf(a)!)
        break
      case "div":
      case "rem":
        if (factor !== undefined && factor >= 1 && rangeOf(a!, 0).low >= 0)
          return term({ _tag: tile.primitive === "div" ? "FloorDiv" : "Mod", of: of(a), by: factor })
    }
  return term({ _tag: "Index", index: into.position(tile) })
}

/** The affine form of an i32 scalar, over the tiles of `into`. */
export const affineOf = (tile: TileImpl, into: Collector): Affine => formOf(tile, into, 0)
