/** Evaluation of primitives with regions. Loops yield once per iteration, so that they can be interrupted. */
import { scalar } from "../../ir/array.ts"
import type { EvalControl } from "../../ir/primitive.ts"

export const runCond: EvalControl = (ctx, _, [condition]) => ctx.region(condition!.data[0] ? 0 : 1, [])

export const runFori: EvalControl = function* (ctx, _, [lo, hi, ...init]) {
  let carries: Parameters<typeof ctx.region>[1] = init
  const to = hi!.data[0]!
  for (let i = lo!.data[0]!; i < to; i++) {
    yield
    carries = yield* ctx.region(0, [scalar("i32", i), ...carries])
  }
  return carries
}

export const runWhile: EvalControl = function* (ctx, _, init) {
  let carries = init
  for (;;) {
    yield
    const [holds] = yield* ctx.region(0, carries, true)
    if (!holds!.data[0]) return carries
    carries = yield* ctx.region(1, carries)
  }
}
