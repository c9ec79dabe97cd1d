/** Barriers and semaphores: arrivals and signals release what a thread has done, waits acquire it. */
import { scalar } from "../../ir/array.ts"
import type { Shadowed } from "../../ir/shadow.ts"
import type { Cells, SimulateContext, SimulateRule, StepKind, Wait } from "../../ir/simulate.ts"

const truth = (holds: boolean): Shadowed => ({ value: scalar("bool", Number(holds)), origins: undefined })
const whole = (n: number): Shadowed => ({ value: scalar("i32", n), origins: undefined })

export const barrierArrive: SimulateRule = function* (ctx) {
  ctx.phases(0)?.arrive()
  return []
}
/** Out of bounds there is no barrier, and nothing to wait for. */
export const barrierWait: SimulateRule = function* (ctx) {
  const phases = ctx.phases(0)
  if (phases === undefined) return [truth(false)]
  while (!phases.isComplete()) if (yield phases.wait) return [truth(false)]
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
const raise = (ctx: SimulateContext, cells: Cells, by: Shadowed, kind: StepKind = "add"): Shadowed =>
  ctx.step(0, cells, kind, { primitive: "viewAtomic", params: { op: "add" }, operands: [by] })!

export const semaphoreSignal: SimulateRule = function* (ctx, _, [n]) {
  const cells = ctx.cells(0)
  ctx.settle(0)
  ctx.release(0, cells)
  ctx.decide(n!)
  raise(ctx, cells, n!)
  return []
}
export const semaphoreRead: SimulateRule = function* (ctx) {
  const cells = ctx.cells(0)
  ctx.settle(0)
  return [raise(ctx, cells, whole(0), "look")]
}
/** Takes from each semaphore that has reached it, which, if it waits in vain, are not all. */
export const semaphoreWait: SimulateRule = function* (ctx, eqn, [n]) {
  const cells = ctx.cells(0)
  const needed = ctx.decide(n!)
  ctx.settle(0)
  const wait: Wait = {
    ready: () => ctx.look(0, cells).every((held) => held >= needed),
    detail: () => `it holds ${Math.min(...ctx.look(0, cells))} of the ${needed} that it is waited for`
  }
  while (!wait.ready()) if (yield wait) break
  ctx.acquire(0, cells)
  const { dtype, shape } = eqn.results[0]!
  const taken = eqn.params["decrement"] === false ? 0 : needed
  const data = ctx.look(0, cells).map((held) => (held >= needed ? -taken : 0))
  return [raise(ctx, cells, { value: { dtype, shape, data }, origins: undefined })]
}
