/** Host arrays as the 32-bit words that buffers hold, one per element, and back. */
import * as DType from "../DType.ts"

/** The words of a host array, as a copy: bit-copies, bool as 0 or 1, f16 as the bits of the same value in f32. */
export const toWords = (dtype: DType.Name, host: DType.HostArray): Uint32Array<ArrayBuffer> => {
  switch (dtype) {
    case "bool":
      return Uint32Array.from(host as Uint8Array, (x) => (x ? 1 : 0))
    case "f16":
      return new Uint32Array(Float32Array.from(host as ArrayLike<number>).buffer)
    default:
      return new Uint32Array(new Uint32Array(host.buffer, host.byteOffset, host.length))
  }
}

const bits = { f32: Float32Array, i32: Int32Array, u32: Uint32Array } as const

/**
 * The host array that words hold; f16 is rounded. The 32-bit dtypes share the memory of `words`, because results are large
 * and nobody else has them.
 */
export const fromWords = (dtype: DType.Name, words: Uint32Array<ArrayBuffer>): DType.HostArray => {
  switch (dtype) {
    case "bool":
      return Uint8Array.from(words, (x) => (x === 0 ? 0 : 1))
    case "f16":
      return DType.Float16Array.from(
        new Float32Array(words.buffer, words.byteOffset, words.length)
      ) as unknown as DType.HostArray
    default:
      return new bits[dtype](words.buffer, words.byteOffset, words.length)
  }
}
