/** Barriers, as the trace emits them. */
import type { BarrierRole, Source } from "../ir/program.ts"
import { landAt } from "./copy.ts"
import { capture } from "./position.ts"
import { at as refAt, isRoleRef, RoleRef, use } from "./ref.ts"
import type { TraceState } from "./state.ts"
import { refuse, type TileImpl } from "./tile.ts"
import { operation } from "./tracer.ts"

type BarrierRef = RoleRef<BarrierRole>
const isBarrier = (u: unknown): u is BarrierRef => isRoleRef(u) && u.role.kind === "barrier"
const checked = (name: string, u: unknown, source: Source): BarrierRef =>
  isBarrier(u) ? u : refuse(name, source, "the first argument is no barrier", "declare it as scratch")
export const at = (barrier: unknown, index: unknown): BarrierRef => {
  const { ref, role } = checked("barrierAt", barrier, capture())
  return new RoleRef(role, refAt(ref, [index]))
}

const emit = (state: TraceState, primitive: string, { ref }: RoleRef, source: Source): TileImpl | undefined => {
  const { indices, use: view } = use(state, ref, source)
  return state.emit({ primitive, indices, refs: [view], source })[0]
}
export const arrive = (barrier: unknown) =>
  operation("barrierArrive", (state, source) => {
    emit(state, "barrierArrive", checked("barrierArrive", barrier, source), source)
  })
export const test = (barrier: unknown) =>
  operation("barrierTest", (state, source) =>
    emit(state, "barrierTest", checked("barrierTest", barrier, source), source)!
  )
export const wait = (barrier: unknown) =>
  operation("barrierWait", (state, source) => {
    const on = checked("barrierWait", barrier, source)
    for (let landed = landAt(state, on, source); landed > 0; landed--) emit(state, "barrierArrive", on, source)
    const complete = emit(state, "barrierWait", on, source)!
    const detail = `nothing completes the phase of ${on.role.arrivals} that it waits for`
    const params = { kind: "deadlock", ref: on.ref.name, detail }
    state.emit({ primitive: "assert", params, operands: [complete], source })
  })
export const sync = () =>
  operation("sync", (state, source) => {
    state.emit({ primitive: "sync", source })
  })
