/** Atomic changes, as the trace emits them. */
import type { Effect } from "effect"
import type { Op } from "../primitives/structural/atomic.ts"
import { AccessError, checked, fit, masked } from "./access.ts"
import { use } from "./ref.ts"
import { operand, type TileImpl } from "./tile.ts"
import { operation } from "./tracer.ts"

interface Options {
  readonly mask?: unknown
}
const changing = (
  name: "atomic" | "compareExchange",
  params: { readonly op?: Op },
  ref: unknown,
  values: ReadonlyArray<unknown>,
  options: Options | undefined
): Effect.Effect<TileImpl> =>
  operation(name, (state, source) => {
    const on = checked(name, ref, source)
    if (on.access === "in") throw new AccessError(on.name, source)
    const operands = [
      ...values.map((v) => fit(name, operand(name, v, on.dtype, source), on.shape, source)),
      ...masked(name, on, options, source)
    ]
    const { indices, use: view } = use(state, on, source)
    return state.emit({ primitive: name, params, operands, indices, refs: [view], source })[0]!
  })

export const update = (op: Op) => (ref: unknown, value: unknown, options?: Options) =>
  changing("atomic", { op }, ref, [value], options)
export const compareExchange = (ref: unknown, compared: unknown, value: unknown, options?: Options) =>
  changing("compareExchange", {}, ref, [compared, value], options)
