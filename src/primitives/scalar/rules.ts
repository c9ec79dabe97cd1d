/** How WGSL texts and scalar functions of records are written; every text is a primary expression, and so is each argument. */
import * as DType from "../../DType.ts"
import type { Elementwise, WgslRule } from "../../ir/primitive.ts"

type Text = (WgslRule & { readonly _tag: "Elementwise" })["text"]
type Scalar = (...args: ReadonlyArray<number>) => number

export const call =
  (name: string): Text =>
  (args) =>
    `${name}(${args.join(", ")})`
export const infix =
  (operator: string): Text =>
  ([a, b]) =>
    `(${a} ${operator} ${b})`
/** One rule for floats, another for the other dtypes. */
export const byKind =
  (float: Text, other: Text): Text =>
  (args, dtype, params) =>
    (DType.isFloat(dtype) ? float : other)(args, dtype, params)

/** A scalar function that does not look at the dtype. */
export const always =
  (f: Scalar): Elementwise["scalar"] =>
  () =>
    f
/** Scalar functions of floats and of integers. */
export const floatOrInteger =
  (float: Scalar, integer: Scalar): Elementwise["scalar"] =>
  (dtype) =>
    DType.isFloat(dtype) ? float : integer
