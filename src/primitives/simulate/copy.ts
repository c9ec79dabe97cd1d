/** Asynchronous copies: something beside the thread reads the source, and lands where and when it is waited for. */
import type { Cells, Hands, SimulateRule } from "../../ir/simulate.ts"
import type { Shadowed } from "../../ir/shadow.ts"
import { type Landing, landingOf } from "../structural/copy.ts"

const land = (hands: Hands, ref: number, cells: Cells, op: Landing, data: Shadowed, mask: Shadowed | undefined) => {
  if (op === "store") return hands.write(ref, cells, data, mask)
  const change =
    op === "add"
      ? ({ primitive: "viewAdd", operands: [data], mask } as const)
      : ({ primitive: "viewAtomic", params: { op }, operands: [data], mask } as const)
  hands.step(ref, cells, op, change)
}

export const copyStart: SimulateRule = function* (ctx, eqn, [mask]) {
  const from = ctx.cells(0, mask)
  const flight = ctx.launch("copy", String(eqn.params["to"]), (hands) => hands.read(0, from, mask))
  return [ctx.token(flight, eqn.results[0]!)]
}
export const copyWait: SimulateRule = function* (ctx, eqn, [token, mask]) {
  const flight = ctx.flightOf(token!)
  land(ctx.by(flight), 0, ctx.cells(0, mask), landingOf(eqn), flight.take(), mask)
  ctx.land(flight)
  return []
}
/** The copy lands in its own time, and arrives at the barrier then. */
export const copyArrive: SimulateRule = function* (ctx, eqn, [mask]) {
  const [from, to] = [ctx.cells(0, mask), ctx.cells(1, mask)]
  const phases = ctx.phases(2)
  const flight = ctx.launch("copy", eqn.refs[1]!.name, (hands) => hands.read(0, from, mask))
  const hands = ctx.by(flight)
  ctx.detach(flight, () => {
    land(hands, 1, to, landingOf(eqn), flight.take(), mask)
    phases?.arrive(flight)
  })
  return []
}
export const fence: SimulateRule = function* (ctx) {
  ctx.fence()
  return []
}
