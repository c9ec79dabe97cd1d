/** Barriers and semaphores: arrivals and signals release what a thread has done, waits acquire it. */
import { scalar } from "../../ir/array.ts"
import type { Shadowed } from "../../ir/shadow.ts"
import type { Cells, SimulateContext, SimulateRule, Wait } from "../../ir/simulate.ts"

const truth = (holds: boolean): Shadowed => ({ value: scalar("bool", Number(holds)), origins: undefined })
const whole = (n: number): Shadowed => ({ value: scalar("i32", n), origins: undefined })

export const barrierArrive: SimulateRule = function* (ctx) {
  ctx.phases(0)?.arrive()
  return []
}
/** Out of bounds there is no barrier to wait for. */
export const barrierWait: SimulateRule = function* (ctx) {
  const phases = ctx.phases(0)
  if (phases === undefined) return [truth(false)]
  while (!phases.isComplete()) yield phases.wait
  phases.observe()
  return [truth(true)]
}
export const barrierTest: SimulateRule = function* (ctx) {
  return [truth(ctx.phases(0)?.isComplete() ?? false)]
}
export const sync: SimulateRule = function* (ctx) {
  yield* ctx.meet()
  return []
}

/** One step on each semaphore: adds a number, and gives what was there. */
const raise = (ctx: SimulateContext, cells: Cells, by: number): Shadowed =>
  ctx.step(0, cells, "add", { primitive: "viewAtomic", params: { op: "add" }, operands: [whole(by)] })!

export const semaphoreSignal: SimulateRule = function* (ctx, _, [n]) {
  const cells = ctx.cells(0)
  ctx.settle(0, cells)
  ctx.release(0, cells)
  raise(ctx, cells, ctx.decide(n!))
  return []
}
export const semaphoreRead: SimulateRule = function* (ctx) {
  const cells = ctx.cells(0)
  ctx.settle(0, cells)
  return [raise(ctx, cells, 0)]
}
export const semaphoreWait: SimulateRule = function* (ctx, eqn, [n]) {
  const cells = ctx.cells(0)
  const needed = ctx.decide(n!)
  ctx.settle(0, cells)
  const wait: Wait = {
    ready: () => ctx.least(0, cells) >= needed,
    detail: () => `it holds ${ctx.least(0, cells)} of the ${needed} that it is waited for`
  }
  while (cells.length > 0 && !wait.ready()) yield wait
  ctx.acquire(0, cells)
  return [raise(ctx, cells, eqn.params["decrement"] === false ? 0 : -needed)]
}
