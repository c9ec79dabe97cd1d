/** What the matrix pipeline computes, on every interpreter. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import {
  bf16,
  Control,
  DType,
  f16,
  f32,
  i32,
  i8,
  Kernel,
  MemRef,
  Pipeline,
  Scratch,
  Tile,
  u32
} from "../../src/index.ts"
import { interpreters } from "../support/interpreters.ts"
import { onEach, results, single } from "../support/kernels.ts"
import { halves, ints, product, reals, transposed, type Size, tiled } from "./reference.ts"

const Dtypes = { f32, i32, u32, f16 } as const

/** A kernel that adds the product of its arguments to an accumulator, once. */
const once = (
  dtype: keyof typeof Dtypes,
  [m, k, n]: Size,
  { a, b, ta = false, tb = false }: { a: "ref" | "tile"; b: "ref" | "tile"; ta?: boolean; tb?: boolean }
): Kernel.Any => {
  const acc = (dtype === "f16" ? f32 : Dtypes[dtype]) as typeof f32
  const given = Dtypes[dtype] as typeof f32
  return Kernel.make(
    "once",
    {
      grid: [1],
      refs: {
        a: MemRef.in(given, ta ? [k, m] : [m, k]),
        b: MemRef.in(given, tb ? [n, k] : [k, n]),
        o: MemRef.out(acc, [m, n])
      },
      scratch: { acc: Pipeline.accumulator(acc, [m, n]) }
    },
    function* (r: any) {
      const x = a === "ref" ? r.a : yield* MemRef.load(r.a)
      const y = b === "ref" ? r.b : yield* MemRef.load(r.b)
      yield* Pipeline.multiplyAccumulate(r.acc, x, y, { transposeA: ta, transposeB: tb })
      yield* Pipeline.wait()
      yield* MemRef.store(r.o, (yield* Pipeline.read(r.acc)) as any)
    } as any
  ) as any
}
const sizes: ReadonlyArray<Size> = [
  [1, 1, 1],
  [1, 7, 1],
  [2, 67, 2],
  [3, 5, 4],
  [7, 1, 9],
  [9, 11, 13],
  [20, 3, 17]
]

describe.each(sizes)("a product of %i×%i by %i is what dot gives", (...size) => {
  const [m, k, n] = size
  it.each([
    ["ref", "ref"],
    ["ref", "tile"],
    ["tile", "ref"],
    ["tile", "tile"]
  ] as const)("of a %s and a %s", async (a, b) => {
    const [x, y] = [ints(m * k, 3), ints(k * n, 5)]
    await onEach(once("i32", size, { a, b }), { a: x, b: y }, { o: product(x, y, size) })
  })
  it.each([
    [true, false],
    [false, true],
    [true, true]
  ])("transposed or not: %s, %s", async (ta, tb) => {
    const [x, y] = [ints(m * k, 3), ints(k * n, 5)]
    const args = { a: ta ? transposed(x, m, k) : x, b: tb ? transposed(y, k, n) : y }
    for (const kind of ["ref", "tile"] as const)
      await onEach(once("i32", size, { a: kind, b: kind, ta, tb }), args, { o: product(x, y, size) })
  })
})

describe("the dtype of an accumulator", () => {
  const size: Size = [4, 9, 5]
  it("is f32 for f32, within the bounds of a sum", async () => {
    const [x, y] = [reals(36, 1), reals(45, 2)]
    await onEach(
      once("f32", size, { a: "ref", b: "ref" }),
      { a: x, b: y },
      { o: product(x, y, size) },
      { within: 1e-5 }
    )
  })
  it("is f32 for f16, which loses nothing on the way", async () => {
    const [x, y] = [halves(36), halves(45)]
    await onEach(once("f16", size, { a: "ref", b: "tile" }), { a: x, b: y }, { o: product(x, y, size) })
  })
  it("is i32 or u32 for integers, which wrap around", async () => {
    const x = Int32Array.of(2147483647, 65536, -2147483648, 7)
    const y = Int32Array.of(3, 65536, 2, -1)
    const wrapped = Int32Array.of(
      Math.imul(x[0]!, 3) + Math.imul(65536, 2),
      Math.imul(x[0]!, 65536) + Math.imul(65536, -1),
      Math.imul(x[2]!, 3) + Math.imul(7, 2),
      Math.imul(x[2]!, 65536) + Math.imul(7, -1)
    )
    await onEach(once("i32", [2, 2, 2], { a: "ref", b: "ref" }), { a: x, b: y }, { o: wrapped })
    await onEach(
      once("u32", [2, 2, 2], { a: "ref", b: "ref" }),
      { a: Uint32Array.from(x), b: Uint32Array.from(y) },
      { o: Uint32Array.from(wrapped) }
    )
  })
  it("is wide enough for partial sums that f16 has not", async () => {
    const x = new DType.Float16Array([600, 600, 600, 600])
    const y = new DType.Float16Array([60, 60, -60, -60])
    await onEach(once("f16", [1, 4, 1], { a: "ref", b: "ref" }), { a: x, b: y }, { o: [0] })
  })
  it("is wide enough for counts that f16 has not", async () => {
    const ones = new DType.Float16Array(4096).fill(1)
    await onEach(once("f16", [1, 4096, 1], { a: "ref", b: "ref" }), { a: ones, b: ones }, { o: [4096] })
  })
})

describe("sizes of 0", () => {
  it("along k add nothing", async () => {
    const kernel = once("f32", [2, 0, 3], { a: "ref", b: "ref" })
    await onEach(kernel, { a: new Float32Array(0), b: new Float32Array(0) }, { o: [0, 0, 0, 0, 0, 0] })
  })
  it("of the result give an empty result", async () => {
    const kernel = once("f32", [0, 3, 2], { a: "ref", b: "tile" })
    await onEach(kernel, { a: new Float32Array(0), b: new Float32Array(6) }, { o: [] })
  })
})

describe("an accumulator", () => {
  const four = [1, 2, 3, 4]
  const squared = [7, 10, 15, 22]
  const refs = { a: MemRef.in(i32, [2, 2]), o: MemRef.out(i32, [2, 2]) }
  const args = { a: Int32Array.from(four) }
  it("starts as 0, and holds the sum of all that was added", async () => {
    const kernel = Kernel.make(
      "sum",
      { grid: [1], refs, scratch: { acc: Pipeline.accumulator(i32, [2, 2]) } },
      function* ({ a, acc, o }) {
        yield* Pipeline.multiplyAccumulate(acc, a, a)
        yield* Pipeline.multiplyAccumulate(acc, a, a)
        yield* Pipeline.wait()
        const twice = yield* Pipeline.read(acc)
        yield* Pipeline.multiplyAccumulate(acc, a, a)
        yield* Pipeline.wait(0)
        yield* MemRef.store(o, (yield* Pipeline.read(acc)).add(twice))
      }
    )
    await onEach(kernel, args, { o: squared.map((x) => 5 * x) })
  })
  it("starts from a tile, or a number, after set", async () => {
    const kernel = single(refs, function* ({ a, o }) {
      yield* Scratch.scoped(Pipeline.accumulator(i32, [2, 2]), function* (acc) {
        yield* Pipeline.multiplyAccumulate(acc, a, a)
        yield* Pipeline.wait()
        yield* Pipeline.set(acc, yield* MemRef.load(a))
        yield* Pipeline.multiplyAccumulate(acc, a, a)
        yield* Pipeline.wait()
        const first = yield* Pipeline.read(acc)
        yield* Pipeline.set(acc, 100)
        yield* MemRef.store(o, first.add(yield* Pipeline.read(acc)))
      })
    })
    await onEach(kernel, args, { o: squared.map((x, k) => x + four[k]! + 100) })
  })
  it("in a scope is 0 again at each entry", async () => {
    const kernel = single(refs, function* ({ a, o }) {
      yield* Control.forEach(0, 3, function* () {
        yield* Scratch.scoped(Pipeline.accumulator(i32, [2, 2]), function* (acc) {
          yield* Pipeline.multiplyAccumulate(acc, a, a)
          yield* Pipeline.wait()
          yield* MemRef.accumulate(o, yield* Pipeline.read(acc))
        })
      })
    })
    await onEach(kernel, args, { o: squared.map((x) => 3 * x) })
  })
  it("of a kernel keeps its values over sequential cells", async () => {
    const kernel = Kernel.make(
      "cells",
      { grid: [Kernel.sequential(3)], refs, scratch: { acc: Pipeline.accumulator(i32, [2, 2]) } },
      function* ({ a, acc, o }) {
        yield* Pipeline.multiplyAccumulate(acc, a, a)
        yield* Pipeline.wait()
        yield* MemRef.store(o, yield* Pipeline.read(acc))
      }
    )
    await onEach(kernel, args, { o: squared.map((x) => 3 * x) })
  })
  it("of a kernel that is called is the callee's own", async () => {
    const inner = Kernel.make(
      "inner",
      { grid: [1], refs, scratch: { acc: Pipeline.accumulator(i32, [2, 2]) } },
      function* ({ a, acc, o }) {
        yield* Pipeline.multiplyAccumulate(acc, a, a)
        yield* Pipeline.wait()
        yield* MemRef.store(o, yield* Pipeline.read(acc))
      }
    )
    const outer = single({ ...refs, p: MemRef.out(i32, [2, 2]) }, function* ({ a, o, p }) {
      yield* Kernel.call(inner, { a, o })
      yield* Kernel.call(inner, { a: o, o: p })
    })
    await onEach(outer, args, { o: squared, p: product(Int32Array.from(squared), Int32Array.from(squared), [2, 2, 2]) })
  })
  it.each([
    [20, 30, "private"],
    [50, 60, "workgroup"],
    [70, 80, "storage"]
  ] as const)("of %i×%i is in memory of the kind %s", async (m, n, space) => {
    const kernel = once("i32", [m, 3, n], { a: "ref", b: "ref" })
    const [x, y] = [ints(m * 3, 1), ints(3 * n, 2)]
    await onEach(kernel, { a: x, b: y }, { o: product(x, y, [m, 3, n]) })
    const wgsl = await Effect.runPromise(Kernel.wgsl(kernel) as Effect.Effect<string>)
    const own = /var acc: array/.test(wgsl) ? "private" : /var<workgroup> acc\b/.test(wgsl) ? "workgroup" : "storage"
    expect(own).toBe(space)
  })
  it("has batches", async () => {
    const kernel = Kernel.make(
      "batches",
      {
        grid: [1],
        refs: { a: MemRef.in(i32, [2, 3, 2]), b: MemRef.in(i32, [2, 2, 4]), o: MemRef.out(i32, [2, 3, 4]) },
        scratch: { acc: Pipeline.accumulator(i32, [2, 3, 4]) }
      },
      function* ({ a, acc, b, o }) {
        yield* Pipeline.multiplyAccumulate(acc, a, b)
        yield* Pipeline.wait()
        yield* MemRef.store(o, yield* Pipeline.read(acc))
      }
    )
    const [x, y] = [ints(12, 4), ints(16, 6)]
    const expected = [0, 1].flatMap((batch) => [
      ...product(x.subarray(6 * batch, 6 * batch + 6), y.subarray(8 * batch, 8 * batch + 8), [3, 2, 4])
    ])
    await onEach(kernel, { a: x, b: y }, { o: expected })
  })
})

describe("what is multiplied", () => {
  const refs = { a: MemRef.inout(i32, [2, 2]), o: MemRef.out(i32, [2, 2]) }
  it("is what the factors hold when it is issued", async () => {
    const kernel = Kernel.make(
      "issued",
      { grid: [1], refs, scratch: { acc: Pipeline.accumulator(i32, [2, 2]) } },
      function* ({ a, acc, o }) {
        yield* Pipeline.multiplyAccumulate(acc, a, a)
        yield* MemRef.store(a, 0)
        yield* Pipeline.wait()
        yield* MemRef.store(o, yield* Pipeline.read(acc))
      }
    )
    await onEach(kernel, { a: Int32Array.of(1, 2, 3, 4) }, { a: [0, 0, 0, 0], o: [7, 10, 15, 22] })
  })
  it("may be scratch that this program instance has written", async () => {
    const kernel = Kernel.make(
      "staged",
      {
        grid: [1],
        refs,
        scratch: {
          acc: Pipeline.accumulator(i32, [2, 2]),
          x: Scratch.workgroup(i32, [2, 2]),
          y: Scratch.register(i32, [2, 2])
        }
      },
      function* ({ a, acc, o, x, y }) {
        const tile = yield* MemRef.load(a)
        yield* Control.forEach(0, 3, function* (k) {
          yield* MemRef.store(x, tile.add(k))
          yield* MemRef.store(y, tile.sub(k))
          yield* Pipeline.multiplyAccumulate(acc, x, y)
          yield* Pipeline.wait(1)
        })
        yield* Pipeline.wait()
        yield* MemRef.store(o, yield* Pipeline.read(acc))
      }
    )
    const turns = [0, 1, 2].map((k) =>
      product(
        Int32Array.from([1, 2, 3, 4], (v) => v + k),
        Int32Array.from([1, 2, 3, 4], (v) => v - k),
        [2, 2, 2]
      )
    )
    await onEach(
      kernel,
      { a: Int32Array.of(1, 2, 3, 4) },
      { o: Array.from(turns[0]!, (v, e) => v + turns[1]![e]! + turns[2]![e]!) }
    )
  })
  it("may be views: slices with strides, gathers, transposes, out of bounds 0", async () => {
    const kernel = Kernel.make(
      "views",
      {
        grid: [1],
        refs: {
          a: MemRef.in(i32, [4, 6]),
          b: MemRef.in(i32, [5, 3]),
          rows: MemRef.in(i32, [3]),
          start: MemRef.scalar(i32),
          o: MemRef.out(i32, [2, 3])
        },
        scratch: { acc: Pipeline.accumulator(i32, [2, 3]) }
      },
      function* ({ a, acc, b, o, rows, start }) {
        const picked = yield* MemRef.load(rows)
        const left = MemRef.at(a, [MemRef.slice(start, 2, 2), MemRef.slice(1, 3, 2)])
        yield* Pipeline.multiplyAccumulate(acc, left, MemRef.at(b, [picked, ":"]))
        yield* Pipeline.multiplyAccumulate(acc, MemRef.transpose(MemRef.at(b, [":", MemRef.slice(0, 2)])), b)
        yield* Pipeline.wait()
        yield* MemRef.store(o, yield* Pipeline.read(acc))
      }
    )
    const [a, b] = [ints(24, 1), ints(15, 2)]
    const [rows, start] = [Int32Array.of(4, 0, 5), 3]
    const at = (x: Int32Array, [m, n]: readonly [number, number], i: number, j: number): number =>
      i >= 0 && i < m && j >= 0 && j < n ? x[i * n + j]! : 0
    const expected = [0, 1].flatMap((i) =>
      [0, 1, 2].map((j) => {
        let sum = 0
        for (let k = 0; k < 3; k++) sum += at(a, [4, 6], start + 2 * i, 1 + 2 * k) * at(b, [5, 3], rows[k]!, j)
        for (let k = 0; k < 5; k++) sum += at(b, [5, 3], k, i) * at(b, [5, 3], k, j)
        return sum
      })
    )
    await onEach(kernel, { a, b, rows, start }, { o: expected })
  })
  it("may be an accumulator's own tile", async () => {
    const kernel = Kernel.make(
      "powers",
      { grid: [1], refs, scratch: { acc: Pipeline.accumulator(i32, [2, 2]) } },
      function* ({ a, acc, o }) {
        yield* Pipeline.set(acc, yield* MemRef.load(a))
        yield* Control.forEach(0, 2, function* () {
          yield* Pipeline.multiplyAccumulate(acc, yield* Pipeline.read(acc), a)
          yield* Pipeline.wait()
        })
        yield* MemRef.store(o, yield* Pipeline.read(acc))
      }
    )
    // A·(I + A)²
    const a = Int32Array.of(1, 2, 3, 4)
    const plus = Int32Array.of(2, 2, 3, 5)
    await onEach(kernel, { a }, { o: product(product(a, plus, [2, 2, 2]), plus, [2, 2, 2]) })
  })
})

describe("several accumulators", () => {
  it("are in flight at once, and are waited for in order", async () => {
    const kernel = Kernel.make(
      "several",
      {
        grid: [1],
        refs: { a: MemRef.in(i32, [2, 2]), o: MemRef.out(i32, [2, 2]), p: MemRef.out(i32, [2, 2]) },
        scratch: { x: Pipeline.accumulator(i32, [2, 2]), y: Pipeline.accumulator(i32, [2, 2]) }
      },
      function* ({ a, o, p, x, y }) {
        yield* Pipeline.multiplyAccumulate(x, a, a)
        yield* Pipeline.multiplyAccumulate(y, a, a, { transposeB: true })
        yield* Pipeline.wait(1)
        yield* MemRef.store(o, yield* Pipeline.read(x))
        yield* Pipeline.multiplyAccumulate(x, a, a)
        yield* Pipeline.wait(1)
        yield* MemRef.store(p, yield* Pipeline.read(y))
        yield* Pipeline.wait()
      }
    )
    await onEach(kernel, { a: Int32Array.of(1, 2, 3, 4) }, { o: [7, 10, 15, 22], p: [5, 11, 11, 25] })
  })
})

describe("a tiled product", () => {
  const plain = ([m, k, n]: Size) =>
    single(
      { a: MemRef.in(f32, [m, k]), b: MemRef.in(f32, [k, n]), o: MemRef.out(f32, [m, n]) },
      function* ({ a, b, o }) {
        yield* MemRef.store(o, Tile.dot(yield* MemRef.load(a), yield* MemRef.load(b)))
      }
    )
  it.each([
    [[16, 16, 16], 8, 8],
    [[13, 21, 10], 8, 4],
    [[9, 5, 17], 4, 3],
    [[1, 40, 1], 2, 16]
  ] as ReadonlyArray<readonly [Size, number, number]>)(
    "of %j in blocks of %i, %i of k at a time, is dot's",
    async (size, tile, step) => {
      const [m, k, n] = size
      const args = { a: reals(m * k, 7), b: reals(k * n, 9) }
      const { o } = await results(plain(size), args)
      await onEach(tiled(size, tile, step), args, { o: o! }, { within: 1e-5 })
    }
  )
  it("adds products that are exact in f32 to what dot gives, bit for bit", async () => {
    const size: Size = [9, 14, 10]
    const args = { a: Float32Array.from(ints(126, 1)), b: Float32Array.from(ints(140, 2)) }
    for (const on of interpreters) {
      const { o } = await results(plain(size), args, on)
      await onEach(tiled(size, 4, 5), args, { o: o! }, { on: [on] })
    }
  })
})

describe("the order of a sum", () => {
  it("is within a multiply-accumulate that of dot, and then the accumulator's: on Discharge to the bit", async () => {
    const refs = { a: MemRef.in(f32, [1, 8]), b: MemRef.in(f32, [8, 1]), o: MemRef.out(f32, [1, 1]) }
    const halvesOf = Kernel.make(
      "halves",
      { grid: [1], refs, scratch: { acc: Pipeline.accumulator(f32, [1, 1]) } },
      function* ({ a, acc, b, o }) {
        for (const start of [0, 4]) {
          const at = MemRef.slice(start, 4)
          yield* Pipeline.multiplyAccumulate(acc, MemRef.at(a, [":", at]), MemRef.at(b, [at, ":"]))
        }
        yield* Pipeline.wait()
        yield* MemRef.store(o, yield* Pipeline.read(acc))
      }
    )
    const [a, b] = [reals(8, 11), reals(8, 12)]
    const part = (from: number): number => {
      let sum = 0
      for (let k = from; k < from + 4; k++) sum = Math.fround(sum + Math.fround(a[k]! * b[k]!))
      return sum
    }
    const { o } = await results(halvesOf, { a, b })
    expect(o![0]).toBe(Math.fround(part(0) + part(4)))
  })
})

describe("refs of storage dtypes are factors as what a load gives", () => {
  it("i8 is summed in i32, bf16 in f32, beyond what they hold themselves", async () => {
    const k = Kernel.make(
      "stored",
      {
        grid: [1],
        refs: {
          a: MemRef.in(i8, [2, 3]),
          b: MemRef.in(i8, [3, 2]),
          x: MemRef.in(bf16, [2, 2]),
          o: MemRef.out(i32, [2, 2]),
          y: MemRef.out(f32, [2, 2])
        },
        scratch: { sum: Pipeline.accumulator(i32, [2, 2]), floats: Pipeline.accumulator(f32, [2, 2]) }
      },
      function* ({ a, b, floats, o, sum, x, y }) {
        yield* Pipeline.multiplyAccumulate(sum, a, b)
        yield* Pipeline.multiplyAccumulate(sum, a, b)
        yield* Pipeline.multiplyAccumulate(floats, x, x, { transposeB: true })
        yield* Pipeline.wait()
        yield* MemRef.store(o, yield* Pipeline.read(sum))
        yield* MemRef.store(y, yield* Pipeline.read(floats))
      }
    )
    const args = {
      a: Int8Array.of(127, -128, 1, 100, 2, -3),
      b: Int8Array.of(127, 1, -128, 2, 5, 3),
      x: Uint16Array.of(0x3f81, 0x4000, 0xbf80, 0x3f80)
    }
    await onEach(k, args, { o: [65036, -252, 24858, 190], y: [5.01568603515625, 0.9921875, 0.9921875, 2] })
  })
  it("u8 stands beside u4, i8 beside a tile of i32, staged or not", async () => {
    const k = Kernel.make(
      "beside",
      {
        grid: [1],
        refs: {
          a: MemRef.in(DType.u8, [3, 4]),
          b: MemRef.in(DType.u4, [2, 4]),
          c: MemRef.in(i8, [3, 3]),
          o: MemRef.out(u32, [3, 2]),
          p: MemRef.out(i32, [3, 3])
        },
        scratch: {
          sum: Pipeline.accumulator(u32, [3, 2]),
          signed: Pipeline.accumulator(i32, [3, 3]),
          x: Scratch.workgroup(DType.u8, [3, 4])
        }
      },
      function* ({ a, b, c, o, p, signed, sum, x }) {
        yield* MemRef.store(x, yield* MemRef.load(a))
        yield* Pipeline.multiplyAccumulate(sum, a, b, { transposeB: true })
        yield* Pipeline.multiplyAccumulate(sum, x, yield* MemRef.load(b), { transposeB: true })
        yield* Pipeline.multiplyAccumulate(signed, c, (yield* MemRef.load(c)).mul(1000))
        yield* Pipeline.wait()
        yield* MemRef.store(o, yield* Pipeline.read(sum))
        yield* MemRef.store(p, yield* Pipeline.read(signed))
      }
    )
    const a = Uint8Array.from({ length: 12 }, (_, k) => 255 - 20 * k)
    const nibbles = Int32Array.of(1, 2, 3, 4, 5, 15, 7, 8)
    const c = Int8Array.of(127, -128, 3, 1, 2, -3, 100, 0, 7)
    const one = product(Int32Array.from(a), transposed(nibbles, 2, 4), [3, 4, 2])
    const thousands = product(Int32Array.from(c), Int32Array.from(c), [3, 3, 3]).map((x) => 1000 * x)
    const args = { a, b: Uint8Array.of(0x21, 0x43, 0xf5, 0x87), c }
    await onEach(k, args, { o: Array.from(one, (x) => 2 * x), p: thousands })
  })
})
