/**
 * WGSL of atomic changes.
 *
 * Where other invocations may touch the element at the same moment, its memory is atomic and one WGSL function does the step;
 * elsewhere it is read and written. An old value that every invocation needs goes through memory of the workgroup.
 */
import * as E from "../../ir/expr.ts"
import { type AtomicOp, type Expr, typeOf } from "../../ir/lowered.ts"
import type { AccessRule, BlockContext, Element, WgslRule } from "../../ir/primitive.ts"
import type { Eqn, Var } from "../../ir/program.ts"
import * as View from "../../ir/view.ts"
import { opOf } from "../structural/atomic.ts"
import { type Cell, cell, held, indexAccess, position, read, shown } from "./address.ts"
import { guarded, inPlace, open, serially, standing, viewOf } from "./memory.ts"

/** What is done to an element, from the values of the equation's operands there; the mask is none of them. */
interface Change {
  readonly op: AtomicOp
  readonly values: ReadonlyArray<Expr>
}
/** How an equation changes an element; the first `first` operands are no values. */
const changeAt = (ctx: BlockContext, eqn: Eqn, element: Element, first: number): Change => {
  const op = eqn.params["op"] === undefined ? "compareExchange" : opOf(eqn)
  const count = op === "compareExchange" ? 2 : 1
  return { op, values: eqn.operands.slice(first, first + count).map((o) => ctx.same(o, element)) }
}
const maskOf = (eqn: Eqn, first: number): number => first + (eqn.params["op"] === undefined ? 2 : 1)

/** What the element becomes. */
const next = ({ op, values }: Change, before: Expr, { dtype }: Cell): Expr => {
  const [a, b] = values as [Expr, Expr]
  if (op === "exchange") return a
  if (op === "compareExchange") return E.select(E.apply("eq", dtype, "bool", [before, a]), b, before)
  return E.apply(op, dtype, dtype, [before, a])
}
/** Emits the change and gives what was there before, if that is `used`. */
const step = (ctx: BlockContext, c: Cell, change: Change, used: boolean): Expr => {
  const { dtype, index, memory } = c
  if (!memory.atomic) {
    const before = ctx.let("before", read({ ...c, inside: E.constant("bool", 1) }))
    ctx.emit({ _tag: "Store", memory: memory.name, index, value: held(c, next(change, before, c)) })
    return before
  }
  const name = used ? ctx.name("before") : undefined
  ctx.emit({ _tag: "Atomic", name, op: change.op, memory: memory.name, index, values: change.values, dtype })
  return name === undefined ? E.zero(dtype) : E.local(typeOf(dtype), name)
}
/** The value of `body` where the condition holds, else 0. */
const where = (ctx: BlockContext, condition: Expr, c: Cell, body: () => Expr): Expr => {
  if (E.is(condition, 1)) return body()
  if (E.is(condition, 0)) return E.zero(c.dtype)
  const name = ctx.name("found")
  const type = typeOf(c.dtype)
  ctx.emit({ _tag: "Var", name, type, value: E.zero(c.dtype) })
  guarded(ctx, condition, () => {
    const value = body()
    ctx.emit({ _tag: "Assign", name, value })
  })
  return E.local(type, name)
}

/** Emits the change of one element of the view and hands on what was there before. */
const changeOne = (ctx: BlockContext, eqn: Eqn, element: Element): Expr | undefined => {
  const c = cell(ctx, eqn, eqn.refs[0]!, element)
  const condition = open(ctx, eqn, maskOf(eqn, 0), element, c.inside)
  const result = eqn.results[0]
  if (result !== undefined && ctx.isUsed(result))
    return where(ctx, condition, c, () => step(ctx, c, changeAt(ctx, eqn, element, 0), true))
  guarded(ctx, condition, () => void step(ctx, c, changeAt(ctx, eqn, element, 0), false))
  return undefined
}

/** Changes one element and lets every invocation have what was there. */
const changeSingle = (ctx: BlockContext, eqn: Eqn, result: Var): void => {
  const memory = ctx.memory(eqn.refs[0]!.name)
  if (memory.space === "register")
    return ctx.eachOf(memory, result.shape, (element) => ctx.bind(result, changeOne(ctx, eqn, element)!))
  const shared = ctx.scratch(result.dtype, 1)
  ctx.each(result.shape, (element) => {
    const value = changeOne(ctx, eqn, element)!
    ctx.emit({ _tag: "Store", memory: shared.name, index: E.integer(0), value })
  })
  ctx.bind(result, E.load(shared.name, E.integer(0), shared.dtype))
}
const onRef: WgslRule = {
  _tag: "Block",
  owned: true,
  access: (eqn, k) =>
    k < eqn.operands.length
      ? "same"
      : indexAccess(viewOf(eqn), eqn.indices[k - eqn.operands.length]!, eqn.results[0]!.shape),
  emit: (ctx, eqn) => {
    const result = eqn.results[0]!
    if (ctx.isUsed(result) && ctx.isSplat(result)) return changeSingle(ctx, eqn, result)
    ctx.eachOf(ctx.memory(eqn.refs[0]!.name), result.shape, (element) => {
      const before = changeOne(ctx, eqn, element)
      if (before !== undefined) ctx.result(result, element, before)
    })
  }
}
/** Changes elements and gives nothing. */
export const combine: WgslRule = {
  _tag: "Block",
  owned: true,
  access: (eqn, k) =>
    k < eqn.operands.length
      ? "same"
      : indexAccess(viewOf(eqn), eqn.indices[k - eqn.operands.length]!, eqn.operands[0]!.shape),
  emit: (ctx, eqn) =>
    ctx.eachOf(ctx.memory(eqn.refs[0]!.name), eqn.operands[0]!.shape, (element) => void changeOne(ctx, eqn, element))
}
export const atomic: WgslRule = onRef
export const compareExchange: WgslRule = onRef

const access: AccessRule = (eqn, k) =>
  k === 0 ? "same" : View.mayRepeat(viewOf(eqn)) ? "any" : inPlace(1, (e) => e.results[1]!.shape)(eqn, k, 1)
/** A copy of the array, then the elements of the view in it, in order where two may be one. */
const onValue: WgslRule = {
  _tag: "Block",
  owned: false,
  placed: true,
  access,
  emit: (ctx, eqn) => {
    const array = eqn.operands[0]!
    const [after, before] = eqn.results as [Var, Var]
    ctx.each(array.shape, (element) => ctx.result(after, element, ctx.same(array, element)))
    const { dtype, shape } = shown(eqn, viewOf(eqn), array)
    const one = (element: Element): void => {
      const { index, inside } = position(ctx, eqn, viewOf(eqn), array, element)
      const c = { memory: ctx.placed(after), index, inside, dtype }
      const condition = open(ctx, eqn, maskOf(eqn, 1), element, inside)
      const value = where(ctx, condition, c, () => step(ctx, c, changeAt(ctx, eqn, element, 1), true))
      ctx.result(before, element, value)
    }
    if (View.mayRepeat(viewOf(eqn))) serially(ctx, shape, (coords) => one(standing(ctx, shape, coords)))
    else ctx.each(shape, one)
  }
}
export const viewAtomic: WgslRule = onValue
export const viewCompareExchange: WgslRule = onValue
