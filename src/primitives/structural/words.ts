/** Moves of elements: as stored words, so that no bit of a NaN changes on the way. */
import { type ArrayValue, type Data, storage } from "../../ir/array.ts"
import type { Aval } from "../../ir/program.ts"
import * as Shape from "../../Shape.ts"

export type Words = Int32Array | Uint32Array | Uint8Array
/** The storage as words: engines may change a NaN that passes through a number. */
export const words = (data: Data): Words =>
  data instanceof Float32Array ? new Uint32Array(data.buffer, data.byteOffset, data.length) : data

/** A value of type `aval` whose elements are those of `from` at `offset + Σ coordinate · stride`. */
export const strided = (from: ArrayValue, aval: Aval, offset: number, strides: ReadonlyArray<number>): ArrayValue => {
  const data = storage(aval.dtype, Shape.size(aval.shape))
  const source = words(from.data)
  const target = words(data)
  walk(aval.shape, strides, offset, (position, index) => {
    target[index] = source[position]!
  })
  return { dtype: aval.dtype, shape: aval.shape, data }
}

/** Calls `visit` with `offset + Σ coordinate · stride` and the row-major index of each element of a shape, in order. */
export const walk = (
  shape: Shape.Shape,
  strides: ReadonlyArray<number>,
  offset: number,
  visit: (position: number, index: number) => void
): void => {
  let index = 0
  const rank = shape.length
  const inner = rank === 0 ? 1 : shape[rank - 1]!
  const step = rank === 0 ? 0 : strides[rank - 1]!
  const go = (axis: number, at: number): void => {
    if (axis >= rank - 1) for (let i = 0; i < inner; i++) visit(at + i * step, index++)
    else for (let i = 0; i < shape[axis]!; i++) go(axis + 1, at + i * strides[axis]!)
  }
  go(0, offset)
}
/** Positions of the elements of a shape under the strides, in row-major order. */
export const positions = (shape: Shape.Shape, strides: ReadonlyArray<number>): Int32Array => {
  const out = new Int32Array(Shape.size(shape))
  walk(shape, strides, 0, (position, index) => {
    out[index] = position
  })
  return out
}
