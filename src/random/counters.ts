/**
 * Which counter each element of a tile gets: its row-major position in the whole array that the tile is a block of.
 *
 * So an element draws the same number however the array is cut into blocks.
 */
import { u32 } from "../DType.ts"
import * as Shape from "../Shape.ts"
import * as Tile from "../Tile.ts"
import { type Call, checkShape, mistake, type Whole, word, type Words } from "./arguments.ts"

/** Where in a larger array a tile stands. */
export interface Position {
  /** Position of the tile's first element: a list counts along each axis, one number counts elements; 0, if left out. */
  readonly offset?: Whole | ReadonlyArray<Whole>
  /** Shape of the larger array; the tile's own, if left out. Its first dimension does not matter. */
  readonly within?: Shape.Shape
}

const checked = (call: Call, shape: Shape.Shape, { offset, within }: Position): void => {
  checkShape(call, shape)
  if (within !== undefined) {
    checkShape(call, within)
    if (within.length !== shape.length)
      throw mistake(
        call,
        `a tile of shape ${Shape.show(shape)} stands within ${Shape.show(within)}`,
        "give equal ranks"
      )
  }
  if (Array.isArray(offset) && offset.length !== shape.length)
    throw mistake(
      call,
      `${offset.length} offsets for a tile of rank ${shape.length}`,
      "give one per axis, or one number"
    )
}

/** The counters of a tile's elements, modulo 2^32. */
export const counters = (call: Call, shape: Shape.Shape, position: Position = {}): Words => {
  checked(call, shape, position)
  const strides = Shape.strides(position.within ?? shape).map((stride) => stride >>> 0)
  const { offset = 0 } = position
  const first = Array.isArray(offset)
    ? (offset as ReadonlyArray<Whole>)
        .map((o, d) => word(call, `offset along axis ${d}`, o).mul(strides[d]!))
        .reduce((a, b) => a.add(b), Tile.of(u32, 0))
    : word(call, "offset", offset as Whole)
  const along = shape.map((_, d): Words => Tile.iota(u32, shape, d).mul(strides[d]!))
  return along.reduce((a, b) => a.add(b), first as Words)
}
