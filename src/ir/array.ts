/**
 * Array values of the CPU interpreters: dense, row-major, never changed once made.
 *
 * f16 is held in a `Float32Array` of values that f16 has exactly, so that arithmetic needs no conversion.
 */
import * as DType from "../DType.ts"
import * as Shape from "../Shape.ts"
import type { Aval } from "./program.ts"

export type Data = Float32Array | Int32Array | Uint32Array | Uint8Array
export interface ArrayValue extends Aval {
  readonly data: Data
}

const make: { readonly [N in DType.Name]: (n: number) => Data } = {
  f32: (n) => new Float32Array(n),
  f16: (n) => new Float32Array(n),
  i32: (n) => new Int32Array(n),
  u32: (n) => new Uint32Array(n),
  bool: (n) => new Uint8Array(n)
}
/** Zeroed storage for `length` elements. */
export const storage = (dtype: DType.Name, length: number): Data => make[dtype](length)
export const zeros = (aval: Aval): ArrayValue => ({
  dtype: aval.dtype,
  shape: aval.shape,
  data: storage(aval.dtype, Shape.size(aval.shape))
})
export const scalar = (dtype: DType.Name, value: number): ArrayValue => {
  const data = storage(dtype, 1)
  data[0] = value
  return { dtype, shape: [], data }
}

/** The value of a host array; copies, because arguments are never changed. */
export const fromHost = (aval: Aval, host: DType.HostArray): ArrayValue => {
  const data = storage(aval.dtype, host.length)
  if (aval.dtype === "bool") for (let i = 0; i < host.length; i++) data[i] = host[i] ? 1 : 0
  else data.set(host as ArrayLike<number>)
  return { dtype: aval.dtype, shape: aval.shape, data }
}
/** A host array with the elements of a value. */
export const toHost = (value: ArrayValue): DType.HostArray => {
  if (value.dtype !== "f16") return value.data.slice()
  return DType.Float16Array.from(value.data) as DType.HostArray
}
