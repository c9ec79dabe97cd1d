/**
 * Folding many elements into each element of a result.
 *
 * With many results each is folded by one invocation. With few, the invocations share the work: each folds every n-th
 * element, the partial states go through memory of the workgroup, and are folded in two steps.
 */
import * as E from "../../ir/expr.ts"
import { type Expr, type Memory, typeOf } from "../../ir/lowered.ts"
import type { BlockContext, Element } from "../../ir/primitive.ts"
import type { Var } from "../../ir/program.ts"
import * as View from "../../ir/view.ts"
import type * as DType from "../../DType.ts"
import * as Shape from "../../Shape.ts"

export type State = ReadonlyArray<Expr>
export interface Fold {
  readonly dtypes: ReadonlyArray<DType.Name>
  /** The state of nothing. */
  readonly empty: State
  /** Folds in an element that comes after all before it. */
  readonly step: Merge
  /** Folds two states of any elements. */
  readonly merge: Merge
}
/** `name` gives a name to what is used twice. */
export type Merge = (a: State, b: State, name: (value: Expr) => Expr) => State
/** Where the results go. */
export interface Target {
  /** Runs `body` for each result, in the invocations that produce it. */
  readonly each: (body: (element: Element) => void) => void
  readonly put: (element: Element, value: Expr) => void
}
export interface Reduction {
  readonly fold: Fold
  readonly into: Target
  /** Shape over which `item` gives coordinates. */
  readonly outer: Shape.Shape
  readonly count: number
  readonly item: (outer: ReadonlyArray<Expr>, k: Expr) => State
  /** The same items in the order of a tile's elements, where there is one result. */
  readonly elements?: { readonly shape: Shape.Shape; readonly item: (element: Element) => State }
  readonly finish: (state: State) => Expr
}

/** Invocations per result: 1, or how many share the work. */
export const sharing = (results: number, count: number, workgroupSize: number): number => {
  if (results === 0 || results * 2 > workgroupSize || count <= 4) return 1
  let lanes = 1
  while (lanes * 2 * results <= workgroupSize && lanes < count) lanes *= 2
  return lanes
}

const variables = (ctx: BlockContext, fold: Fold): State =>
  fold.empty.map((value, k) => {
    const type = typeOf(fold.dtypes[k]!)
    const name = ctx.name("acc")
    ctx.emit({ _tag: "Var", name, type, value })
    return E.local(type, name)
  })
const assign = (ctx: BlockContext, state: State, to: State): void => {
  const named = to.length === 1 ? to : to.map((value) => ctx.let("next", value))
  state.forEach((s, k) => {
    if (s._tag === "Local") ctx.emit({ _tag: "Assign", name: s.name, value: named[k]! })
  })
}
const naming =
  (ctx: BlockContext) =>
  (value: Expr): Expr =>
    ctx.let("c", value)
const when = (ctx: BlockContext, condition: Expr, body: () => void): void =>
  E.is(condition, 1) ? body() : ctx.emit({ _tag: "If", condition, then: ctx.block(body), else: [] })

/** Folds items `first`, `first + stride`, …, as many as there are below `count`. */
const gather = (
  ctx: BlockContext,
  fold: Fold,
  range: { readonly first: Expr; readonly stride: number; readonly steps: number; readonly count: number },
  item: (k: Expr) => State,
  into: Merge
): State => {
  const state = variables(ctx, fold)
  ctx.loop("k", E.integer(0), E.integer(range.steps), (t) => {
    const k = ctx.algebra.add(ctx.algebra.mul(t, range.stride), range.first)
    when(ctx, ctx.inside(k, range.count), () => assign(ctx, state, into(state, item(k), naming(ctx))))
  })
  return state
}

/** The elements of a result; where it is one value, each invocation produces it. */
export const toResult = (ctx: BlockContext, result: Var): Target => {
  if (!ctx.isSplat(result))
    return { each: (body) => ctx.each(result.shape, body), put: (element, value) => ctx.result(result, element, value) }
  const zero = E.integer(0)
  const only = { shape: result.shape, coords: () => result.shape.map(() => zero), linear: () => zero }
  return { each: (body) => body({ ...only, slot: undefined, key: "0" }), put: (_, value) => ctx.bind(result, value) }
}
const serial = (ctx: BlockContext, r: Reduction): void =>
  r.into.each((element) => {
    const range = { first: E.integer(0), stride: 1, steps: r.count, count: r.count }
    const outer = element.coords()
    const state = gather(ctx, r.fold, range, (k) => r.item(outer, k), r.fold.step)
    r.into.put(element, r.finish(state))
  })

const keep = (ctx: BlockContext, memories: ReadonlyArray<Memory>, index: Expr, state: State): void =>
  memories.forEach((m, k) => ctx.emit({ _tag: "Store", memory: m.name, index, value: state[k]! }))
const recall = (ctx: BlockContext, memories: ReadonlyArray<Memory>, index: Expr): State =>
  memories.map((m) => ctx.let("part", E.load(m.name, index, m.dtype)))
const states = (ctx: BlockContext, fold: Fold, length: number): ReadonlyArray<Memory> =>
  fold.dtypes.map((dtype) => ctx.scratch(dtype, length))

/** Each invocation's partial states, `lanes` for each result. */
const partials = (ctx: BlockContext, r: Reduction, results: number, lanes: number): ReadonlyArray<Memory> => {
  const memories = states(ctx, r.fold, results * lanes)
  if (r.elements !== undefined) {
    const state = variables(ctx, r.fold)
    const { item, shape } = r.elements
    ctx.each(shape, (element) => assign(ctx, state, r.fold.step(state, item(element), naming(ctx))))
    ctx.each([lanes], (own) => keep(ctx, memories, own.linear(), state))
    return memories
  }
  ctx.each([results, lanes], (element) => {
    const [result, first] = element.coords() as [Expr, Expr]
    const range = { first, stride: lanes, steps: Math.ceil(r.count / lanes), count: r.count }
    const outer = View.delinearise(ctx.algebra, r.outer, result)
    keep(
      ctx,
      memories,
      element.linear(),
      gather(ctx, r.fold, range, (k) => r.item(outer, k), r.fold.step)
    )
  })
  return memories
}
/** Folds `lanes` states per result to one for every eight of them. */
const narrow = (ctx: BlockContext, fold: Fold, from: ReadonlyArray<Memory>, results: number, lanes: number) => {
  const memories = states(ctx, fold, (results * lanes) / 8)
  ctx.each([results, lanes / 8], (element) => {
    const base = ctx.share(ctx.algebra.mul(element.linear(), 8))
    const range = { first: E.integer(0), stride: 1, steps: 8, count: 8 }
    const item = (k: Expr) => recall(ctx, from, ctx.algebra.add(base, k))
    keep(ctx, memories, element.linear(), gather(ctx, fold, range, item, fold.merge))
  })
  return memories
}
const shared = (ctx: BlockContext, r: Reduction, lanes: number): void => {
  const results = Shape.size(r.outer)
  let from = partials(ctx, r, results, lanes)
  let left = lanes
  if (left > 8) {
    from = narrow(ctx, r.fold, from, results, left)
    left /= 8
  }
  r.into.each((element) => {
    const base = ctx.algebra.mul(element.linear(), left)
    const range = { first: E.integer(0), stride: 1, steps: left, count: left }
    const item = (k: Expr) => recall(ctx, from, ctx.algebra.add(base, k))
    r.into.put(element, r.finish(gather(ctx, r.fold, range, item, r.fold.merge)))
  })
}

export const reduction = (ctx: BlockContext, r: Reduction): void => {
  const lanes = sharing(Shape.size(r.outer), r.count, ctx.workgroupSize)
  if (lanes === 1) serial(ctx, r)
  else shared(ctx, r, lanes)
}
