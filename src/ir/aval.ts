/** Types of values. */
import type * as DType from "../DType.ts"
import type { Shape } from "../Shape.ts"

/** Type of a value. */
export interface Aval {
  readonly dtype: DType.Name
  readonly shape: Shape
}
