/** Reductions: which elements go together, and in what order they are combined. */
import * as DType from "../../DType.ts"
import { type ArrayValue, type Data, storage } from "../../ir/array.ts"
import type { Accuracy, EvalRule } from "../../ir/primitive.ts"
import type { Aval, Eqn, Params } from "../../ir/program.ts"
import { TypingError } from "../../ir/typing.ts"
import * as Shape from "../../Shape.ts"
import * as P from "./params.ts"
import { positions } from "./words.ts"

/** Shape of a reduction over `axes`. */
const reducedShape = (shape: Shape.Shape, axes: ReadonlyArray<number>, keepDims: boolean): Shape.Shape =>
  keepDims ? shape.map((n, d) => (axes.includes(d) ? 1 : n)) : shape.filter((_, d) => !axes.includes(d))

/** Typing of reductions; `empty` says whether a reduction of nothing has a value. */
export const reduceResult =
  (dtypes: ReadonlyArray<DType.Name>, empty: boolean, dtype?: DType.Name) =>
  ([a]: ReadonlyArray<Aval>, params: Params): Aval => {
    if (!dtypes.includes(a!.dtype))
      throw new TypingError(`operand is ${a!.dtype}`, `convert it to ${dtypes.join(" or ")}`)
    const axes = P.axes(params, "axes", a!.shape.length)
    if (axes.length === 0) throw new TypingError("reduces over no axis", "name at least one axis")
    if (!empty && axes.some((d) => a!.shape[d] === 0))
      throw new TypingError(`nothing to reduce: shape ${Shape.show(a!.shape)} over axes [${axes.join(", ")}]`)
    return P.result(dtype ?? a!.dtype, reducedShape(a!.shape, axes, P.flag(params, "keepDims")))
  }

/** Gives one element of the result: `at(l)` is element l, in row-major order of the reduced axes, of `count`. */
export type Combine = (data: Data, base: number, offsets: Int32Array) => number

/**
 * Where the elements are that make element i of the result: at `bases[i] + offsets[l]`, in row-major order of the reduced
 * axes.
 */
export const groupsOf = ({ params }: Eqn, { shape }: Aval) => {
  const axes = P.integers(params, "axes")
  const strides = Shape.strides(shape)
  const pick = (reduced: boolean) => {
    const kept = shape.map((_, d) => d).filter((d) => axes.includes(d) === reduced)
    return positions(
      kept.map((d) => shape[d]!),
      kept.map((d) => strides[d]!)
    )
  }
  return { bases: pick(false), offsets: pick(true) }
}

/** Evaluation by one function per element of the result. */
export const reduceEvaluate =
  (combine: (dtype: DType.Name) => Combine): EvalRule =>
  (_, eqn, [a]) => {
    const { bases, offsets } = groupsOf(eqn, a!)
    const { dtype, shape } = eqn.results[0]!
    const data = storage(dtype, Shape.size(shape))
    const f = combine(a!.dtype)
    for (let i = 0; i < data.length; i++) data[i] = f(a!.data, bases[i]!, offsets)
    return [{ dtype, shape, data }] satisfies ReadonlyArray<ArrayValue>
  }

/** Number of partial sums, as many as SIMD lanes can carry. */
const lanes = 16

/**
 * Sums and products: element l goes to partial l mod 16, in order; then the partials are combined as a balanced tree,
 * each step rounded to the element type.
 */
export const partials = (identity: number, step: (a: number, b: number) => number): Combine => {
  const partial = new Float64Array(lanes)
  return (data, base, offsets) => {
    partial.fill(identity)
    for (let l = 0; l < offsets.length; l++) partial[l % lanes] = step(partial[l % lanes]!, data[base + offsets[l]!]!)
    for (let width = lanes / 2; width >= 1; width /= 2)
      for (let i = 0; i < width; i++) partial[i] = step(partial[2 * i]!, partial[2 * i + 1]!)
    return partial[0]!
  }
}

/** `a + b` in the element type; an exact double sum rounded once is the sum in the type. */
export const addition = (dtype: DType.Name): ((a: number, b: number) => number) => {
  const round = DType.round(dtype)
  return (a, b) => round(a + b)
}
export const product = (dtype: DType.Name): ((a: number, b: number) => number) => {
  const round = DType.round(dtype)
  return DType.isInteger(dtype) ? (a, b) => round(Math.imul(a, b)) : (a, b) => round(a * b)
}

/** Folds all elements in order, from the first. */
export const folded =
  (step: (a: number, b: number) => number): Combine =>
  (data, base, offsets) => {
    let value = data[base + offsets[0]!]!
    for (let l = 1; l < offsets.length; l++) value = step(value, data[base + offsets[l]!]!)
    return value
  }

/** Place of the first NaN, else of the first element that is not beaten by a later one. */
export const first =
  (better: (a: number, b: number) => boolean): Combine =>
  (data, base, offsets) => {
    let best = 0
    for (let l = 0; l < offsets.length; l++) {
      const value = data[base + offsets[l]!]!
      if (Number.isNaN(value)) return l
      if (better(value, data[base + offsets[best]!]!)) best = l
    }
    return best
  }

/** Calls `visit` with each line along the axis that is scanned: its first element, the distance to the next, their number. */
export const alongAxis = (
  { params }: Eqn,
  { shape }: Aval,
  visit: (first: number, step: number, count: number) => void
): void => {
  const axis = P.integer(params, "axis")
  const count = shape[axis]!
  const inner = Shape.strides(shape)[axis]!
  const [from, by] = P.flag(params, "reverse") ? [count - 1, -1] : [0, 1]
  for (let base = 0, size = Shape.size(shape); base < size; base += count * inner)
    for (let i = 0; i < inner; i++) visit(base + i + from * inner, by * inner, count)
}

/** Inclusive scan along an axis. */
export const scan =
  (step: (dtype: DType.Name) => (a: number, b: number) => number): EvalRule =>
  (_, eqn, [a]) => {
    const { dtype, shape } = a!
    const f = step(dtype)
    const data = a!.data.slice()
    alongAxis(eqn, a!, (first, by, count) => {
      for (let k = 1, at = first + by; k < count; k++, at += by) data[at] = f(data[at - by]!, data[at]!)
    })
    return [{ dtype, shape, data }] satisfies ReadonlyArray<ArrayValue>
  }

export const scanResult = ([a]: ReadonlyArray<Aval>, params: Params): Aval => {
  if (a!.dtype === "bool") throw new TypingError("operand is bool", "convert it to i32")
  P.axis(params, "axis", a!.shape.length)
  P.flag(params, "reverse")
  return P.result(a!.dtype, a!.shape)
}

/** Relative error of one addition or multiplication as WGSL grants it: one unit in the last place; integers are exact. */
const ulp = (dtype: DType.Name = "f32"): number =>
  DType.isInteger(DType.widened(dtype)) ? 0 : dtype === "f16" ? 2 ** -10 : dtype === "bf16" ? 2 ** -7 : 2 ** -23
/** Any order of n−1 additions. */
export const sumAccuracy: Accuracy = {
  _tag: "Bounded",
  spec: "n - 1 additions in any order: (n - 1) ulp of the sum of magnitudes",
  bound: (args, _, dtype) => args.length * ulp(dtype) * args.reduce((sum, x) => sum + Math.abs(x), 0)
}
/** Any order of n−1 multiplications that neither overflow nor underflow. */
export const productAccuracy: Accuracy = {
  _tag: "Bounded",
  spec: "n - 1 multiplications in any order: (n - 1) ulp of the result",
  bound: (args, result, dtype) => args.length * ulp(dtype) * Math.abs(result)
}
