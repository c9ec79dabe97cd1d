/** Trust in what is read and written through views, and races between program instances. */
import * as DType from "../../DType.ts"
import type { ArrayValue } from "../../ir/array.ts"
import type { EvalContext } from "../../ir/primitive.ts"
import type { Aval, Eqn } from "../../ir/program.ts"
import type { View } from "../../ir/view.ts"
import { viewGet } from "../../primitives/memory.ts"
import type * as Shape from "../../Shape.ts"
import { keptTrust } from "./floats.ts"
import { type Access, touch, succeed } from "./races.ts"
import {
  anything,
  best,
  exact,
  isNormal,
  isTrusted,
  note,
  recast,
  type Trust,
  trustAt,
  trustOf,
  word
} from "./trust.ts"

/** Which accesses are in order, and what else the run is told. */
export interface Watch {
  /** Number of the program instance that runs. */
  readonly instance: (ctx: EvalContext) => number
  readonly race: () => void
}

const readings = new WeakMap<Eqn, Eqn>()
/** A read of the elements' numbers through the view of the equation. */
const reading = (eqn: Eqn, shape: Shape.Shape): Eqn => {
  const known = readings.get(eqn)
  if (known !== undefined) return known
  const view = (eqn.params["view"] as unknown as View).filter((t) => t._tag !== "Bitcast")
  const array: Aval = { dtype: "i32", shape: eqn.operands[0]!.shape }
  const made: Eqn = {
    ...eqn,
    primitive: "viewGet",
    params: { view: view as never },
    operands: [{ _tag: "Var", id: -1, ...array }],
    results: [{ _tag: "Var", id: -2, dtype: "i32", shape }]
  }
  readings.set(eqn, made)
  return made
}
/** For each element of the view the element of the array, -1 where there is none. */
export const cellsOf = (ctx: EvalContext, eqn: Eqn, array: ArrayValue, shape: Shape.Shape): Int32Array => {
  const numbers = { dtype: "i32" as const, shape: array.shape, data: Int32Array.from(array.data, (_, k) => k + 1) }
  const alone: EvalContext = { ...ctx, mayReuse: () => false }
  const [cells] = viewGet.evaluate!(alone, reading(eqn, shape), [numbers])
  return Int32Array.from(cells!.data, (n) => n - 1)
}
export const at = (value: ArrayValue, e: number): number => (value.shape.length === 0 ? 0 : e)
export const holds = (mask: ArrayValue | undefined, e: number): boolean =>
  mask === undefined || mask.data[at(mask, e)] !== 0
export const isMaskTrusted = (ctx: EvalContext, eqn: Eqn, mask: ArrayValue | undefined): boolean =>
  (mask === undefined || isTrusted(trustOf(mask))) && eqn.indices.every((atom) => isTrusted(trustOf(ctx.value(atom))))

const all = (value: ArrayValue, trust: number): Trust => new Float64Array(value.data.length).fill(trust)

/** The cells that an access touches, element by element of its view. */
function* touched(cells: Int32Array, mask: ArrayValue | undefined): Generator<number> {
  for (let e = 0; e < cells.length; e++) if (cells[e]! >= 0 && holds(mask, e)) yield cells[e]!
}

export const getTrust = (
  watch: Watch,
  ctx: EvalContext,
  eqn: Eqn,
  operands: ReadonlyArray<ArrayValue>,
  result: ArrayValue,
  shown: Aval
): ArrayValue => {
  const [array, mask, other] = operands as [ArrayValue, ArrayValue | undefined, ArrayValue | undefined]
  const cells = cellsOf(ctx, eqn, array, result.shape)
  if (!touch(array.data, touched(cells, mask), watch.instance(ctx), "read")) watch.race()
  if (!isMaskTrusted(ctx, eqn, mask)) return note({ ...result, data: result.data.slice() }, all(result, anything))
  const trust = trustOf(array)
  const otherTrust = other === undefined ? undefined : trustOf(other)
  // A whole load gives the very storage of the ref; what is done to the tile is not done to the ref.
  if (trust === undefined && otherTrust === undefined) return { ...result, data: result.data.slice() }
  const of = (cell: number, e: number): number => {
    if (!holds(mask, e)) return trustAt(otherTrust, at(other!, e))
    return cell < 0 ? word : recast(trustAt(trust, cell), array.dtype, shown.dtype, array.data[cell]!)
  }
  return note({ ...result, data: result.data.slice() }, Float64Array.from(cells, of))
}

interface Writing {
  readonly mask: ArrayValue | undefined
  readonly shown: Aval
  readonly access: Access
}
/** A write through a view: `store` says what becomes of the trust in a cell. */
export const write = (
  watch: Watch,
  ctx: EvalContext,
  eqn: Eqn,
  operands: ReadonlyArray<ArrayValue>,
  result: ArrayValue,
  { access, mask, shown }: Writing,
  store: (trust: Trust, cell: number, e: number, times: number) => void
): ArrayValue => {
  const array = operands[0]!
  // A whole store gives the very storage of the value, which may be another ref's, too.
  const after = { ...result, data: result.data.slice() }
  const cells = cellsOf(ctx, eqn, array, shown.shape)
  succeed(array.data, after.data)
  if (!touch(after.data, touched(cells, mask), watch.instance(ctx), access)) watch.race()
  if (!isMaskTrusted(ctx, eqn, mask)) return note(after, all(after, anything))
  const before = trustOf(array)
  const trust = Float64Array.from(array.data, (_, k) => trustAt(before, k))
  const times = new Int32Array(array.data.length)
  cells.forEach((cell, e) => {
    if (cell >= 0 && holds(mask, e)) store(trust, cell, e, times[cell]!++)
  })
  return note(after, trust)
}

/** The last of duplicates wins here, any of them on a device. */
export const putTrust = (
  watch: Watch,
  ctx: EvalContext,
  eqn: Eqn,
  operands: ReadonlyArray<ArrayValue>,
  result: ArrayValue,
  shown: Aval
): ArrayValue => {
  const [array, value] = operands as [ArrayValue, ArrayValue]
  const trusts = trustOf(value)
  const options = { mask: operands[2], shown, access: "write" } as const
  return write(watch, ctx, eqn, operands, result, options, (trust, cell, e, times) => {
    const x = value.data[at(value, e)]!
    const own = recast(trustAt(trusts, at(value, e)), shown.dtype, array.dtype, x)
    trust[cell] = times > 0 ? anything : array.dtype === "bf16" ? keptTrust(own, x) : own
  })
}

/** Terms and sums of which some thousand are exact in any order. */
const ranges: {
  readonly [N in DType.Float | "bf16"]: { readonly quantum: number; readonly term: number; readonly sum: number }
} = {
  f32: { quantum: 1 / 16, term: 256, sum: 2 ** 18 },
  f16: { quantum: 1, term: 8, sum: 1024 },
  bf16: { quantum: 1, term: 8, sum: 64 }
}
const isPlain = (dtype: keyof typeof ranges, term: number, sums: ReadonlyArray<number>): boolean => {
  const { quantum, sum, term: most } = ranges[dtype]
  const isMultiple = (x: number): boolean => Number.isInteger(x / quantum)
  return Math.abs(term) <= most && isMultiple(term) && sums.every((x) => Math.abs(x) <= sum && isMultiple(x))
}
export const addTrust = (
  watch: Watch,
  ctx: EvalContext,
  eqn: Eqn,
  operands: ReadonlyArray<ArrayValue>,
  result: ArrayValue,
  shown: Aval,
  access: Access
): ArrayValue => {
  const [array, value] = operands as [ArrayValue, ArrayValue]
  const trusts = trustOf(value)
  const { dtype } = shown
  return write(watch, ctx, eqn, operands, result, { mask: operands[2], shown, access }, (trust, cell, e) => {
    const term = value.data[at(value, e)]!
    const before = recast(trust[cell]!, array.dtype, dtype, array.data[cell]!)
    if (Math.max(before, trustAt(trusts, at(value, e))) > exact) trust[cell] = anything
    else if (!DType.isFloat(dtype) && dtype !== "bf16") trust[cell] = word
    else if (array.dtype !== dtype) trust[cell] = anything
    else
      trust[cell] =
        isPlain(dtype, term, [array.data[cell]!, result.data[cell]!]) && isNormal(DType.widened(dtype), term)
          ? best(DType.widened(dtype))
          : anything
  })
}
