/** Semaphores, as the trace emits them. */
import type { Source } from "../ir/program.ts"
import * as Shape from "../Shape.ts"
import { writable } from "./access.ts"
import { checkedRef, use } from "./ref.ts"
import type { TraceState } from "./state.ts"
import { lift, operand, overAll, type TileImpl } from "./tile.ts"
import { operation } from "./tracer.ts"

/** How much is signalled or waited for; of numbers that the host does not know, the run sees that they are at least 0. */
const countOf = (state: TraceState, name: string, u: unknown, source: Source): TileImpl => {
  const n = operand(name, u, "i32", source)
  if (n.literal === undefined && n.dtype === "i32" && n.shape.length === 0) {
    const params = { kind: "assertion", ref: "", detail: `${name} of a number below 0` }
    state.emit({ primitive: "assert", params, operands: [lift("ge", [n, 0]), n], source })
  }
  return n
}

export const signal = (ref: unknown, n: unknown) =>
  operation("semaphoreSignal", (state, source) => {
    const to = writable("semaphoreSignal", ref, source)
    const operands = [countOf(state, "semaphoreSignal", n, source)]
    const { indices, use: view } = use(state, to, source)
    state.emit({ primitive: "semaphoreSignal", operands, indices, refs: [view], source })
  })

export const read = (ref: unknown) =>
  operation("semaphoreRead", (state, source) => {
    const { indices, use: view } = use(state, checkedRef("semaphoreRead", ref, source), source)
    return state.emit({ primitive: "semaphoreRead", indices, refs: [view], source })[0]!
  })

export const wait = (ref: unknown, n: unknown, decrement: boolean) =>
  operation("semaphoreWait", (state, source) => {
    const to = writable("semaphoreWait", ref, source)
    const isScratch = state.refs.get(to.name)?.space !== undefined
    const needed = countOf(state, "semaphoreWait", n, source)
    const { indices, use: view } = use(state, to, source)
    const primitive = isScratch ? "semaphoreWaitLocal" : "semaphoreWait"
    const [found] = state.emit({ primitive, params: { decrement }, operands: [needed], indices, refs: [view], source })
    if (Shape.size(to.shape) === 0) return
    const reached = overAll("reduceAll", lift("ge", [found, needed]), source)
    const params = { kind: "deadlock", ref: to.name, detail: "its value does not reach what is waited for" }
    const operands = [reached, overAll("reduceMin", found!, source), needed]
    state.emit({ primitive: "assert", params, operands, source })
  })
