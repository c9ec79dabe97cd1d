/** How WGSL rules reach the elements of refs through views. */
import type * as DType from "../../DType.ts"
import * as E from "../../ir/expr.ts"
import type { Expr, Memory } from "../../ir/lowered.ts"
import type { Element, ElementContext, OperandAccess } from "../../ir/primitive.ts"
import type { Aval, Eqn, RefUse } from "../../ir/program.ts"
import * as View from "../../ir/view.ts"
import * as Shape from "../../Shape.ts"

/** Whether a view shows all of a ref, in order. */
export const isWhole = (view: View.View, on: Aval): boolean => {
  let shape = on.shape
  for (const t of view) {
    if (t._tag === "Transpose") return false
    if (t._tag === "Reshape") shape = t.shape
    if (t._tag === "Index") {
      const whole = t.at.every(
        (e, d) =>
          e._tag === "Range" &&
          View.isConstant(e.start) &&
          e.start.constant === 0 &&
          e.size === shape[d]! &&
          e.stride === 1
      )
      if (!whole) return false
    }
  }
  return true
}

/** The type of what an equation's view shows. */
export const shown = (eqn: Eqn, view: View.View, on: Aval): Aval => View.viewAval(view, on, eqn.indices)

/** Position in the array of type `on` of an element of the view, and whether it is inside. */
export const position = (
  ctx: ElementContext,
  eqn: Eqn,
  view: View.View,
  on: Aval,
  element: Element
): { readonly index: Expr; readonly coords: ReadonlyArray<Expr>; readonly inside: Expr } => {
  if (isWhole(view, on)) return { index: element.linear(), coords: [], inside: E.constant("bool", 1) }
  const indices: View.Indices<Expr> = {
    scalar: (k) => ctx.at(eqn.indices[k]!, []),
    element: (k, coords) => ctx.at(eqn.indices[k]!, coords),
    rank: (k) => eqn.indices[k]!.shape.length
  }
  const at = View.address(ctx.algebra, indices, view, on, eqn.indices, element.coords())
  const inside = E.all(at.guards.map((g) => ctx.inside(g.index, g.size)))
  // What the guards have named is not spelled out again.
  const coords = E.is(inside, 1) ? at.coords : at.coords.map((c) => ctx.share(c))
  return { index: View.linearise(ctx.algebra, on.shape, coords), coords, inside }
}

export interface Cell {
  readonly memory: Memory
  readonly index: Expr
  readonly inside: Expr
  /** Dtype that the view shows. */
  readonly dtype: DType.Name
}
/** The cell of a ref where an element of the view lies. */
export const cell = (ctx: ElementContext, eqn: Eqn, use: RefUse, element: Element): Cell => {
  const memory = ctx.memory(use.name)
  const on = ctx.aval(use.name)
  const dtype = shown(eqn, use.view, on).dtype
  if (memory.space === "register")
    return {
      memory,
      index: memory.length === 1 ? E.integer(0) : (element.slot ?? E.integer(0)),
      inside: E.constant("bool", 1),
      dtype
    }
  const { index, inside } = position(ctx, eqn, use.view, on, element)
  return { memory, index, inside, dtype }
}

/** The same bits as another dtype. */
export const recast = (value: Expr, from: DType.Name, to: DType.Name): Expr =>
  from === to ? value : { _tag: "Bitcast", from, to, of: value }

/** What a cell holds, as the view shows it; 0 outside. */
export const read = (c: Cell): Expr => {
  const value = recast(E.load(c.memory.name, c.index, c.memory.dtype), c.memory.dtype, c.dtype)
  return E.select(c.inside, value, E.zero(c.dtype))
}
/** A value of the view's dtype as the cell holds it. */
export const held = (c: Cell, value: Expr): Expr => recast(value, c.dtype, c.memory.dtype)

/** How the index tiles of a view are read. */
export const indexAccess = (view: View.View, index: Aval, of: Shape.Shape): OperandAccess => {
  const first = view[0]
  const only = view.length === 1 && first?._tag === "Index" && first.at.every((e) => e._tag !== "Range")
  return only ? "same" : Shape.size(of) > Shape.size(index.shape) ? "many" : "any"
}
