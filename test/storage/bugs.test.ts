/** Bugs that others reported: bf16, bytes and nibbles (25, 26, 58, 59, 64, 70). */
import { describe, it } from "vitest"
import { bf16, Control, DType, f32, i32, i4, i8, Kernel, MemRef, Tile, u32, u4, u8 } from "../../src/index.ts"
import { onEach, single } from "../support/kernels.ts"
import { gives, host } from "./support.ts"

describe("bf16", () => {
  // 25: halfway between two neighbours, the even one, and not the one below.
  it("25: a product that is a tie rounds to the even neighbour", async () => {
    const refs = { x: MemRef.in(bf16, [3]), y: MemRef.in(bf16, [3]), o: MemRef.out(bf16, [3]) }
    const k = single(refs, function* ({ o, x, y }) {
      yield* MemRef.store(o, (yield* MemRef.load(x)).mul(yield* MemRef.load(y)))
    })
    const [x, y] = [
      [1.5, -1.5, 1.5],
      [1.0078125, 1.0078125, 1.015625]
    ]
    await gives(k, { x: host("bf16", x!), y: host("bf16", y!) }, { o: [1.515625, -1.515625, 1.5234375] })
  })
  // 26: the numbers are multiplied, and not their bits.
  it("26: the product of 2 × 2 ones is 2 everywhere", async () => {
    const refs = { a: MemRef.in(bf16, [2, 2]), b: MemRef.in(bf16, [2, 2]), o: MemRef.out(f32, [2, 2]) }
    const k = single(refs, function* ({ a, b, o }) {
      yield* MemRef.store(o, Tile.dot(yield* MemRef.load(a), yield* MemRef.load(b)))
    })
    const ones = host("bf16", [1, 1, 1, 1])
    await onEach(k, { a: ones, b: ones }, { o: [2, 2, 2, 2] })
  })
})

describe("quantised integers", () => {
  // 58: the difference is taken in the wider dtype, where it may be negative.
  it.each(["u8", "u4"] as const)("58: a %s below its zero point is scaled to a negative number", async (name) => {
    const dtype: DType.DType<"u8"> | DType.DType<"u4"> = name === "u8" ? u8 : u4
    const refs = {
      x: MemRef.in(dtype as typeof u8, [3]),
      z: MemRef.in(dtype as typeof u8, [1]),
      o: MemRef.out(f32, [3])
    }
    const k = single(refs, function* ({ o, x, z }) {
      const [v, zero] = [(yield* MemRef.load(x)).convert(i32), (yield* MemRef.load(z)).convert(i32)]
      yield* MemRef.store(o, v.sub(zero).convert(f32).mul(0.5))
    })
    await onEach(k, { x: host(name, [3, 10, 15]), z: host(name, [10]) }, { o: [-3.5, 0, 2.5] })
  })
  // 59: a nibble above 7 is negative.
  it("59: the byte 0xF8 holds the i4 numbers -8 and -1, and all nibbles have their sign", async () => {
    const k = single({ x: MemRef.in(i4, [18]), o: MemRef.out(i32, [18]) }, function* ({ o, x }) {
      yield* MemRef.store(o, yield* MemRef.load(x))
    })
    const x = Uint8Array.of(0xf8, 0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe)
    await onEach(k, { x }, { o: [-8, -1, 0, 1, 2, 3, 4, 5, 6, 7, -8, -7, -6, -5, -4, -3, -2, -1] })
  })
  // 64: elements that share a word do not disturb each other, nor does the end of the array.
  it.each(["bool", "i8", "u8", "i4", "u4"] as const)("64: five elements of %s combined one by one", async (name) => {
    const dtype: any = DType.of(name)
    const own = { block: [null], index: (i: any) => [i] }
    const refs: any = {
      a: (MemRef as any).in(dtype, [5], own),
      b: (MemRef as any).in(dtype, [5], own),
      o: (MemRef as any).out(dtype, [5], own)
    }
    const k: any = Kernel.make("and", { grid: [5], refs }, function* ({ a, b, o }: any): any {
      const [x, y]: [any, any] = [yield* MemRef.load(a), yield* MemRef.load(b)]
      yield* MemRef.store(o, x.and(y))
    } as any)
    const [a, b] = [host(name, [1, 0, 1, 1, 0]), host(name, [1, 1, 0, 1, 0])]
    await gives(k, { a, b }, { o: [1, 0, 0, 1, 0] })
  })
  // 70: each element of each word is taken once, however many words there are.
  it("70: twelve bytes, four per step, and 24 nibbles, eight per step", async () => {
    const refs = { x: MemRef.in(u8, [12]), o: MemRef.out(u32, [12]), y: MemRef.in(i4, [24]), p: MemRef.out(i8, [24]) }
    const k = single(refs, function* (r) {
      yield* Control.forEach(0, 3, function* (i) {
        const [from, to] = [MemRef.at(r.x, [MemRef.slice(i.mul(4), 4)]), MemRef.at(r.o, [MemRef.slice(i.mul(4), 4)])]
        yield* MemRef.store(to, yield* MemRef.load(from))
        const nibbles = yield* MemRef.load(MemRef.at(r.y, [MemRef.slice(i.mul(8), 8)]))
        yield* MemRef.store(MemRef.at(r.p, [MemRef.slice(i.mul(8), 8)]), nibbles)
      })
    })
    const x = Array.from({ length: 12 }, (_, i) => i)
    const y = Array.from({ length: 24 }, (_, i) => (i % 16) - 8)
    await gives(k, { x: host("u8", x), y: host("i4", y) }, { o: x, p: y })
  })
})
