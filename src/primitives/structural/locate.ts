/** Where the elements of a view lie in the ref: by stepping if the view is a box, else by `address` for each element. */
import type { ArrayValue } from "../../ir/array.ts"
import type { Aval } from "../../ir/program.ts"
import * as Shape from "../../Shape.ts"
import { address, type Indices, linearise, type View, viewAval } from "../../ir/view.ts"
import { type Visit, visitBox } from "./box.ts"
import { type Thunk, thunks } from "./numbers.ts"

/** Visits the elements that lie in the ref, in row-major order of the view. */
export type Locate = (indices: ReadonlyArray<ArrayValue>, visit: Visit) => void

/** The general case: the address is worked out once, over functions of the current coordinates. */
export const locateByAddress = (view: View, on: Aval, indices: ReadonlyArray<Aval>): Locate => {
  const { shape } = viewAval(view, on, indices)
  const at = new Array<number>(shape.length).fill(0)
  let values: ReadonlyArray<ArrayValue> = []
  const ix: Indices<Thunk> = {
    scalar: (k) => () => values[k]!.data[0]!,
    element: (k, coords) => {
      const position = linearise(thunks, indices[k]!.shape, coords)
      return () => values[k]!.data[position()]!
    },
    rank: (k) => indices[k]!.shape.length
  }
  const { coords, guards } = address(
    thunks,
    ix,
    view,
    on,
    indices,
    at.map((_, d) => () => at[d]!)
  )
  const position = linearise(thunks, on.shape, coords)
  const count = Shape.size(shape)
  return (now, visit) => {
    values = now
    for (let e = 0; e < count; e++) {
      Shape.coordinates(shape, e, at)
      const inside = guards.every(({ index, size }) => {
        const i = index()
        return i >= 0 && i < size
      })
      if (inside) visit(e, position(), 1, 1)
    }
  }
}

/** Boxes by stepping, the rest by address. */
export const locate = (view: View, on: Aval, indices: ReadonlyArray<Aval>): Locate => {
  let general: Locate | undefined
  let values: ReadonlyArray<ArrayValue> = []
  // A box has no index tiles.
  const ix: Indices<number> = {
    scalar: (k) => values[k]!.data[0]!,
    element: () => NaN,
    rank: (k) => indices[k]!.shape.length
  }
  return (now, visit) => {
    values = now
    if (visitBox(view, on, ix, visit)) return
    general ??= locateByAddress(view, on, indices)
    general(now, visit)
  }
}
