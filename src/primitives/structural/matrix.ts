/** Typing and discharge of the matrix pipeline: accumulators, and what is added to them. */
import * as DType from "../../DType.ts"
import { sameType, showType } from "../../ir/aval.ts"
import type { DischargeContext, DischargeRule, Draft, Scope } from "../../ir/primitive.ts"
import type { Atom, Aval, Eqn, Param, RefUse } from "../../ir/program.ts"
import { TypingError } from "../../ir/typing.ts"
import { renumber } from "../../ir/view.ts"
import { slotsOf } from "../../ir/viewText.ts"
import { dotResult } from "./dot.ts"
import { checkPlain } from "./record.ts"
import * as P from "./params.ts"
import { checkedViewAval } from "./view.ts"

/** A factor of a multiply-accumulate. */
export type Factor = { readonly _tag: "Tile"; readonly tile: Atom } | { readonly _tag: "Ref"; readonly use: RefUse }

/** The accumulator of an equation, which its refs begin with, and those after it. */
export const accumulatorUse = (eqn: Draft): readonly [RefUse, ...ReadonlyArray<RefUse>] => {
  const [acc, ...rest] = eqn.refs
  if (acc === undefined) throw new TypingError("takes an accumulator, got no ref")
  if (eqn.regions.length > 0) throw new TypingError("takes no regions")
  return [acc, ...rest]
}
const wholeAccumulator = (eqn: Draft, scope: Scope): Aval => {
  const [{ name, view }] = accumulatorUse(eqn)
  if (!Array.isArray(view) || view.length > 0)
    throw new TypingError("a view of an accumulator", "accumulators are taken as a whole")
  return scope.ref(name)
}
/** The accumulator of an equation that takes no other ref, and `count` tiles. */
export const onlyAccumulator = (eqn: Draft, scope: Scope, count: number): Aval => {
  const aval = wholeAccumulator(eqn, scope)
  checkPlain({ ...eqn, refs: eqn.refs.slice(1) }, count)
  return aval
}

/** The two factors: the parameters `a` and `b` say which of them is a ref. */
export const factorsOf = (eqn: Draft): readonly [Factor, Factor] => {
  const uses = accumulatorUse(eqn).slice(1)
  const tiles = [...eqn.operands]
  const next = (name: string): Factor => {
    const kind = P.text(eqn.params, name)
    const use = kind === "ref" ? uses.shift() : undefined
    const tile = kind === "tile" ? tiles.shift() : undefined
    if (use !== undefined) return { _tag: "Ref", use }
    if (tile !== undefined) return { _tag: "Tile", tile }
    throw new TypingError(
      `there is no ${kind} for "${name}"`,
      'factors are "ref" or "tile", one for each that is given'
    )
  }
  const factors = [next("a"), next("b")] as const
  if (uses.length + tiles.length > 0) throw new TypingError(`takes 2 factors, got ${2 + uses.length + tiles.length}`)
  return factors
}
/** Type of a factor; that of a ref is what a load of it gives. */
export const factorAval = (factor: Factor, eqn: Draft, ref: Scope["ref"]): Aval =>
  factor._tag === "Tile" ? factor.tile : loaded(checkedViewAval(factor.use.view, ref(factor.use.name), eqn.indices))
const loaded = ({ dtype, shape }: Aval): Aval => ({ dtype: DType.widened(dtype), shape })

/** The product must be of the accumulator's type. */
export const checkProduct = (eqn: Draft, scope: Scope): void => {
  const acc = wholeAccumulator(eqn, scope)
  const product = dotResult(
    factorsOf(eqn).map((factor) => factorAval(factor, eqn, scope.ref)),
    eqn.params
  )
  if (!sameType(product, acc))
    throw new TypingError(
      `the product is ${showType(product)}, the accumulator ${showType(acc)}`,
      "declare the accumulator with the type of the product"
    )
}

/** The factor as it is where the multiply-accumulate is issued. */
const valueOf = (ctx: DischargeContext, eqn: Eqn, factor: Factor): Atom => {
  if (factor._tag === "Tile") return factor.tile
  const { name, view } = factor.use
  const slots = slotsOf([view])
  const own = view.map((t) => renumber(t, (k) => slots.indexOf(k)))
  const indices = slots.map((k) => eqn.indices[k]!)
  const [tile] = ctx.discharges(name)
    ? ctx.emit("viewGet", { params: { view: own as unknown as Param }, indices, operands: [ctx.value(name)] })
    : ctx.emit("load", { indices, refs: [{ name, view: own }], operands: [] })
  return tile!
}
/** An accumulator that stays takes tiles; one that is a value has the product added. */
export const dischargeMultiply: DischargeRule = (ctx, eqn) => {
  const [acc] = accumulatorUse(eqn)
  const operands = factorsOf(eqn).map((factor) => valueOf(ctx, eqn, factor))
  const { transposeA, transposeB } = eqn.params as { readonly transposeA: Param; readonly transposeB: Param }
  if (!ctx.discharges(acc.name)) {
    const params = { a: "tile", b: "tile", transposeA, transposeB }
    ctx.emit("multiplyAccumulate", { params, refs: [acc], operands })
    return { results: [], refs: new Map() }
  }
  const product = ctx.emit("dot", { params: { transposeA, transposeB }, operands })
  const [sum] = ctx.emit("add", { operands: [ctx.value(acc.name), ...product] })
  return { results: [], refs: new Map([[acc.name, sum!]]) }
}
