/** Shapes and evaluation of the matrix product. */
import * as DType from "../../DType.ts"
import { storage, type Data } from "../../ir/array.ts"
import type { Accuracy, EvalRule } from "../../ir/primitive.ts"
import type { Aval, Eqn, Params } from "../../ir/program.ts"
import { TypingError } from "../../ir/typing.ts"
import * as Shape from "../../Shape.ts"
import * as P from "./params.ts"

/** Dtype of the product's elements. */
const accumulator = (dtype: DType.Name): DType.Name => (dtype === "f16" ? "f32" : dtype)

/** The last two sizes, as rows and columns of the matrix that takes part. */
const matrix = (a: Aval, transposed: boolean): readonly [number, number] => {
  const [rows, columns] = a.shape.slice(-2) as [number, number]
  return transposed ? [columns, rows] : [rows, columns]
}

export const dotResult = ([a, b]: ReadonlyArray<Aval>, params: Params): Aval => {
  if (a!.dtype !== b!.dtype) throw new TypingError(`operands are ${a!.dtype} and ${b!.dtype}`, "convert one of them")
  if (a!.dtype === "bool") throw new TypingError("operands are bool", "convert them to i32")
  const rank = a!.shape.length
  if (rank < 2 || b!.shape.length !== rank)
    throw new TypingError(`operands have ranks ${rank} and ${b!.shape.length}`, "give two of equal rank, at least 2")
  const batch = a!.shape.slice(0, -2)
  if (!Shape.equals(batch, b!.shape.slice(0, -2)))
    throw new TypingError(`batch axes differ: ${Shape.show(a!.shape)} and ${Shape.show(b!.shape)}`, "broadcast them")
  const [m, k] = matrix(a!, P.flag(params, "transposeA"))
  const [k2, n] = matrix(b!, P.flag(params, "transposeB"))
  if (k !== k2)
    throw new TypingError(
      `cannot multiply ${m}×${k} by ${k2}×${n}`,
      "the columns of the first must be as many as the rows of the second"
    )
  return P.result(accumulator(a!.dtype), [...batch, m, n])
}

/** `acc + a·b`, both steps rounded. */
const step = (dtype: DType.Name): ((acc: number, a: number, b: number) => number) =>
  dtype === "i32"
    ? (acc, a, b) => (acc + Math.imul(a, b)) | 0
    : dtype === "u32"
      ? (acc, a, b) => (acc + (Math.imul(a, b) >>> 0)) >>> 0
      : (acc, a, b) => Math.fround(acc + Math.fround(a * b))

/** Sizes of the product of `a` and `b`: m × k by k × n. */
export const sizesOf = ({ params }: Eqn, a: Aval, b: Aval) => {
  const transposeA = P.flag(params, "transposeA")
  const transposeB = P.flag(params, "transposeB")
  const [m, k] = matrix(a, transposeA)
  return { m, k, n: matrix(b, transposeB)[1], transposeA, transposeB }
}

/** A matrix in storage: where its element (0, 0) is, and how far rows and columns are apart. */
export interface Placed {
  readonly data: Data
  readonly base: number
  readonly row: number
  readonly column: number
}
export const place = (data: Data, batch: number, rows: number, columns: number, transposed: boolean): Placed => ({
  data,
  base: batch * rows * columns,
  row: transposed ? 1 : columns,
  column: transposed ? rows : 1
})

/** One element of the product: the sum over k, in order, from 0. */
const element = (a: Placed, b: Placed, i: number, j: number, k: number, f: ReturnType<typeof step>): number => {
  let acc = 0
  for (let l = 0, at = a.base + i * a.row, bt = b.base + j * b.column; l < k; l++, at += a.column, bt += b.row)
    acc = f(acc, a.data[at]!, b.data[bt]!)
  return acc
}

export const dotEvaluate: EvalRule = (_, eqn, [a, b]) => {
  const { k, m, n, transposeA, transposeB } = sizesOf(eqn, a!, b!)
  const { dtype, shape } = eqn.results[0]!
  const data = storage(dtype, Shape.size(shape))
  const f = step(dtype)
  for (let batch = 0, to = 0; to < data.length; batch++) {
    const left = place(a!.data, batch, m, k, transposeA)
    const right = place(b!.data, batch, k, n, transposeB)
    for (let i = 0; i < m; i++) for (let j = 0; j < n; j++) data[to++] = element(left, right, i, j, k, f)
  }
  return [{ dtype, shape, data }]
}

/** `args` are the pairs that are multiplied, one after the other: k multiplications and additions in any order, or fused. */
export const dotAccuracy: Accuracy = {
  _tag: "Bounded",
  spec: "k multiplications and additions in any order: (k + 1) ulp of the sum of the products' magnitudes",
  bound: (args, _, dtype = "f32") => {
    if (DType.isInteger(dtype)) return 0
    let magnitude = 0
    for (let l = 0; l + 1 < args.length; l += 2) magnitude += Math.abs(args[l]! * args[l + 1]!)
    return (args.length / 2 + 1) * 2 ** -23 * magnitude
  }
}
