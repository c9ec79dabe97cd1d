/** Branches, loops, scopes, bodies of inlines, and what a kernel says. */
import { scalar } from "../../ir/array.ts"
import type { Shadowed } from "../../ir/shadow.ts"
import type { SimulateRule } from "../../ir/simulate.ts"
import { words } from "../structural/words.ts"

export const cond: SimulateRule = (ctx, _, [condition]) => ctx.region(ctx.decide(condition!) !== 0 ? 0 : 1, [])

export const fori: SimulateRule = function* (ctx, _, [lo, hi, ...init]) {
  let carries: ReadonlyArray<Shadowed> = init
  const to = ctx.decide(hi!)
  for (let i = ctx.decide(lo!); i < to; i++) {
    ctx.turn()
    carries = yield* ctx.region(0, [{ value: scalar("i32", i), origins: undefined }, ...carries])
  }
  return carries
}

const sameBits = (a: Shadowed, b: Shadowed): boolean => {
  if (a.value.data === b.value.data) return true
  const [x, y] = [words(a.value.data), words(b.value.data)]
  return x.every((word, k) => word === y[k])
}
const same = (a: ReadonlyArray<Shadowed>, b: ReadonlyArray<Shadowed>): boolean => a.every((v, k) => sameBits(v, b[k]!))

/** A turn that changes nothing, and after which the next is the same, waits for others. */
export const whileLoop: SimulateRule = function* (ctx, _, init) {
  let carries: ReadonlyArray<Shadowed> = init
  for (;;) {
    const mark = ctx.turn()
    const [holds] = yield* ctx.region(0, carries)
    if (ctx.decide(holds!) === 0) return carries
    const next = yield* ctx.region(1, carries)
    yield* ctx.idle(mark, same(carries, next))
    carries = next
  }
}

export const scoped: SimulateRule = (ctx, eqn) => ctx.scope(eqn.params["collective"] === true)
export const inline: SimulateRule = (ctx, _, operands) => ctx.region(0, operands)

export const print: SimulateRule = function* (ctx, _, operands) {
  ctx.report(operands.map((o) => o.value))
  return []
}
export const assert: SimulateRule = function* (ctx, _, [condition, ...shown]) {
  if (ctx.decide(condition!) === 0) ctx.fail(shown.map((o) => o.value))
  return []
}
export const threadId: SimulateRule = function* (ctx) {
  return [{ value: scalar("i32", ctx.thread), origins: undefined }]
}
