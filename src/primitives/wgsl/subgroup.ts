/**
 * WGSL of operations of subgroups.
 *
 * Invocations are numbered subgroup by subgroup, so that in one turn of a loop over elements the lanes of a subgroup hold the
 * elements of a group. All invocations take part in each operation, also those beyond the last element, with a value that
 * changes nothing. A group of a tile of one element is that element, and needs no operation.
 */
import type * as DType from "../../DType.ts"
import * as E from "../../ir/expr.ts"
import { type Expr, type SubgroupOp, subgroupLane, subgroupSize, typeOf } from "../../ir/lowered.ts"
import type { BlockContext, Element, WgslRule } from "../../ir/primitive.ts"
import type { Atom, Eqn, Var } from "../../ir/program.ts"
import * as Shape from "../../Shape.ts"
import { identityOf, modeOf, type Reduction, reductionOf, scanOf } from "../structural/subgroup.ts"
import { guarded } from "./memory.ts"

const zero = E.integer(0)
const integer = (primitive: string, a: Expr, b: Expr): Expr => E.apply(primitive, "i32", "i32", [a, b])

export const size: WgslRule = { _tag: "Element", access: () => "same", at: () => subgroupSize }
export const lane: WgslRule = {
  _tag: "Element",
  access: () => "same",
  at: (_, eqn, element) =>
    Shape.size(eqn.results[0]!.shape) === 1 ? zero : integer("rem", element.linear(), subgroupSize)
}

/** `value` where the element is present, else `absent`. */
const orAbsent = (ctx: BlockContext, present: Expr, absent: Expr, value: () => Expr): Expr => {
  if (E.is(present, 1)) return value()
  const type = E.typeOfExpr(absent)
  const name = ctx.name("x")
  ctx.emit({ _tag: "Var", name, type, value: absent })
  guarded(ctx, present, () => ctx.emit({ _tag: "Assign", name, value: value() }))
  return E.local(type, name)
}
const together = (ctx: BlockContext, op: SubgroupOp, values: ReadonlyArray<Expr>, dtype: DType.Name): Expr => {
  const name = ctx.name("y")
  ctx.emit({ _tag: "Subgroup", names: [name], op, values, dtype })
  return E.local(typeOf(dtype), name)
}
const zerosOf = (shape: Shape.Shape): ReadonlyArray<Expr> => shape.map(() => zero)
/** The one element of an operand. */
const only = (ctx: BlockContext, operand: Atom): Expr => ctx.at(operand, zerosOf(operand.shape))

const folding = (
  opOf: (eqn: Eqn) => { readonly op: SubgroupOp; readonly identity: number },
  single: (eqn: Eqn, value: Expr, identity: Expr) => Expr
): WgslRule => ({
  _tag: "Block",
  owned: true,
  access: () => "same",
  emit: (ctx, eqn) => {
    const operand = eqn.operands[0]!
    const result = eqn.results[0]!
    const { identity, op } = opOf(eqn)
    const absent = E.constant(typeOf(operand.dtype), identity)
    if (ctx.isSplat(result)) return ctx.bind(result, single(eqn, only(ctx, operand), absent))
    ctx.together(operand.shape, (element, present) => {
      const value = orAbsent(ctx, present, absent, () => ctx.same(operand, element))
      const folded = together(ctx, op, [value], operand.dtype)
      guarded(ctx, present, () => ctx.result(result, element, folded))
    })
  }
})

const operations: { readonly [K in Reduction]: SubgroupOp } = {
  sum: "Add",
  prod: "Mul",
  max: "Max",
  min: "Min",
  and: "And",
  or: "Or",
  xor: "Xor",
  all: "All",
  any: "Any"
}
export const reduce: WgslRule = folding(
  ({ operands, params }) => {
    const op = reductionOf(params)
    return { op: operations[op], identity: identityOf(op, operands[0]!.dtype) }
  },
  (_, value) => value
)
export const scan: WgslRule = folding(
  ({ operands, params }) => {
    const op = scanOf(params)
    const kind = params["exclusive"] === true ? "Exclusive" : "Inclusive"
    return { op: op === "sum" ? `${kind}Add` : `${kind}Mul`, identity: identityOf(op, operands[0]!.dtype) }
  },
  ({ params }, value, identity) => (params["exclusive"] === true ? identity : value)
)

/** The lane that `lane` reads from. */
const source = (eqn: Eqn, lane: Expr, lanes: Expr): Expr => {
  switch (modeOf(eqn.params)) {
    case "index":
      return lanes
    case "xor":
      return integer("xor", lane, lanes)
    case "up":
      return integer("sub", lane, lanes)
    case "down":
      return integer("add", lane, lanes)
  }
}
const shuffleOne = (ctx: BlockContext, eqn: Eqn, element: Element, present: Expr, result: Var): void => {
  const [tile, lanes] = eqn.operands as [Atom, Atom]
  const value = orAbsent(ctx, present, E.zero(tile.dtype), () => ctx.same(tile, element))
  const lane = () => source(eqn, subgroupLane, ctx.same(lanes, element))
  const from = ctx.let("from", Shape.size(lanes.shape) === 1 ? lane() : orAbsent(ctx, present, zero, lane))
  const below = E.apply("lt", "u32", "bool", [
    { _tag: "Bitcast", from: "i32", to: "u32", of: from },
    { _tag: "Bitcast", from: "i32", to: "u32", of: subgroupSize }
  ])
  // The element of that lane stands as far from this one as the lanes are apart.
  const place = integer("add", integer("sub", element.linear(), subgroupLane), from)
  const exists = ctx.let("exists", E.is(present, 1) ? below : E.all([below, E.inside(place, Shape.size(tile.shape))]))
  const moved = together(ctx, "Shuffle", [value, E.select(exists, from, subgroupLane)], tile.dtype)
  guarded(ctx, present, () => ctx.result(result, element, E.select(exists, moved, E.zero(tile.dtype))))
}
export const shuffle: WgslRule = {
  _tag: "Block",
  owned: true,
  access: () => "same",
  emit: (ctx, eqn) => {
    const [tile, lanes] = eqn.operands as [Atom, Atom]
    const result = eqn.results[0]!
    if (!ctx.isSplat(result))
      return ctx.together(tile.shape, (element, present) => shuffleOne(ctx, eqn, element, present, result))
    const isItself = E.apply("eq", "i32", "bool", [source(eqn, zero, only(ctx, lanes)), zero])
    ctx.bind(result, E.select(isItself, only(ctx, tile), E.zero(tile.dtype)))
  }
}

export const ballot: WgslRule = {
  _tag: "Block",
  owned: false,
  access: () => "same",
  emit: (ctx, eqn) => {
    const operand = eqn.operands[0]!
    const result = eqn.results[0]!
    ctx.together(operand.shape, (element, present) => {
      const value = orAbsent(ctx, present, E.constant("bool", 0), () => ctx.same(operand, element))
      const names = [0, 1, 2, 3].map(() => ctx.name("word"))
      ctx.emit({ _tag: "Subgroup", names, op: "Ballot", values: [value], dtype: "bool" })
      guarded(ctx, present, () =>
        names.forEach((name, k) => ctx.result(result, [...element.coords(), E.integer(k)], E.local("u32", name)))
      )
    })
  }
}
