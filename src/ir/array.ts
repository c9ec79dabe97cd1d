/**
 * Array values of the CPU interpreters: dense, row-major, never changed once made.
 *
 * f16 is held in a `Float32Array` of values that f16 has exactly, so that arithmetic needs no conversion; storage dtypes are
 * held as their widened dtypes, so that loads only move.
 */
import * as DType from "../DType.ts"
import * as Shape from "../Shape.ts"
import type { Aval } from "./program.ts"

export type Data = Float32Array | Int32Array | Uint32Array | Uint8Array
export interface ArrayValue extends Aval {
  readonly data: Data
}

const make: { readonly [N in DType.Compute]: (n: number) => Data } = {
  f32: (n) => new Float32Array(n),
  f16: (n) => new Float32Array(n),
  i32: (n) => new Int32Array(n),
  u32: (n) => new Uint32Array(n),
  bool: (n) => new Uint8Array(n)
}
/** Zeroed storage for `length` elements. */
export const storage = (dtype: DType.Name, length: number): Data => make[DType.widened(dtype)](length)
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

const wordsOf = (data: Data): Uint32Array => new Uint32Array(data.buffer, data.byteOffset, data.length)
/** Nibble `k` of bytes, in the low bits. */
const nibble = (bytes: ArrayLike<number>, k: number): number => bytes[k >> 1]! >> (4 * (k & 1))

/** The value of a host array; copies, because arguments are never changed. */
export const fromHost = (aval: Aval, host: DType.HostArray): ArrayValue => {
  const { dtype, shape } = aval
  const data = storage(dtype, Shape.size(shape))
  const from = host as ArrayLike<number>
  if (dtype === "bool") for (let i = 0; i < data.length; i++) data[i] = from[i] ? 1 : 0
  else if (dtype === "bf16") {
    const to = wordsOf(data)
    for (let i = 0; i < to.length; i++) to[i] = from[i]! << 16
  } else if (dtype === "i4" || dtype === "u4") {
    const kept = DType.kept(dtype)!
    for (let i = 0; i < data.length; i++) data[i] = kept(nibble(from, i))
  } else data.set(from)
  return { dtype, shape, data }
}
/** A host array with the elements of a value. */
export const toHost = ({ data, dtype }: ArrayValue): DType.HostArray => {
  if (!DType.isStorage(dtype) && dtype !== "f16") return data.slice()
  const host = DType.hostArray(dtype, data.length)
  if (dtype === "bf16") wordsOf(data).forEach((word, i) => (host[i] = word >>> 16))
  else if (dtype === "i4" || dtype === "u4") data.forEach((x, i) => (host[i >> 1]! |= (x & 0xf) << (4 * (i & 1))))
  else for (let i = 0; i < data.length; i++) host[i] = data[i]!
  return host
}
/** The elements of a host array as numbers. */
export const elements = (aval: Aval, host: DType.HostArray): ArrayLike<number> =>
  DType.isStorage(aval.dtype) ? fromHost(aval, host).data : (host as ArrayLike<number>)
