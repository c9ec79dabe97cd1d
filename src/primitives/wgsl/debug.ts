/** WGSL of what a kernel says: the first invocation takes a place in the buffer of records, those that hold elements write. */
import * as E from "../../ir/expr.ts"
import type { Expr } from "../../ir/lowered.ts"
import type { BlockContext, Element, WgslRule } from "../../ir/primitive.ts"
import type { Atom, Eqn } from "../../ir/program.ts"
import * as Shape from "../../Shape.ts"
import { guarded } from "./memory.ts"

const wordsOf = (operands: ReadonlyArray<Atom>): number => operands.reduce((n, o) => n + Shape.size(o.shape), 0)
const isTaken = (place: Expr): Expr => E.apply("ge", "i32", "bool", [place, E.integer(0)])

/** Writes an element of an operand `from` words after the beginning of a place. */
const record = (ctx: BlockContext, operand: Atom, element: Element, place: Expr, from: number): void => {
  const index = E.add(E.add(place, element.linear()), E.integer(from))
  ctx.emit({ _tag: "Record", index, value: ctx.same(operand, element), dtype: operand.dtype })
}
/** Calls `write` for each operand, with the words that the operands before it take. */
const each = (operands: ReadonlyArray<Atom>, write: (operand: Atom, from: number) => void): void => {
  let from = 0
  for (const o of operands) {
    write(o, from)
    from += Shape.size(o.shape)
  }
}
/** Emits, in the first invocation, the record of values that each invocation holds. */
const recordValues = (
  ctx: BlockContext,
  eqn: Eqn,
  kind: "print" | "failure",
  values: ReadonlyArray<Atom>,
  element: Element
): void => {
  const place = ctx.reserve(eqn, kind, wordsOf(values))
  guarded(ctx, isTaken(place), () =>
    each(values, (value, from) => {
      if (Shape.size(value.shape) > 0) record(ctx, value, element, place, from)
    })
  )
}

/** The place that the first invocation takes, known to all. */
const sharedPlace = (ctx: BlockContext, eqn: Eqn): Expr => {
  const own = ctx.name("place")
  ctx.emit({ _tag: "Var", name: own, type: "i32", value: E.integer(-1) })
  ctx.each([], () => {
    const value = ctx.reserve(eqn, "print", wordsOf(eqn.operands))
    ctx.emit({ _tag: "Assign", name: own, value })
  })
  const name = ctx.name("place")
  ctx.emit({ _tag: "Uniform", name, type: "i32", value: E.local("i32", own) })
  return E.local("i32", name)
}

export const print: WgslRule = {
  _tag: "Block",
  owned: true,
  access: () => "same",
  emit: (ctx, eqn) => {
    if (eqn.operands.every((o) => Shape.size(o.shape) <= 1))
      return ctx.each([], (element) => recordValues(ctx, eqn, "print", eqn.operands, element))
    const place = sharedPlace(ctx, eqn)
    guarded(ctx, isTaken(place), () =>
      each(eqn.operands, (o, from) => ctx.each(o.shape, (element) => record(ctx, o, element, place, from)))
    )
  }
}

export const assert: WgslRule = {
  _tag: "Block",
  owned: true,
  access: () => "same",
  emit: (ctx, eqn) => {
    const [condition, ...values] = eqn.operands as [Atom, ...Array<Atom>]
    ctx.each([], (element) => {
      const holds = ctx.at(condition, [])
      const fails =
        holds._tag === "Const" ? E.constant("bool", 1 - holds.value) : E.apply("not", "bool", "bool", [holds])
      guarded(ctx, fails, () => recordValues(ctx, eqn, "failure", values, element))
    })
  }
}
