/** Views of an equation's refs: their cells, and the pure operations through them on what the refs hold. */
import type { ArrayValue } from "../ir/array.ts"
import type { EvalContext } from "../ir/primitive.ts"
import type { Aval, Eqn, Param, Params, RefUse, Var } from "../ir/program.ts"
import type { Cells } from "../ir/simulate.ts"
import { viewAval } from "../ir/view.ts"
import { slotsOf } from "../ir/viewText.ts"
import { primitive } from "../primitives/index.ts"
import { stepOf } from "../primitives/structural/access.ts"
import { outside, type Outside } from "../primitives/structural/outside.ts"
import * as Shape from "../Shape.ts"
import type { Memory } from "./memory.ts"

export { outOfBounds, padding } from "../primitives/structural/outside.ts"
/** Stands for the cell of an element that is not asked for. */
export const masked = -3

/** What is worked out once per ref of an equation. */
export interface Reach {
  readonly use: RefUse
  readonly shown: Aval
  readonly size: number
  readonly outside: Outside
  /** Positions in the equation's indices that the view names. */
  readonly slots: ReadonlyArray<number>
}
const reaches = new WeakMap<Eqn, Map<number, Reach>>()
export const reachOf = (eqn: Eqn, ref: number, on: Aval): Reach => {
  let of = reaches.get(eqn)
  if (of === undefined) reaches.set(eqn, (of = new Map()))
  let reach = of.get(ref)
  if (reach === undefined) {
    const use = eqn.refs[ref]!
    const shown = viewAval(use.view, on, eqn.indices)
    const size = Shape.size(shown.shape)
    reach = { use, shown, size, outside: outside(use.view, on, eqn.indices), slots: slotsOf([use.view]) }
    of.set(ref, reach)
  }
  return reach
}

/** The cells that a view shows now, where a mask holds. */
export const cellsOf = (reach: Reach, indices: ReadonlyArray<ArrayValue>, mask: ArrayValue | undefined): Cells => {
  const cells = reach.outside.cells(indices, new Int32Array(reach.size))
  if (mask === undefined) return cells
  const by = stepOf(mask)
  for (let e = 0; e < cells.length; e++) if (mask.data[e * by] === 0) cells[e] = masked
  return cells
}

const variable = ({ dtype, shape }: Aval): Var => ({ _tag: "Var", id: -1, dtype, shape })
const made = new WeakMap<Eqn, Map<string, Eqn>>()
/** The equation of a pure operation through the view of a ref. */
const through = (eqn: Eqn, ref: number, name: string, params: Params, operands: ReadonlyArray<ArrayValue>): Eqn => {
  let of = made.get(eqn)
  if (of === undefined) made.set(eqn, (of = new Map()))
  const key = `${ref} ${name} ${operands.length}`
  const known = of.get(key)
  if (known !== undefined) return known
  const draft = {
    params: { ...params, view: eqn.refs[ref]!.view as unknown as Param },
    operands: operands.map(variable),
    indices: eqn.indices,
    refs: [],
    regions: []
  }
  const record = primitive(name)!
  const scope = { ref: never, rank: Infinity, inline: never }
  const results = record.typing(draft, scope).map(variable)
  const pure: Eqn = { ...draft, primitive: name, results, effects: [], source: eqn.source }
  of.set(key, pure)
  return pure
}
const never = (): never => {
  throw new Error("an operation on arrays looks at no ref")
}

/** Does a pure operation to what a ref holds, in place where it changes it; gives all its results. */
export const apply = (
  ctx: EvalContext,
  eqn: Eqn,
  ref: number,
  name: string,
  params: Params,
  memory: Memory,
  operands: ReadonlyArray<ArrayValue>
): ReadonlyArray<ArrayValue> => {
  const all = [memory.value, ...operands]
  const pure = through(eqn, ref, name, params, all)
  return primitive(name)!.evaluate!(ctx, pure, all)
}
/** The value, with storage of its own where it has the memory's. */
export const apart = (value: ArrayValue, memory: Memory): ArrayValue =>
  value.data.buffer === memory.value.data.buffer ? { ...value, data: value.data.slice() } : value
/** Takes over what an operation made of the memory's value. */
export const keep = (memory: Memory, after: ArrayValue): void => {
  if (after.data !== memory.value.data) memory.value.data.set(after.data)
}
