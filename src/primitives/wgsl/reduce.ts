/** WGSL of the reductions and of the cumulative primitives. */
import * as DType from "../../DType.ts"
import * as E from "../../ir/expr.ts"
import { type Expr, typeOf } from "../../ir/lowered.ts"
import type { BlockContext, WgslRule } from "../../ir/primitive.ts"
import type { Eqn } from "../../ir/program.ts"
import * as View from "../../ir/view.ts"
import * as Shape from "../../Shape.ts"
import { type Fold, reduction, sharing, type State, toResult } from "./fold.ts"

const least: { readonly [N in DType.Compute]: number } = {
  f32: -Infinity,
  f16: -Infinity,
  i32: -2147483648,
  u32: 0,
  bool: 0
}
const greatest: { readonly [N in DType.Compute]: number } = {
  f32: Infinity,
  f16: Infinity,
  i32: 2147483647,
  u32: 4294967295,
  bool: 1
}
const always = (value: number) => (): number => value

const monoid =
  (primitive: string, identity: (dtype: DType.Name) => number) =>
  (dtype: DType.Name): Fold => {
    const merge = ([a]: State, [b]: State): State => [E.apply(primitive, dtype, dtype, [a!, b!])]
    return { dtypes: [dtype], empty: [E.constant(typeOf(dtype), identity(dtype))], step: merge, merge }
  }

const test = (primitive: string, dtype: DType.Name, ...args: ReadonlyArray<Expr>): Expr =>
  E.apply(primitive, dtype, "bool", args)
const either = (...of: ReadonlyArray<Expr>): Expr => of.reduce((a, b) => test("or", "bool", a, b))
const both = (a: Expr, b: Expr): Expr => test("and", "bool", a, b)

/** The extreme value and where it stands; −1 stands for none yet. NaN is more extreme than any number. */
const extreme =
  (better: "gt" | "lt") =>
  (dtype: DType.Name): Fold => {
    const float = DType.isFloat(dtype)
    const nan = (x: Expr): Expr => (float ? test("isNaN", dtype, x) : E.constant("bool", 0))
    const above = (a: Expr, b: Expr): Expr =>
      float ? either(test(better, dtype, b, a), both(nan(b), test("not", "bool", nan(a)))) : test(better, dtype, b, a)
    const equal = (a: Expr, b: Expr): Expr =>
      float ? either(test("eq", dtype, a, b), both(nan(a), nan(b))) : test("eq", dtype, a, b)
    const choose = (condition: Expr, [a, i]: State, [b, j]: State): State => [
      E.select(condition, b!, a!),
      E.select(condition, j!, i!)
    ]
    const none = (i: Expr): Expr => test("lt", "i32", i, E.integer(0))
    return {
      dtypes: [dtype, "i32"],
      empty: [E.zero(dtype), E.integer(-1)],
      step: (a, b, name) => choose(name(either(none(a[1]!), above(a[0]!, b[0]!))), a, b),
      merge: (a, b, name) => {
        const wins = either(
          none(a[1]!),
          above(a[0]!, b[0]!),
          both(equal(a[0]!, b[0]!), test("lt", "i32", b[1]!, a[1]!))
        )
        return choose(name(both(test("ge", "i32", b[1]!, E.integer(0)), wins)), a, b)
      }
    }
  }

const axesOf = (eqn: Eqn): ReadonlyArray<number> => eqn.params.axes as ReadonlyArray<number>
/** Coordinates in the operand of element `k` of the reduced axes. */
const operandCoords = (ctx: BlockContext, eqn: Eqn, outer: ReadonlyArray<Expr>, k: Expr): ReadonlyArray<Expr> => {
  const axes = axesOf(eqn)
  const shape = eqn.operands[0]!.shape
  const inner = View.delinearise(
    ctx.algebra,
    axes.map((a) => shape[a]!),
    k
  )
  const kept = eqn.params.keepDims === true ? outer.filter((_, d) => !axes.includes(d)) : outer
  let next = 0
  return shape.map((_, d) => (axes.includes(d) ? inner[axes.indexOf(d)]! : kept[next++]!))
}
const counts = (eqn: Eqn): { readonly results: number; readonly count: number } => ({
  results: Shape.size(eqn.results[0]!.shape),
  count: axesOf(eqn).reduce((n, a) => n * eqn.operands[0]!.shape[a]!, 1)
})
/** All elements go into one result, each folded where it stands. */
const wholly = (eqn: Eqn, workgroupSize: number): boolean => {
  const { count, results } = counts(eqn)
  return results === 1 && sharing(results, count, workgroupSize) > 1
}

const reduce = (
  fold: (dtype: DType.Name) => Fold,
  item: (x: Expr, k: Expr) => State,
  finish: (state: State) => Expr
): WgslRule => ({
  _tag: "Block",
  owned: true,
  access: (eqn, _, workgroupSize) => (wholly(eqn, workgroupSize) ? "same" : "any"),
  emit: (ctx, eqn) => {
    const operand = eqn.operands[0]!
    reduction(ctx, {
      fold: fold(operand.dtype),
      into: toResult(ctx, eqn.results[0]!),
      outer: eqn.results[0]!.shape,
      count: counts(eqn).count,
      item: (outer, k) => item(ctx.at(operand, operandCoords(ctx, eqn, outer, k)), k),
      ...(wholly(eqn, ctx.workgroupSize)
        ? { elements: { shape: operand.shape, item: (element) => item(ctx.same(operand, element), element.linear()) } }
        : {}),
      finish
    })
  }
})
const folded = (primitive: string, identity: (dtype: DType.Name) => number): WgslRule =>
  reduce(
    monoid(primitive, identity),
    (x) => [x],
    ([x]) => x!
  )
const positioned = (better: "gt" | "lt"): WgslRule =>
  reduce(
    extreme(better),
    (x, k) => [x, k],
    ([, k]) => k!
  )

export const reduceSum = folded("add", always(0))
export const reduceProd = folded("mul", always(1))
export const reduceMax = folded("max", (dtype) => least[DType.widened(dtype)])
export const reduceMin = folded("min", (dtype) => greatest[DType.widened(dtype)])
export const reduceAny = folded("or", always(0))
export const reduceAll = folded("and", always(1))
export const argmax = positioned("gt")
export const argmin = positioned("lt")

/** One invocation walks each line along the axis. */
const cumulative = (primitive: string, identity: (dtype: DType.Name) => number): WgslRule => ({
  _tag: "Block",
  owned: false,
  access: () => "any",
  emit: (ctx, eqn) => {
    const operand = eqn.operands[0]!
    const result = eqn.results[0]!
    const axis = eqn.params.axis as number
    const n = operand.shape[axis]!
    const { dtype } = operand
    if (ctx.isSplat(result))
      return ctx.bind(
        result,
        ctx.at(
          operand,
          operand.shape.map(() => E.integer(0))
        )
      )
    ctx.each(
      operand.shape.filter((_, d) => d !== axis),
      (line) => {
        const acc = ctx.name("acc")
        const state = E.local(typeOf(dtype), acc)
        ctx.emit({ _tag: "Var", name: acc, type: typeOf(dtype), value: E.constant(typeOf(dtype), identity(dtype)) })
        ctx.loop("k", E.integer(0), E.integer(n), (k) => {
          const at = eqn.params.reverse === true ? ctx.algebra.add(ctx.algebra.mul(k, -1), E.integer(n - 1)) : k
          const coords = [...line.coords().slice(0, axis), at, ...line.coords().slice(axis)]
          ctx.emit({
            _tag: "Assign",
            name: acc,
            value: E.apply(primitive, dtype, dtype, [state, ctx.at(operand, coords)])
          })
          ctx.result(result, coords, state)
        })
      }
    )
  }
})
export const cumsum = cumulative("add", always(0))
export const cummax = cumulative("max", (dtype) => least[DType.widened(dtype)])
