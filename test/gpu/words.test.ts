import { describe, expect, it } from "vitest"
import * as DType from "../../src/DType.ts"
import { fromWords, toWords } from "../../src/gpu/words.ts"

const hosts: { readonly [N in DType.Name]: () => DType.HostArrays[N] } = {
  f32: () => Float32Array.of(0, -0, 1.5, 1e-45, 3.4e38, -Infinity, NaN),
  f16: () => DType.Float16Array.from([0, -0, 1.5, 5.960464477539063e-8, 65504, -Infinity, NaN]),
  i32: () => Int32Array.of(0, -1, 2 ** 31 - 1, -(2 ** 31)),
  u32: () => Uint32Array.of(0, 1, 2 ** 32 - 1),
  bool: () => Uint8Array.of(0, 1, 1, 0),
  bf16: () => Uint16Array.of(0, 0x8000, 0x3fc0, 1, 0x7f7f, 0xff80, 0x7fc1),
  i8: () => Int8Array.of(0, -1, 127, -128, 5),
  u8: () => Uint8Array.of(0, 1, 255),
  i4: () => Uint8Array.of(0xf8, 0x17, 0x03),
  u4: () => Uint8Array.of(0xf8, 0x17, 0x03)
}
/** Elements of these; of nibbles there are two to a byte. */
const count = (dtype: DType.Name, host: DType.HostArray): number =>
  dtype === "i4" || dtype === "u4" ? 2 * host.length : host.length

describe("words", () => {
  it.each(DType.names)(
    "of %s are as many as its bytes fill, bool one per element, and come back as the same",
    (dtype) => {
      const host = hosts[dtype]()
      const words = toWords(dtype, host)
      expect(words.length).toBe(dtype === "bool" ? host.length : Math.ceil(host.byteLength / 4))
      const back = fromWords(dtype, words, count(dtype, host))
      expect(DType.isHostArray(dtype, back)).toBe(true)
      expect([...back]).toEqual([...host])
    }
  )

  it.each(DType.names)("of %s are a copy, of a part of an array too, and of an empty one", (dtype) => {
    const host = hosts[dtype]()
    const part = (host as Float32Array).subarray(1, 3) as DType.HostArray
    const expected = [...part]
    const words = toWords(dtype, part)
    host.fill(0)
    expect([...fromWords(dtype, words, count(dtype, part))]).toEqual(expected)
    expect(toWords(dtype, DType.hostArray(dtype, 0)).length).toBe(0)
  })

  it("keep the bits of every NaN in f32", () => {
    const bits = Uint32Array.of(0x7fc00001, 0xffc12345, 0x7f800001)
    expect([...toWords("f32", new Float32Array(bits.buffer))]).toEqual([...bits])
    expect([...new Uint32Array((fromWords("f32", bits, 3) as Float32Array).buffer)]).toEqual([...bits])
  })

  it("hold two elements of 16 bits, four of 8, eight of 4, the first in the low bits, and 0 after the last", () => {
    const halves = DType.Float16Array.from([1.5, -2, 1]) as DType.HostArray
    expect([...toWords("f16", halves)]).toEqual([0xc0003e00, 0x3c00])
    expect([...toWords("bf16", Uint16Array.of(1, 2, 3))]).toEqual([0x20001, 3])
    expect([...toWords("i8", Int8Array.of(1, -2, 3, 4, -1))]).toEqual([0x0403fe01, 0xff])
    expect([...toWords("u4", Uint8Array.of(0x21, 0x43, 0x65, 0x87, 0x09))]).toEqual([0x87654321, 9])
  })
  it("of an odd number of nibbles come back with 0 in the half that is none", () => {
    expect([...fromWords("u4", Uint32Array.of(0xfedc), 3)]).toEqual([0xdc, 0x0e])
    expect([...fromWords("i4", Uint32Array.of(0xfedc), 4)]).toEqual([0xdc, 0xfe])
  })

  it("of bool are 0 and 1, whatever stands for true", () => {
    expect([...toWords("bool", Uint8Array.of(0, 1, 2, 255))]).toEqual([0, 1, 1, 1])
    expect([...fromWords("bool", Uint32Array.of(0, 1, 0x100, 0xffffffff), 4)]).toEqual([0, 1, 1, 1])
  })
})
