/** Copies of dtypes that share words with their neighbours. */
import { describe, it } from "vitest"
import { Copy, DType, Kernel, MemRef, Scratch, Tile } from "../../src/index.ts"
import { onEach, single } from "../support/kernels.ts"

const bytes = (f: (k: number) => number, n = 24) => Array.from({ length: n }, (_, k) => f(k))

describe("a copy of a storage dtype", () => {
  it("moves the elements of a view, and leaves those beside them", async () => {
    const of = async (dtype: DType.DType<"bf16" | "i8" | "u8">, x: DType.HostArray, old: DType.HostArray) => {
      const k = Kernel.make(
        "strided",
        {
          grid: [1],
          refs: { x: MemRef.in(dtype, [24]), o: MemRef.inout(dtype, [24]) },
          scratch: { s: Scratch.workgroup(dtype, [7]) }
        },
        function* ({ o, s, x }) {
          yield* Copy.wait(yield* Copy.start(MemRef.at(x, [MemRef.slice(1, 7, 3)]), s))
          const token = yield* Copy.start(s, MemRef.at(o, [MemRef.slice(5, 7)]))
          yield* MemRef.store(s, 0)
          yield* Copy.wait(token)
        }
      )
      await onEach(k, { x, o: old }, { o: Array.from(old, (v, i) => (i >= 5 && i < 12 ? x[1 + 3 * (i - 5)]! : v)) })
    }
    await of(DType.i8, Int8Array.from(bytes((k) => k * 11 - 128)), new Int8Array(24).fill(-3))
    await of(DType.u8, Uint8Array.from(bytes((k) => k * 10)), new Uint8Array(24).fill(255))
    await of(DType.bf16, Uint16Array.from(bytes((k) => 0x3f80 + 64 * k)), new Uint16Array(24).fill(0xbf80))
  })
  it("moves halves of bytes, where a mask lets it", async () => {
    const k = single({ x: MemRef.in(DType.u4, [8]), o: MemRef.inout(DType.u4, [8]) }, function* ({ o, x }) {
      const mask = Tile.iota(DType.i32, [8]).ne(3)
      yield* Copy.wait(yield* Copy.start(x, o, { mask }))
    })
    // Elements 1, 2, 3, … two to a byte, low half first; element 3 stays.
    await onEach(
      k,
      { x: Uint8Array.of(0x21, 0x43, 0x65, 0x87), o: Uint8Array.of(0, 0xf0, 0, 0) },
      { o: [0x21, 0xf3, 0x65, 0x87] }
    )
  })
  it.each([1, 3])("adds, wrapping around, of %i program instances", async (programs) => {
    const k = Kernel.make(
      "added",
      { grid: [programs], refs: { x: MemRef.in(DType.i8, [24]), o: MemRef.inout(DType.i8, [24]) } },
      function* ({ o, x }) {
        yield* Copy.wait(yield* Copy.start(x, o, { op: "add" }))
      }
    )
    const x = Int8Array.from(bytes((k) => k * 9 - 100))
    const o = Int8Array.from(bytes((k) => k))
    await onEach(k, { x, o }, { o: Int8Array.from(bytes((k) => k + programs * (k * 9 - 100))) })
  })
})
