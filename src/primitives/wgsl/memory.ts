/** WGSL of loads and stores: every element of the view is one cell of the ref, guarded by what the view leaves open. */
import * as E from "../../ir/expr.ts"
import type { Expr, Stmt } from "../../ir/lowered.ts"
import type { AccessRule, BlockContext, Element, ElementContext, WgslRule } from "../../ir/primitive.ts"
import type { Eqn } from "../../ir/program.ts"
import * as View from "../../ir/view.ts"
import * as Shape from "../../Shape.ts"
import { type Cell, cell, held, indexAccess, position, read, recast, shown } from "./address.ts"

export const viewOf = (eqn: Eqn): View.View => eqn.refs[0]?.view ?? (eqn.params.view as unknown as View.View)

/** Masks and values stand where the view's elements stand. */
export const inPlace =
  (from: number, of: (eqn: Eqn) => Shape.Shape): AccessRule =>
  (eqn, k) =>
    k < from
      ? "any"
      : k < eqn.operands.length
        ? "same"
        : indexAccess(viewOf(eqn), eqn.indices[k - eqn.operands.length]!, of(eqn))

/** `value` where the mask of operand `k` holds, if there is one, else what follows it, or 0. */
export const masked = (ctx: ElementContext, eqn: Eqn, k: number, element: Element, value: Expr): Expr => {
  const mask = eqn.operands[k]
  if (mask === undefined) return value
  const other = eqn.operands[k + 1]
  return E.select(
    ctx.same(mask, element),
    value,
    other === undefined ? E.zero(eqn.results[0]!.dtype) : ctx.same(other, element)
  )
}

export const load: WgslRule = {
  _tag: "Element",
  access: inPlace(0, (eqn) => eqn.results[0]!.shape),
  at: (ctx, eqn, element) => masked(ctx, eqn, 0, element, read(cell(ctx, eqn, eqn.refs[0]!, element)))
}
export const viewGet: WgslRule = {
  _tag: "Element",
  access: (eqn, k, w) =>
    k > 0
      ? inPlace(1, (e) => e.results[0]!.shape)(eqn, k, w)
      : Shape.size(eqn.results[0]!.shape) > Shape.size(eqn.operands[0]!.shape)
        ? "many"
        : "any",
  at: (ctx, eqn, element) => {
    const array = eqn.operands[0]!
    const { coords, inside } = position(ctx, eqn, viewOf(eqn), array, element)
    const value = coords.length === 0 ? ctx.same(array, element) : ctx.at(array, coords)
    const { dtype } = shown(eqn, viewOf(eqn), array)
    return masked(ctx, eqn, 1, element, E.select(inside, recast(value, array.dtype, dtype), E.zero(dtype)))
  }
}

export const guarded = (ctx: BlockContext, condition: Expr, body: () => void): void => {
  if (E.is(condition, 1)) return body()
  if (E.is(condition, 0)) return
  ctx.emit({ _tag: "If", condition, then: ctx.block(body), else: [] })
}
export const open = (ctx: BlockContext, eqn: Eqn, k: number, element: Element, inside: Expr): Expr => {
  const mask = eqn.operands[k]
  return mask === undefined ? inside : E.all([inside, ctx.same(mask, element)])
}
const viewShape = (ctx: ElementContext, eqn: Eqn): Shape.Shape => {
  const use = eqn.refs[0]!
  return shown(eqn, use.view, ctx.aval(use.name)).shape
}

/** What is done to a cell with a value of the dtype that the view shows. */
type Make = (cell: Cell, value: Expr) => Stmt
/** Emits `make(cell, value)` for the element, where it is inside and not masked off. */
const write = (ctx: BlockContext, eqn: Eqn, element: Element, make: Make): void => {
  const c = cell(ctx, eqn, eqn.refs[0]!, element)
  guarded(ctx, open(ctx, eqn, 1, element, c.inside), () => ctx.emit(make(c, ctx.same(eqn.operands[0]!, element))))
}
const storeTo: Make = (c, value) => ({ _tag: "Store", memory: c.memory.name, index: c.index, value: held(c, value) })
const addTo: Make = ({ dtype, index, memory }, value) => ({ _tag: "Add", memory: memory.name, index, value, dtype })

export const store: WgslRule = {
  _tag: "Block",
  owned: true,
  access: (eqn, k) =>
    k < eqn.operands.length ? "same" : indexAccess(viewOf(eqn), eqn.indices[k - eqn.operands.length]!, []),
  emit: (ctx, eqn) =>
    ctx.eachOf(ctx.memory(eqn.refs[0]!.name), viewShape(ctx, eqn), (element) => write(ctx, eqn, element, storeTo))
}

/** Runs `body` for each element of a shape, one after the other, in the first invocation. */
export const serially = (
  ctx: BlockContext,
  shape: Shape.Shape,
  elementAt: (coords: ReadonlyArray<Expr>) => void
): void =>
  ctx.each([], () =>
    ctx.loop("k", E.integer(0), E.integer(Shape.size(shape)), (k) => elementAt(View.delinearise(ctx.algebra, shape, k)))
  )
export const standing = (ctx: ElementContext, shape: Shape.Shape, coords: ReadonlyArray<Expr>): Element => {
  const linear = View.linearise(ctx.algebra, shape, coords)
  return { shape, coords: () => coords, linear: () => linear, slot: undefined, key: coords.map(E.key).join() }
}

/** Several elements of the view may be one cell: unless cells are atomic, one invocation adds them in order. */
export const accumulate: WgslRule = {
  _tag: "Block",
  owned: true,
  access: (eqn, k) => (View.mayRepeat(viewOf(eqn)) ? "any" : store.access(eqn, k, 1)),
  emit: (ctx, eqn) => {
    const memory = ctx.memory(eqn.refs[0]!.name)
    const shape = viewShape(ctx, eqn)
    if (memory.atomic || !View.mayRepeat(viewOf(eqn)))
      ctx.eachOf(memory, shape, (element) => write(ctx, eqn, element, addTo))
    else serially(ctx, shape, (coords) => write(ctx, eqn, standing(ctx, shape, coords), addTo))
  }
}

const takeOld = (ctx: BlockContext, eqn: Eqn, element: Element): void => {
  const result = eqn.results[0]!
  if (!ctx.isUsed(result)) return
  const mask = eqn.operands[1]
  const old = read(cell(ctx, eqn, eqn.refs[0]!, element))
  const value = mask === undefined ? old : E.select(ctx.same(mask, element), old, E.zero(result.dtype))
  if (ctx.isSplat(result)) ctx.bind(result, value)
  else ctx.result(result, element, value)
}
export const swap: WgslRule = {
  _tag: "Block",
  owned: true,
  access: store.access,
  emit: (ctx, eqn) => {
    const memory = ctx.memory(eqn.refs[0]!.name)
    const shape = viewShape(ctx, eqn)
    if (Shape.size(shape) === 1)
      takeOld(
        ctx,
        eqn,
        standing(
          ctx,
          shape,
          shape.map(() => E.integer(0))
        )
      )
    else ctx.eachOf(memory, shape, (element) => takeOld(ctx, eqn, element))
    ctx.eachOf(memory, shape, (element) => write(ctx, eqn, element, storeTo))
  }
}

/** A copy of the array, then the elements of the view in it, in order where two may be one. */
const put = (make: Make): WgslRule => ({
  _tag: "Block",
  owned: false,
  placed: true,
  access: (eqn, k) =>
    k === 0 ? "same" : View.mayRepeat(viewOf(eqn)) ? "any" : inPlace(1, (e) => e.operands[1]!.shape)(eqn, k, 1),
  emit: (ctx, eqn) => {
    const [array, value] = eqn.operands
    const result = eqn.results[0]!
    ctx.each(array!.shape, (element) => ctx.result(result, element, ctx.same(array!, element)))
    const { dtype, shape } = shown(eqn, viewOf(eqn), array!)
    const one = (element: Element) => {
      const { index, inside } = position(ctx, eqn, viewOf(eqn), array!, element)
      const c = { memory: ctx.placed(result), index, inside, dtype }
      guarded(ctx, open(ctx, eqn, 2, element, inside), () => ctx.emit(make(c, ctx.same(value!, element))))
    }
    if (View.mayRepeat(viewOf(eqn))) serially(ctx, shape, (coords) => one(standing(ctx, shape, coords)))
    else ctx.each(shape, one)
  }
})
export const viewPut: WgslRule = put(storeTo)
export const viewAdd: WgslRule = put(addTo)
