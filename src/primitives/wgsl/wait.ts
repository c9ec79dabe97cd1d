/**
 * WGSL of barriers and semaphores that one program instance has to itself.
 *
 * Nobody else can bring about what is waited for, so nothing is tried twice: what was found is handed on, and a wait that
 * found too little is the failure of whoever looks at it.
 */
import * as E from "../../ir/expr.ts"
import type { Expr } from "../../ir/lowered.ts"
import type { BlockContext, Element, ElementContext, WgslRule } from "../../ir/primitive.ts"
import type { Eqn } from "../../ir/program.ts"
import * as Shape from "../../Shape.ts"
import { arrivalsOf } from "../structural/wait.ts"
import { cell, read } from "./address.ts"
import { accumulate, guarded, inPlace, load, standing } from "./memory.ts"

const atLeast = (a: Expr, b: Expr): Expr => E.apply("ge", "i32", "bool", [a, b])
const phaseOf = (ctx: ElementContext, eqn: Eqn): Expr => {
  const { name } = eqn.refs[0]!
  return E.integer(arrivalsOf(name, ctx.aval(name)))
}

export const barrierArrive: WgslRule = {
  _tag: "Block",
  owned: true,
  access: () => "same",
  emit: (ctx, eqn) =>
    ctx.eachOf(ctx.memory(eqn.refs[0]!.name), [], (element) => {
      const { dtype, index, inside, memory } = cell(ctx, eqn, eqn.refs[0]!, element)
      guarded(ctx, inside, () => ctx.emit({ _tag: "Add", memory: memory.name, index, value: E.integer(1), dtype }))
    })
}

export const barrierTest: WgslRule = {
  _tag: "Element",
  access: () => "same",
  at: (ctx, eqn, element) => atLeast(read(cell(ctx, eqn, eqn.refs[0]!, element)), phaseOf(ctx, eqn))
}

/** What an element holds, and whether that is enough. */
interface Found {
  readonly before: Expr
  readonly reached: Expr
}
interface Wait {
  readonly needed: (ctx: BlockContext, eqn: Eqn) => Expr
  readonly result: (found: Found) => Expr
}
const look = (ctx: BlockContext, eqn: Eqn, element: Element, needed: Expr): Found => {
  const before = ctx.let("before", read(cell(ctx, eqn, eqn.refs[0]!, element)))
  return { before, reached: ctx.let("reached", atLeast(before, needed)) }
}
/** Emits that `needed` is taken from the element, where it has reached that. */
const take = (ctx: BlockContext, eqn: Eqn, element: Element, { before, reached }: Found, needed: Expr): void => {
  if (eqn.params["decrement"] === false) return
  const { index, inside, memory } = cell(ctx, eqn, eqn.refs[0]!, element)
  const value = E.apply("sub", "i32", "i32", [before, needed])
  guarded(ctx, E.all([inside, reached]), () => ctx.emit({ _tag: "Store", memory: memory.name, index, value }))
}
/** Every invocation looks at a single element, and one changes it; of several, each looks at its own. */
const wait = ({ needed, result }: Wait): WgslRule => ({
  _tag: "Block",
  owned: true,
  access: inPlace(0, (eqn) => eqn.results[0]!.shape),
  emit: (ctx, eqn) => {
    const [out] = eqn.results
    const memory = ctx.memory(eqn.refs[0]!.name)
    const n = needed(ctx, eqn)
    const hand = (element: Element, found: Found): void => {
      if (!ctx.isUsed(out!)) return
      if (ctx.isSplat(out!)) ctx.bind(out!, result(found))
      else ctx.result(out!, element, result(found))
    }
    if (Shape.size(out!.shape) === 1) {
      const only = standing(
        ctx,
        out!.shape,
        out!.shape.map(() => E.integer(0))
      )
      const found = look(ctx, eqn, only, n)
      hand(only, found)
      ctx.eachOf(memory, out!.shape, (element) => take(ctx, eqn, element, found, n))
    } else
      ctx.eachOf(memory, out!.shape, (element) => {
        const found = look(ctx, eqn, element, n)
        hand(element, found)
        take(ctx, eqn, element, found, n)
      })
  }
})
export const barrierWait: WgslRule = wait({ needed: phaseOf, result: ({ reached }) => reached })
export const semaphoreWaitLocal: WgslRule = wait({
  needed: (ctx, eqn) => ctx.at(eqn.operands[0]!, []),
  result: ({ before }) => before
})
export const semaphoreSignal: WgslRule = accumulate
export const semaphoreRead: WgslRule = load

export const sync: WgslRule = {
  _tag: "Block",
  owned: true,
  access: () => "same",
  emit: (ctx) => ctx.emit({ _tag: "Barrier", workgroup: true, storage: true })
}
