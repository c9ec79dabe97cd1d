/** Evaluation of reads and writes through views of arrays. */
import * as DType from "../../DType.ts"
import { type ArrayValue, type Data, storage } from "../../ir/array.ts"
import type { EvalContext, EvalRule } from "../../ir/primitive.ts"
import type { Eqn } from "../../ir/program.ts"
import { type View, viewAval } from "../../ir/view.ts"
import * as Shape from "../../Shape.ts"
import { type Locate, locate } from "./locate.ts"
import { type Words, words } from "./words.ts"

/** What is worked out once per equation. */
interface Plan {
  readonly locate: Locate
  readonly dtype: DType.Name
  readonly size: number
  /** The view shows the whole array as it is. */
  readonly whole: boolean
}
const plans = new WeakMap<Eqn, Plan>()
export const planOf = (eqn: Eqn): Plan => {
  const known = plans.get(eqn)
  if (known !== undefined) return known
  const view = eqn.params["view"] as unknown as View
  const { dtype, shape } = viewAval(view, eqn.operands[0]!, eqn.indices)
  const plan = {
    locate: locate(view, eqn.operands[0]!, eqn.indices),
    dtype,
    size: Shape.size(shape),
    whole: view.length === 0
  }
  plans.set(eqn, plan)
  return plan
}

/** Element `e` of a tile, or of a scalar that stretches, is at `e * stepOf`. */
export const stepOf = (tile: ArrayValue): 0 | 1 => (tile.shape.length === 0 ? 0 : 1)
/** Whether element `e` is wanted. */
export const wanted = (mask: ArrayValue | undefined): ((e: number) => boolean) => {
  if (mask === undefined) return () => true
  const { data } = mask
  const by = stepOf(mask)
  return (e) => data[e * by] !== 0
}
export const indicesOf = (ctx: Pick<EvalContext, "value">, eqn: Eqn): ReadonlyArray<ArrayValue> =>
  eqn.indices.map(ctx.value)

/** Rows shorter than this are copied element by element. */
const short = 16
const copyRow = (
  to: Words,
  at: number,
  toStep: number,
  from: Words,
  start: number,
  fromStep: number,
  count: number
): void => {
  if (count >= short && toStep === 1 && fromStep === 1) to.set(from.subarray(start, start + count), at)
  else for (let i = 0; i < count; i++) to[at + i * toStep] = from[start + i * fromStep]!
}

const fillUnwanted = (to: Words, other: ArrayValue, mask: ArrayValue): void => {
  const from = words(other.data)
  const by = stepOf(other)
  const isWanted = wanted(mask)
  for (let e = 0; e < to.length; e++) if (!isWanted(e)) to[e] = from[e * by]!
}

/** Elements become what memory of their dtype keeps of them, if that is less. */
const keep = (kept: DType.Kept | undefined, data: Words, at: number, step: number, count: number): void => {
  if (kept !== undefined) for (let i = 0; i < count; i++) data[at + i * step] = kept(data[at + i * step]!)
}

export const viewGetEvaluate: EvalRule = (ctx, eqn, [array, mask, other]) => {
  const { dtype, shape } = eqn.results[0]!
  const plan = planOf(eqn)
  if (plan.whole && mask === undefined) return [{ dtype, shape, data: array!.data }]
  const data = storage(dtype, plan.size)
  const to = words(data)
  const from = words(array!.data)
  if (mask !== undefined) fillUnwanted(to, other!, mask)
  const isWanted = wanted(mask)
  const kept = plan.dtype === array!.dtype ? undefined : DType.kept(plan.dtype)
  plan.locate(indicesOf(ctx, eqn), (element, position, count, step) => {
    if (mask === undefined) {
      copyRow(to, element, 1, from, position, step, count)
      return keep(kept, to, element, 1, count)
    }
    for (let i = 0; i < count; i++) {
      if (!isWanted(element + i)) continue
      to[element + i] = from[position + i * step]!
      keep(kept, to, element + i, 1, 1)
    }
  })
  return [{ dtype, shape, data }]
}

/** The array's storage, if nothing else will look at it, else a copy. */
export const owned = (ctx: EvalContext, array: ArrayValue): Data => (ctx.mayReuse(0) ? array.data : array.data.slice())

export const viewPutEvaluate: EvalRule = (ctx, eqn, [array, value, mask]) => {
  const { dtype, shape } = array!
  const plan = planOf(eqn)
  const by = stepOf(value!)
  const moves = plan.whole && mask === undefined && !DType.isStorage(dtype)
  if (moves && (by === 1 || plan.size === 1)) return [{ dtype, shape, data: value!.data }]
  const data = owned(ctx, array!)
  const to = words(data)
  const from = words(value!.data)
  const isWanted = wanted(mask)
  const kept = DType.kept(dtype)
  plan.locate(indicesOf(ctx, eqn), (element, position, count, step) => {
    if (mask === undefined) copyRow(to, position, step, from, element * by, by, count)
    else for (let i = 0; i < count; i++) if (isWanted(element + i)) to[position + i * step] = from[(element + i) * by]!
    keep(kept, to, position, step, count)
  })
  return [{ dtype, shape, data }]
}

/** Storage of one 32-bit type seen as another's; nothing is copied. */
export const seenAs = (data: Data, from: DType.Name, to: DType.Name): Data => {
  if (from === to) return data
  const at = [data.buffer, data.byteOffset, data.length] as const
  const wide = DType.widened(to)
  return wide === "f32" ? new Float32Array(...at) : wide === "i32" ? new Int32Array(...at) : new Uint32Array(...at)
}

export const viewAddEvaluate: EvalRule = (ctx, eqn, [array, value, mask]) => {
  const { dtype, shape } = array!
  const plan = planOf(eqn)
  const by = stepOf(value!)
  const data = owned(ctx, array!)
  const to = seenAs(data, dtype, plan.dtype)
  const from = value!.data
  const round = DType.round(DType.isStorage(dtype) ? dtype : plan.dtype)
  const isWanted = wanted(mask)
  plan.locate(indicesOf(ctx, eqn), (element, position, count, step) => {
    for (let i = 0; i < count; i++) {
      const at = position + i * step
      if (isWanted(element + i)) to[at] = round(to[at]! + from[(element + i) * by]!)
    }
  })
  return [{ dtype, shape, data }]
}
