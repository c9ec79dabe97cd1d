/** The matrix pipeline: products read their factors, and are added, beside the thread. */
import type { Shadowed } from "../../ir/shadow.ts"
import type { Hands, SimulateContext, SimulateRule } from "../../ir/simulate.ts"
import type { Eqn } from "../../ir/program.ts"
import { factorsOf } from "../structural/matrix.ts"

export const accumulatorSet: SimulateRule = function* (ctx, _, [tile]) {
  ctx.write(0, ctx.cells(0), tile!)
  return []
}
export const accumulatorRead: SimulateRule = function* (ctx) {
  return [ctx.read(0, ctx.cells(0))]
}

/** What gives the factors, when they are read. */
const factors = (ctx: SimulateContext, eqn: Eqn): ReadonlyArray<(hands: Hands) => Shadowed> => {
  let ref = 1
  return factorsOf(eqn).map((factor) => {
    if (factor._tag === "Tile") {
      const tile = ctx.value(factor.tile)
      return () => tile
    }
    const k = ref++
    const cells = ctx.cells(k)
    return (hands) => hands.read(k, cells)
  })
}
export const multiplyAccumulate: SimulateRule = function* (ctx, eqn) {
  const [a, b] = factors(ctx, eqn)
  const { transposeA, transposeB } = eqn.params as { readonly transposeA: boolean; readonly transposeB: boolean }
  const acc = ctx.cells(0)
  const flight = ctx.launch("multiplyAccumulate", eqn.refs[0]!.name, (hands) =>
    ctx.pure("dot", [a!(hands), b!(hands)], { transposeA, transposeB })
  )
  const hands = ctx.by(flight)
  ctx.enqueue(flight, () => hands.write(0, acc, ctx.pure("add", [hands.read(0, acc), flight.take()])))
  return []
}
export const pipelineWait: SimulateRule = function* (ctx, eqn) {
  ctx.drain(Number(eqn.params["atMost"]))
  return []
}
