/** WGSL of the shape primitives: where an element of the result comes from. */
import * as E from "../../ir/expr.ts"
import type { Expr } from "../../ir/lowered.ts"
import type { AccessRule, ElementContext, WgslRule } from "../../ir/primitive.ts"
import type { Atom, Eqn } from "../../ir/program.ts"
import * as Shape from "../../Shape.ts"

type ElementRule = WgslRule & { readonly _tag: "Element" }
type At = ElementRule["at"]
const numbers = (eqn: Eqn, name: string): ReadonlyArray<number> => eqn.params[name] as ReadonlyArray<number>

const inPlace: AccessRule = () => "same"
/** A result with more elements than an operand reads some of them more than once. */
const moved: AccessRule = (eqn, k) =>
  Shape.size(eqn.results[0]!.shape) > Shape.size(eqn.operands[k]!.shape) ? "many" : "any"
const same: At = (ctx, eqn, element) => ctx.same(eqn.operands[0]!, element)

const move = (
  coords: (ctx: ElementContext, eqn: Eqn, at: ReadonlyArray<Expr>) => ReadonlyArray<Expr>
): ElementRule => ({
  _tag: "Element",
  access: moved,
  at: (ctx, eqn, element) => ctx.at(eqn.operands[0]!, coords(ctx, eqn, element.coords()))
})
const order: ElementRule = { _tag: "Element", access: inPlace, at: same }

export const reshape = order
export const expandDims = order
export const squeeze = order
export const full = order

const stretches = (eqn: Eqn): boolean =>
  Shape.size(eqn.operands[0]!.shape) !== Shape.size(eqn.results[0]!.shape) && eqn.operands[0]!.shape.length > 0
export const broadcast: ElementRule = {
  _tag: "Element",
  access: (eqn, k, w) => (stretches(eqn) ? moved(eqn, k, w) : "same"),
  at: (ctx, eqn, element) => {
    const from = eqn.operands[0]!
    if (!stretches(eqn)) return ctx.same(from, element)
    const at = element.coords()
    return ctx.at(
      from,
      from.shape.map((n, d) => (n === 1 ? E.integer(0) : at[d]!))
    )
  }
}

export const transpose = move((_, eqn, at) => {
  const perm = numbers(eqn, "perm")
  return perm.map((_, d) => at[perm.indexOf(d)]!)
})
export const slice = move(({ algebra }, eqn, at) => {
  const starts = numbers(eqn, "starts")
  const strides = numbers(eqn, "strides")
  return at.map((c, d) => algebra.add(algebra.mul(c, strides[d]!), E.integer(starts[d]!)))
})
export const flip = move(({ algebra }, eqn, at) => {
  const axes = numbers(eqn, "axes")
  const shape = eqn.operands[0]!.shape
  return at.map((c, d) => (axes.includes(d) ? algebra.add(E.integer(shape[d]! - 1), algebra.mul(c, -1)) : c))
})

/** The operands side by side: each stands behind a test of the coordinate, but for the last. */
const concatAt: At = (ctx, eqn, element) => {
  const axis = eqn.params.axis as number
  const coords = element.coords()
  let start = 0
  const parts: Array<{ readonly condition: Expr; readonly value: Expr }> = []
  for (const operand of eqn.operands) {
    const n = operand.shape[axis]!
    const at = ctx.algebra.add(coords[axis]!, E.integer(-start))
    if (n > 0)
      parts.push({
        condition: ctx.inside(at, n),
        value: ctx.at(
          operand,
          coords.map((c, d) => (d === axis ? at : c))
        )
      })
    start += n
  }
  const last = parts.pop()
  const rest = last?.value ?? E.zero(eqn.results[0]!.dtype)
  return parts.reduceRight((other, p) => E.select(p.condition, p.value, other), rest)
}
export const concat: ElementRule = { _tag: "Element", access: moved, at: concatAt }

export const pad: ElementRule = {
  _tag: "Element",
  access: moved,
  at: (ctx, eqn, element) => {
    const [tile, value] = eqn.operands as [Atom, Atom]
    const low = numbers(eqn, "low")
    const coords = element.coords().map((c, d) => ctx.algebra.add(c, E.integer(-low[d]!)))
    const inside = E.all(coords.map((c, d) => ctx.inside(c, tile.shape[d]!)))
    return E.select(inside, ctx.at(tile, coords), ctx.same(value, element))
  }
}

export const take: ElementRule = {
  _tag: "Element",
  access: moved,
  at: (ctx, eqn, element) => {
    const [tile, index] = eqn.operands as [Atom, Atom]
    const axis = eqn.params.axis as number
    const rank = index.shape.length
    const coords = element.coords()
    const position = ctx.at(index, coords.slice(axis, axis + rank))
    const from = [...coords.slice(0, axis), position, ...coords.slice(axis + rank)]
    return E.select(ctx.inside(position, tile.shape[axis]!), ctx.at(tile, from), E.zero(tile.dtype))
  }
}

export const iota: ElementRule = {
  _tag: "Element",
  access: inPlace,
  at: (_, eqn, element) => {
    const { dtype } = eqn.results[0]!
    const at = element.coords()[eqn.params.axis as number]!
    return dtype === "i32" ? at : E.apply("convert", "i32", dtype, [at], { dtype })
  }
}
