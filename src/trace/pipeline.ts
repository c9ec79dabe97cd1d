/** The matrix pipeline, as the trace emits it. */
import type { RefUse, Source } from "../ir/program.ts"
import { TypingError } from "../ir/typing.ts"
import * as Shape from "../Shape.ts"
import { fit } from "./access.ts"
import { Collector } from "./affine.ts"
import { checkedRef, isMemRef, isRoleRef, use } from "./ref.ts"
import type { TraceState } from "./state.ts"
import { apply, isTile, OperandError, operand, type TileImpl } from "./tile.ts"
import { operation } from "./tracer.ts"

interface Options {
  readonly transposeA?: boolean
  readonly transposeB?: boolean
}
const accumulator = (name: string, state: TraceState, u: unknown, source: Source) => {
  if (!isRoleRef(u) || u.role.kind !== "accumulator") {
    const detail = `${isMemRef(u) ? `ref "${u.name}"` : isTile(u) ? "a tile" : "the first argument"} is not an accumulator`
    throw new OperandError(name, new TypingError(detail, "declare one with Pipeline.accumulator"), source)
  }
  return { ref: u.ref, use: use(state, u.ref, source).use }
}

export const set = (acc: unknown, value: unknown) =>
  operation("accumulatorSet", (state, source): void => {
    const name = "accumulatorSet"
    const { ref, use: to } = accumulator(name, state, acc, source)
    const tile = fit(name, operand(name, value, ref.dtype, source), ref.shape, source)
    const whole = Shape.equals(tile.shape, ref.shape) ? tile : apply("broadcast", [tile], { shape: ref.shape }, source)
    state.emit({ primitive: name, operands: [whole], refs: [to], source })
  })
export const read = (acc: unknown) =>
  operation("accumulatorRead", (state, source): TileImpl => {
    const { use: from } = accumulator("accumulatorRead", state, acc, source)
    return state.emit({ primitive: "accumulatorRead", refs: [from], source })[0]!
  })

export const multiplyAccumulate = (acc: unknown, a: unknown, b: unknown, options: Options | undefined) =>
  operation("multiplyAccumulate", (state, source): void => {
    const name = "multiplyAccumulate"
    const { ref, use: to } = accumulator(name, state, acc, source)
    const into = new Collector()
    const factors = [a, b].map((u) =>
      isMemRef(u) || isRoleRef(u)
        ? use(state, checkedRef(name, u, source), source, into).use
        : operand(name, u, ref.dtype, source)
    )
    const [kindA, kindB] = factors.map((f) => (isTile(f) ? "tile" : "ref")) as [string, string]
    const { transposeA = false, transposeB = false } = options ?? {}
    state.emit({
      primitive: name,
      params: { a: kindA, b: kindB, transposeA, transposeB },
      operands: factors.filter(isTile),
      indices: into.tiles,
      refs: [to, ...factors.filter((f): f is RefUse => !isTile(f))],
      source
    })
  })

export const wait = (atMost: number) =>
  operation("pipelineWait", (state, source): void => {
    state.emit({ primitive: "pipelineWait", params: { atMost }, source })
  })
