import { describe, expect, it } from "vitest"
import * as DType from "../../src/DType.ts"
import { fromWords, toWords } from "../../src/gpu/words.ts"

const hosts: { readonly [N in DType.Name]: () => DType.HostArrays[N] } = {
  f32: () => Float32Array.of(0, -0, 1.5, 1e-45, 3.4e38, -Infinity, NaN),
  f16: () => DType.Float16Array.from([0, -0, 1.5, 5.960464477539063e-8, 65504, -Infinity, NaN]),
  i32: () => Int32Array.of(0, -1, 2 ** 31 - 1, -(2 ** 31)),
  u32: () => Uint32Array.of(0, 1, 2 ** 32 - 1),
  bool: () => Uint8Array.of(0, 1, 1, 0)
}

describe("words", () => {
  it.each(DType.names)("of %s are one per element and come back as the same values", (dtype) => {
    const host = hosts[dtype]()
    const words = toWords(dtype, host)
    expect(words.length).toBe(host.length)
    const back = fromWords(dtype, words)
    expect(DType.isHostArray(dtype, back)).toBe(true)
    expect([...back]).toEqual([...host])
  })

  it.each(DType.names)("of %s are a copy, of a part of an array too, and of an empty one", (dtype) => {
    const host = hosts[dtype]()
    const part = (host as Float32Array).subarray(1, 3) as DType.HostArray
    const expected = [...part]
    const words = toWords(dtype, part)
    host.fill(0)
    expect([...fromWords(dtype, words)]).toEqual(expected)
    expect(toWords(dtype, DType.hostArray(dtype, 0)).length).toBe(0)
  })

  it("keep the bits of every NaN in f32", () => {
    const bits = Uint32Array.of(0x7fc00001, 0xffc12345, 0x7f800001)
    expect([...toWords("f32", new Float32Array(bits.buffer))]).toEqual([...bits])
    expect([...new Uint32Array((fromWords("f32", bits) as Float32Array).buffer)]).toEqual([...bits])
  })

  it("of f16 are the bits of the same value in f32, and are rounded on the way back", () => {
    expect([...toWords("f16", DType.Float16Array.from([1.5]) as DType.HostArray)]).toEqual([0x3fc00000])
    const third = new Uint32Array(Float32Array.of(1 / 3).buffer)
    expect([...fromWords("f16", third)]).toEqual([DType.round("f16")(1 / 3)])
  })

  it("of bool are 0 and 1, whatever stands for true", () => {
    expect([...toWords("bool", Uint8Array.of(0, 1, 2, 255))]).toEqual([0, 1, 1, 1])
    expect([...fromWords("bool", Uint32Array.of(0, 1, 0x100, 0xffffffff))]).toEqual([0, 1, 1, 1])
  })
})
