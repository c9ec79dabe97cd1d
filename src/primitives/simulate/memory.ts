/** Loads, stores and atomic steps, element by element. */
import type { SimulateRule, StepKind } from "../../ir/simulate.ts"
import { opOf } from "../structural/atomic.ts"

export const load: SimulateRule = function* (ctx, _, [mask, other]) {
  return [ctx.read(0, ctx.cells(0, mask), mask, other)]
}
export const store: SimulateRule = function* (ctx, _, [value, mask]) {
  ctx.write(0, ctx.cells(0, mask), value!, mask)
  return []
}
export const swap: SimulateRule = function* (ctx, _, [value, mask]) {
  const cells = ctx.cells(0, mask)
  const before = ctx.read(0, cells, mask)
  ctx.write(0, cells, value!, mask)
  return [before]
}
export const accumulate: SimulateRule = function* (ctx, _, [value, mask]) {
  ctx.step(0, ctx.cells(0, mask), "add", { primitive: "viewAdd", operands: [value!], mask })
  return []
}

const kindOf = (op: string): StepKind => op as StepKind
export const atomic: SimulateRule = function* (ctx, eqn, [value, mask]) {
  const op = opOf(eqn)
  const change = { primitive: "viewAtomic", params: { op }, operands: [value!], mask } as const
  return [ctx.step(0, ctx.cells(0, mask), kindOf(op), change)!]
}
export const compareExchange: SimulateRule = function* (ctx, _, [compared, value, mask]) {
  const change = { primitive: "viewCompareExchange", operands: [compared!, value!], mask } as const
  return [ctx.step(0, ctx.cells(0, mask), "exchange", change)!]
}
