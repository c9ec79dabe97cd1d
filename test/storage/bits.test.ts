/** Every bit pattern of the narrow dtypes goes through load and store; what has more bits is rounded to nearest even. */
import { describe, expect, it } from "vitest"
import { bf16, DType, f16, f32, i32, i4, i8, Kernel, MemRef, u32, u4, u8 } from "../../src/index.ts"
import { interpreters } from "../support/interpreters.ts"
import { results, single } from "../support/kernels.ts"
import { gives, host } from "./support.ts"

const M: any = MemRef
const block = 512
const copying = (from: DType.DType<any>, to: DType.DType<any>, n: number): Kernel.Any =>
  Kernel.make(
    "copying",
    {
      grid: [n / block],
      refs: {
        x: M.in(from, [n], { block: [block], index: (i: any) => [i] }),
        o: M.out(to, [n], { block: [block], index: (i: any) => [i] })
      }
    } as any,
    function* (r: any): any {
      yield* M.store(r.o, yield* M.load(r.x))
    } as any
  ) as any
const patterns = Uint16Array.from({ length: 1 << 16 }, (_, k) => k)
const bitsOf = (array: any, Bits: any) => new Bits(array.buffer, array.byteOffset, array.length)
const differences = (found: ArrayLike<number>, wanted: ArrayLike<number>): ReadonlyArray<string> =>
  Array.from(wanted, (w, k) => (found[k] === w ? "" : `${k}: ${found[k]}, not ${w}`)).filter((d) => d !== "")
const isNaN16 = (bits: number, infinity: number): boolean => (bits & 0x7fff) > infinity

describe("bits", () => {
  it("of all 65536 patterns of bf16 stay, and widen to the upper half of an f32", async () => {
    for (const on of interpreters) {
      const { o } = await results(copying(bf16, bf16, 1 << 16), { x: patterns }, on)
      expect(differences(o!, patterns), on.name).toEqual([])
      const wide = await results(copying(bf16, f32, 1 << 16), { x: patterns }, on)
      expect(
        differences(
          bitsOf(wide["o"], Uint32Array),
          Array.from(patterns, (w) => w * 65536)
        ),
        on.name
      ).toEqual([])
    }
  })
  it("of all 65536 patterns of f16 stay: infinities, subnormals and signs of zero; NaN stays NaN", async () => {
    const x: any = new DType.Float16Array(patterns.slice().buffer)
    for (const on of interpreters) {
      const { o } = await results(copying(f16, f16, 1 << 16), { x }, on)
      const found = bitsOf(o, Uint16Array)
      expect(
        found.filter((b: number, k: number) => b !== k && !(isNaN16(b, 0x7c00) && isNaN16(k, 0x7c00))).length,
        on.name
      ).toBe(0)
    }
  })
  it("of f32 are rounded to the nearest bf16, ties to even, beyond the largest to infinity; NaN stays NaN", async () => {
    const words = [
      [0x3f808000, 0x3f80], // halfway, even below
      [0x3f818000, 0x3f82], // halfway, even above
      [0x3f808001, 0x3f81],
      [0x3f807fff, 0x3f80],
      [0xbf818000, 0xbf82],
      [0x7f7fffff, 0x7f80], // the largest f32
      [0xff7f8000, 0xff80],
      [0x7f7f7fff, 0x7f7f],
      [0x7f800000, 0x7f80],
      [0xff800000, 0xff80],
      [0x7f800001, 0x7fc0], // a NaN whose upper half is that of infinity
      [0xffc00000, 0xffc0],
      [0x80000000, 0x8000],
      [0x00008000, 0x0000], // subnormals
      [0x00018000, 0x0002],
      [0x00810001, 0x0081],
      [0x007fffff, 0x0080]
    ] as const
    const k = single({ x: MemRef.in(u32, [17]), o: M.out(bf16, [17]) }, function* (r: any) {
      yield* M.store(r.o, yield* M.load(MemRef.bitcast(r.x, f32)))
    } as any)
    for (const on of interpreters) {
      const { o } = await results(k as any, { x: Uint32Array.from(words, ([w]) => w) }, on)
      expect(
        differences(
          o!,
          words.map(([, b]) => b)
        ),
        on.name
      ).toEqual([])
    }
  })
  it("of all bytes and all nibbles are sign-extended or not, and the low ones are kept", async () => {
    const bytes = Array.from({ length: 256 }, (_, k) => k)
    const k = single(
      {
        s: M.in(i8, [256]),
        u: M.in(u8, [256]),
        i: M.out(i32, [256]),
        j: M.out(u32, [256]),
        o: M.out(i8, [256]),
        p: M.out(u8, [256])
      },
      function* (r: any): any {
        const [s, u]: [any, any] = [yield* M.load(r.s), yield* M.load(r.u)]
        yield* M.store(r.i, s)
        yield* M.store(r.j, u)
        yield* M.store(r.o, s.add(256 * 7))
        yield* M.store(r.p, u.sub(256))
      } as any
    )
    const signed = bytes.map((b) => (b > 127 ? b - 256 : b))
    await gives(
      k as any,
      { s: Int8Array.from(signed), u: Uint8Array.from(bytes) },
      { i: signed, j: bytes, o: signed, p: bytes }
    )
    const nibbles = single(
      {
        s: M.in(i4, [16]),
        u: M.in(u4, [16]),
        i: M.out(i32, [16]),
        j: M.out(u32, [16]),
        o: M.out(i4, [16]),
        p: M.out(u4, [16])
      },
      function* (r: any): any {
        const [s, u]: [any, any] = [yield* M.load(r.s), yield* M.load(r.u)]
        yield* M.store(r.i, s)
        yield* M.store(r.j, u)
        yield* M.store(r.o, s.sub(32))
        yield* M.store(r.p, u.add(16))
      } as any
    )
    const packed = Uint8Array.from({ length: 8 }, (_, k) => 2 * k + 16 * (2 * k + 1))
    const all = Array.from({ length: 16 }, (_, k) => k)
    const half = all.map((n) => (n > 7 ? n - 16 : n))
    await gives(nibbles as any, { s: packed, u: packed }, { i: half, j: all, o: half, p: all })
  })
  it("are seen as signed or unsigned through bit-cast views, read and written, under masks too", async () => {
    for (const [a, b, n, top] of [
      [i8, u8, 256, 128],
      [i4, u4, 16, 8]
    ] as const) {
      const k = single(
        { x: M.inout(a, [4]), y: M.inout(b, [4]), o: M.out(u32, [4]), p: M.out(i32, [4]), q: M.out(u32, [4]) },
        function* (r: any): any {
          const [x, y] = [M.bitcast(r.x, b), M.bitcast(r.y, a)]
          yield* M.store(r.o, yield* M.load(x))
          yield* M.store(r.p, yield* M.load(y))
          const p: any = yield* M.load(r.p)
          yield* M.store(r.q, yield* M.load(x, { mask: p.lt(0), other: 1000 }))
          yield* M.accumulate(x, 3)
          yield* M.store(y, p.sub(1))
        } as any
      )
      const x = [-1, -top, top - 1, 5]
      const y = [n - 1, top, 0, 3]
      const signed = (v: number) => ((v + top + n) % n) - top
      await gives(
        k as any,
        { x: host(a.name, x), y: host(b.name, y) },
        {
          o: x.map((v) => (v + n) % n),
          p: y.map(signed),
          q: x.map((v, k) => (signed(y[k]!) < 0 ? (v + n) % n : 1000)),
          x: x.map((v) => signed(v + 3)),
          y: y.map((v) => (v - 1 + n) % n)
        }
      )
    }
  })
})
