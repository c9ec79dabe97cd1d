/** Arithmetic of the lowered form on numbers: indices, bits of other dtypes, what memory keeps. */
import * as DType from "../../DType.ts"
import type { AtomicOp, IndexOp } from "../../ir/lowered.ts"
import { primitive } from "../../primitives/index.ts"

type Unary = (x: number) => number
type Binary = (a: number, b: number) => number
const same: Unary = (x) => x

export const indexOps: { readonly [K in IndexOp]: Binary } = {
  add: (a, b) => (a + b) | 0,
  mul: (a, b) => Math.imul(a, b),
  // Dividends are at least 0, or the lowering is wrong.
  div: (a, b) => (a < 0 ? NaN : Math.floor(a / b)),
  mod: (a, b) => (a < 0 ? NaN : a % b),
  floorDiv: (a, b) => Math.floor(a / b),
  floorMod: (a, b) => ((a % b) + b) % b
}

/** A value as memory of that dtype keeps it. */
export const kept = (dtype: DType.Name): Unary => (DType.isStorage(dtype) ? DType.round(dtype) : same)

const word = new DataView(new ArrayBuffer(4))
/** The same bits as another dtype. */
export const recast = (from: DType.Name, to: DType.Name): Unary => {
  if (from === to) return same
  const keep = kept(to)
  const wide = DType.widened(to)
  const isFloat = DType.isFloat(DType.widened(from))
  return (x) => {
    if (isFloat) word.setFloat32(0, x)
    else word.setUint32(0, x >>> 0)
    return keep(wide === "i32" ? word.getInt32(0) : wide === "u32" ? word.getUint32(0) : word.getFloat32(0))
  }
}

/** A primitive of two scalars, rounded to the dtype. */
export const rounded = (name: string, dtype: DType.Name): Binary => {
  const f = primitive(name)!.elementwise!.scalar(DType.widened(dtype), {})
  const round = DType.round(dtype)
  return (a, b) => round(f(a, b))
}
/** What an atomic step leaves, from what was there and its values. */
export const stepOf = (op: AtomicOp, dtype: DType.Name): ((before: number, a: number, b: number) => number) => {
  if (op === "exchange") return (_, a) => a
  if (op === "compareExchange") return (before, a, b) => (before === a ? b : before)
  return rounded(op, dtype)
}
