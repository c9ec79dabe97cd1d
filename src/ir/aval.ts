/** Types of values. */
import type * as DType from "../DType.ts"
import * as Shape from "../Shape.ts"

/** Type of a value. */
export interface Aval {
  readonly dtype: DType.Name
  readonly shape: Shape.Shape
}

export const sameType = (a: Aval, b: Aval): boolean => a.dtype === b.dtype && Shape.equals(a.shape, b.shape)
/** `f32[2, 3]`, as messages print it. */
export const showType = (a: Aval): string => `${a.dtype}${Shape.show(a.shape)}`
