/**
 * WGSL of asynchronous copies.
 *
 * The elements are loaded where the copy starts, each by the invocation that will store it, and wait in its registers: loads
 * are under way while the arithmetic in between runs.
 */
import * as E from "../../ir/expr.ts"
import type { Element, WgslRule } from "../../ir/primitive.ts"
import { landingOf } from "../structural/copy.ts"
import { cell, read } from "./address.ts"
import { combine } from "./atomic.ts"
import { accumulate, inPlace, masked, standing, store } from "./memory.ts"

export const copyStart: WgslRule = {
  _tag: "Block",
  owned: true,
  access: inPlace(0, (eqn) => eqn.results[0]!.shape),
  emit: (ctx, eqn) => {
    const result = eqn.results[0]!
    const { shape } = result
    const value = (element: Element) => masked(ctx, eqn, 0, element, read(cell(ctx, eqn, eqn.refs[0]!, element)))
    if (ctx.isSplat(result)) {
      const zeros = shape.map(() => E.integer(0))
      ctx.bind(result, value(standing(ctx, shape, zeros)))
    } else ctx.each(shape, (element) => ctx.result(result, element, value(element)))
  }
}

export const copyWait: WgslRule = {
  _tag: "Choose",
  of: (eqn) => {
    const op = landingOf(eqn)
    return op === "store" ? store : op === "add" ? accumulate : combine
  }
}

export const fence: WgslRule = { _tag: "Block", owned: true, access: () => "same", emit: () => {} }
