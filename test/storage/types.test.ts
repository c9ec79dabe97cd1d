/** Types of what is loaded from, and stored to, storage dtypes. */
import type { Effect } from "effect"
import {
  bf16,
  Control,
  type DType,
  f16,
  f32,
  i32,
  i4,
  i8,
  Inline,
  type Kernel,
  MemRef,
  Scratch,
  Tile,
  u32,
  u4,
  u8
} from "../../src/index.ts"
import { describe, expectTypeOf, it } from "vitest"

declare const refs: Kernel.Refs<ReturnType<typeof declared>>
const declared = () => ({
  b: MemRef.inout(bf16, [4]),
  h: MemRef.inout(f16, [4]),
  c: MemRef.inout(i8, [4]),
  d: MemRef.inout(u8, [4]),
  m: MemRef.inout(i4, [4]),
  n: MemRef.inout(u4, [4])
})
type Loaded<E> = E extends Effect.Effect<infer A, any, any> ? A : never

describe("the type checker", () => {
  it("knows the widened dtype", () => {
    expectTypeOf<DType.Widened<"bf16">>().toEqualTypeOf<"f32">()
    expectTypeOf<DType.Widened<"i8" | "i4">>().toEqualTypeOf<"i32">()
    expectTypeOf<DType.Widened<"u8" | "u4">>().toEqualTypeOf<"u32">()
    expectTypeOf<DType.Widened<"f16" | "bool">>().toEqualTypeOf<"f16" | "bool">()
  })
  it("gives loads and swaps widened tiles, and takes such", () => {
    const use = () => {
      const { b, c, d, h, m, n } = refs
      const loads = [MemRef.load(b), MemRef.load(h), MemRef.load(c), MemRef.load(d), MemRef.load(m)] as const
      expectTypeOf<Loaded<(typeof loads)[0]>>().toEqualTypeOf<Tile.Tile<"f32", [4]>>()
      expectTypeOf<Loaded<(typeof loads)[1]>>().toEqualTypeOf<Tile.Tile<"f16", [4]>>()
      expectTypeOf<Loaded<(typeof loads)[2]>>().toEqualTypeOf<Tile.Tile<"i32", [4]>>()
      expectTypeOf<Loaded<(typeof loads)[3]>>().toEqualTypeOf<Tile.Tile<"u32", [4]>>()
      const swapped = MemRef.swap(n, Tile.zeros(u32, [4]))
      expectTypeOf<Loaded<typeof swapped>>().toEqualTypeOf<Tile.Tile<"u32", [4]>>()
      MemRef.store(b, Tile.zeros(f32, [4]))
      MemRef.accumulate(m, Tile.zeros(i32, [4]))
      // @ts-expect-error bf16 takes f32
      MemRef.store(b, Tile.zeros(f16, [4]))
      // @ts-expect-error u8 takes u32
      MemRef.accumulate(d, Tile.zeros(i32, [4]))
      return loads
    }
    expectTypeOf(use).toBeFunction()
  })
  it("lets bytes and nibbles be seen as signed or not, and bf16 as nothing else", () => {
    const use = () => {
      expectTypeOf(MemRef.bitcast(refs.c, u8)).toEqualTypeOf<MemRef.MemRef<"c", "u8", [4], "inout">>()
      MemRef.bitcast(refs.n, i4)
      // @ts-expect-error bytes are no nibbles
      MemRef.bitcast(refs.c, i4)
      // @ts-expect-error bf16 is seen as bf16
      MemRef.bitcast(refs.b, f16)
    }
    expectTypeOf(use).toBeFunction()
  })
  it("lets only arrays, scratch and refs of inlines have storage dtypes", () => {
    const use = () => {
      expectTypeOf(Scratch.workgroup(bf16, [4])).toEqualTypeOf<Scratch.Spec<"bf16", [4]>>()
      Inline.read(bf16, [4])
      // @ts-expect-error a tile of an inline
      Inline.tile(bf16, [4])
      // @ts-expect-error an argument of an inline
      Inline.elementwise("f", { args: { x: i8 }, result: i32, wgsl: "return x;" })
      // @ts-expect-error a scalar parameter
      MemRef.scalar(u4)
      MemRef.table(i8, [4])
      // @ts-expect-error positions are signed
      MemRef.table(u8, [4])
    }
    expectTypeOf(use).toBeFunction()
  })
  it("scans rows of storage dtypes as widened tiles", () => {
    const use = () =>
      Control.scan({ in: { c: refs.c }, out: { b: refs.b } }, Tile.of(i32, 0), function* (sum, { c }) {
        expectTypeOf(c).toEqualTypeOf<Tile.Tile<"i32", []>>()
        return { carry: sum.add(c), out: { b: sum.convert(f32) } }
      })
    expectTypeOf(use).toBeFunction()
  })
  it("knows host arrays", () => {
    type Args = Kernel.Args<ReturnType<typeof declared>>
    expectTypeOf<Args["b"]>().toEqualTypeOf<Uint16Array>()
    expectTypeOf<Args["c"]>().toEqualTypeOf<Int8Array>()
    expectTypeOf<Args["m"]>().toEqualTypeOf<Uint8Array>()
    expectTypeOf<Args["h"]>().toEqualTypeOf<DType.Float16Array>()
  })
})
