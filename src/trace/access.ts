/** Loads, stores, swaps and accumulations, as the trace emits them. */
import type { Effect } from "effect"
import * as DType from "../DType.ts"
import type { Params, Source } from "../ir/program.ts"
import { TypingError } from "../ir/typing.ts"
import * as Shape from "../Shape.ts"
import { AccessError, checkedRef, type MemRefImpl, use } from "./ref.ts"
import type { TraceState } from "./state.ts"
import { apply, OperandError, operand, type TileImpl } from "./tile.ts"
import { operation } from "./tracer.ts"

interface Options {
  readonly mask?: unknown
  readonly other?: unknown
}
export const fit = (name: string, tile: TileImpl, shape: Shape.Shape, source: Source): TileImpl => {
  if (tile.shape.length === 0 || Shape.equals(tile.shape, shape)) return tile
  const fits = Shape.broadcast(shape, tile.shape)
  if (fits === undefined || !Shape.equals(fits, shape))
    throw new OperandError(
      name,
      new TypingError(`a tile of shape ${Shape.show(tile.shape)} does not fit the ref's ${Shape.show(shape)}`),
      source
    )
  return apply("broadcast", [tile], { shape }, source)
}

/** The mask as operands: none, or one that fits the ref. */
export const masked = (
  name: string,
  ref: MemRefImpl,
  options: Options | undefined,
  source: Source
): ReadonlyArray<TileImpl> =>
  options?.mask === undefined ? [] : [fit(name, operand(name, options.mask, "bool", source), ref.shape, source)]

/** The ref, if it may be written. */
export const writable = (name: string, ref: unknown, source: Source): MemRefImpl => {
  const to = checkedRef(name, ref, source)
  if (to.access === "in") throw new AccessError(to.name, source)
  return to
}
/** An operation that changes what a ref shows: operands fit the ref, as does the mask. */
export const changing = (
  name: string,
  ref: unknown,
  values: ReadonlyArray<unknown>,
  options: Options | undefined,
  params: Params = {}
) =>
  operation(name, (state: TraceState, source): TileImpl | undefined => {
    const to = writable(name, ref, source)
    const operands = [
      ...values.map((v) => fit(name, operand(name, v, DType.widened(to.dtype), source), to.shape, source)),
      ...masked(name, to, options, source)
    ]
    const { indices, use: view } = use(state, to, source)
    return state.emit({ primitive: name, params, operands, indices, refs: [view], source })[0]
  })

export const load = (ref: unknown, options: Options | undefined): Effect.Effect<TileImpl> =>
  operation("load", (state, source) => {
    const from = checkedRef("load", ref, source)
    const mask = masked("load", from, options, source)
    const other =
      mask.length === 0
        ? []
        : [fit("load", operand("load", options?.other ?? 0, DType.widened(from.dtype), source), from.shape, source)]
    const { indices, use: view } = use(state, from, source)
    return state.emit({ primitive: "load", operands: [...mask, ...other], indices, refs: [view], source })[0]!
  })
export const store = (ref: unknown, value: unknown, options: Options | undefined) =>
  changing("store", ref, [value], options)
export const swap = (ref: unknown, value: unknown, options: Options | undefined) =>
  changing("swap", ref, [value], options)
export const accumulate = (ref: unknown, value: unknown, options: Options | undefined) =>
  changing("accumulate", ref, [value], options)
