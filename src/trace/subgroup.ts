/** Operations of subgroups, as the trace emits them. */
import type { Params, Source } from "../ir/program.ts"
import { TypingError } from "../ir/typing.ts"
import type { Mode, Reduction, Scan } from "../primitives/structural/subgroup.ts"
import * as Shape from "../Shape.ts"
import type { TraceState } from "./state.ts"
import { apply, isTile, OperandError, operand, type TileImpl } from "./tile.ts"
import { operation } from "./tracer.ts"

const emit = (
  state: TraceState,
  source: Source,
  primitive: string,
  params: Params,
  ...operands: ReadonlyArray<TileImpl>
): TileImpl => state.emit({ primitive, params, operands, source })[0]!

/** The tile that an operation is about; a number has no dtype. */
const tileOf = (name: string, u: unknown, source: Source): TileImpl => {
  if (typeof u === "number" || typeof u === "boolean")
    throw new OperandError(name, new TypingError(`${u} is not a tile`, "make one with Tile.of"), source)
  return operand(name, u, "f32", source)
}
const onTile = (name: string, params: Params, tile: unknown) =>
  operation(name, (state, source) => emit(state, source, name, params, tileOf(name, tile, source)))

export const size = () => operation("subgroupSize", (state, source) => emit(state, source, "subgroupSize", {}))
export const lane = (shape: unknown) =>
  operation("subgroupLane", (state, source) => emit(state, source, "subgroupLane", { shape: shape as Shape.Shape }))
export const reduce = (op: Reduction) => (tile: unknown) => onTile("subgroupReduce", { op }, tile)
export const scan = (op: Scan, exclusive: boolean) => (tile: unknown) => onTile("subgroupScan", { op, exclusive }, tile)
export const ballot = (tile: unknown) => onTile("subgroupBallot", {}, tile)

/** Lanes for the elements of a tile, where they are fewer and broadcast. */
const stretched = (lanes: TileImpl, { shape }: TileImpl, source: Source): TileImpl => {
  if (lanes.shape.length === 0 || Shape.equals(lanes.shape, shape)) return lanes
  const common = Shape.broadcast(shape, lanes.shape)
  return common !== undefined && Shape.equals(common, shape) ? apply("broadcast", [lanes], { shape }, source) : lanes
}
export const shuffle = (mode: Mode) => (tile: unknown, lanes: unknown) =>
  operation("subgroupShuffle", (state, source) => {
    const of = tileOf("subgroupShuffle", tile, source)
    const from = stretched(operand("subgroupShuffle", lanes, "i32", source), of, source)
    return emit(state, source, "subgroupShuffle", { mode }, of, from)
  })
export const broadcast = (tile: unknown, lane: unknown) =>
  operation("subgroupShuffle", (state, source) => {
    if (isTile(lane))
      throw new OperandError(
        "subgroupShuffle",
        new TypingError("the lane of a broadcast is a tile", "give a number, or use shuffle"),
        source
      )
    const from = operand("subgroupShuffle", lane, "i32", source)
    return emit(state, source, "subgroupShuffle", { mode: "index" }, tileOf("subgroupShuffle", tile, source), from)
  })
