/** Host arrays as the 32-bit words that buffers hold, and back: packed as on the host, except for bool, a word each. */
import * as DType from "../DType.ts"

/** The words of a host array, as a copy: its bytes, bool as 0 or 1. */
export const toWords = (dtype: DType.Name, host: DType.HostArray): Uint32Array<ArrayBuffer> => {
  if (dtype === "bool") return Uint32Array.from(host as Uint8Array, (x) => (x ? 1 : 0))
  const words = new Uint32Array(Math.ceil(host.byteLength / 4))
  new Uint8Array(words.buffer).set(new Uint8Array(host.buffer, host.byteOffset, host.byteLength))
  return words
}

/**
 * The host array of that many elements that words hold. It shares the memory of `words` (except for bool), because results
 * are large and nobody else has them.
 */
export const fromWords = (dtype: DType.Name, words: Uint32Array<ArrayBuffer>, elements: number): DType.HostArray =>
  dtype === "bool"
    ? Uint8Array.from(words.subarray(0, elements), (x) => (x === 0 ? 0 : 1))
    : cropped(dtype, DType.hostView(dtype, words.buffer, words.byteOffset, elements), elements)

/** The array, with the half of the last byte that is no element set to 0. */
export const cropped = (dtype: DType.Name, host: DType.HostArray, elements: number): DType.HostArray => {
  const isHalf = DType.of(dtype).bytes < 1 && elements % 2 === 1
  if (isHalf) host[host.length - 1]! &= 0x0f
  return host
}
