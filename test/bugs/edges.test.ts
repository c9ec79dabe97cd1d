/**
 * Bugs that others reported: ragged edges, softmax, norms (1 to 26).
 *
 * | not here | why |
 * |---|---|
 * | 1, 5, 10, 13, 17, 19, 22 | the author's own mistake, which property tests find; no rule of the library decides it |
 * | 25, 26 | bf16: in test/storage |
 */
import { describe, it } from "vitest"
import { bool, DType, f16, f32, i32, Kernel, MemRef, Tile } from "../../src/index.ts"
import { mapping, onEach, single } from "../support/kernels.ts"

const floats = (...xs: ReadonlyArray<number>) => Float32Array.from(xs)
const f16Array = (n: number) => new DType.Float16Array(n)
const filled16 = (n: number, value: number): ArrayLike<number> => f16Array(n).fill(value)
const filled = (n: number, f: (i: number) => number) => Float32Array.from({ length: n }, (_, i) => f(i))

describe("fills and identities", () => {
  // 2: the fill is what the kernel says, also where it is 0, -0, false or NaN.
  it.each([
    [0, 120],
    [-0, 120],
    [1, 360],
    [NaN, NaN]
  ])("2: the sum of 16 values in a block of 256, filled with %d, is %d", async (fill, sum) => {
    const k = Kernel.make(
      "filled",
      { grid: [1], refs: { x: MemRef.in(f32, [16], { block: [256] }), o: MemRef.out(f32, []) } },
      function* ({ o, x }) {
        const mask = Tile.iota(i32, [256]).lt(16)
        yield* MemRef.store(o, Tile.sum(yield* MemRef.load(x, { mask, other: fill })))
      }
    )
    await onEach(k, { x: filled(16, (i) => i) }, { o: [sum] })
  })
  it("2: a fill of false stays false, one of true stays true", async () => {
    for (const other of [false, true]) {
      const k = single({ x: MemRef.in(bool, [4]), o: MemRef.out(bool, [4]) }, function* ({ o, x }) {
        const mask = Tile.iota(i32, [4]).lt(2)
        yield* MemRef.store(o, yield* MemRef.load(x, { mask, other: Tile.of(bool, other) }))
      })
      await onEach(k, { x: Uint8Array.of(1, 1, 1, 0) }, { o: [1, 1, Number(other), Number(other)] })
    }
  })
  // 4: padding is 0 on the device and off it, so that a missing mask shows on both; a mask mends it on both.
  it("4: the minimum of a ragged column: 0 from the padding without a mask, right with one", async () => {
    const column = (masked: boolean) =>
      Kernel.make(
        "columnMin",
        {
          grid: [3],
          refs: {
            x: MemRef.in(f32, [10], { block: [4], index: (i) => [i!] }),
            o: MemRef.out(f32, [3], { block: [1], index: (i) => [i!] }),
            at: MemRef.in(i32, [12], { block: [4], index: (i) => [i!] })
          }
        },
        function* ({ at, o, x }) {
          const mask = (yield* MemRef.load(at)).lt(10)
          yield* MemRef.store(o, Tile.min(yield* MemRef.load(x, masked ? { mask, other: Infinity } : {})))
        }
      )
    const args = { x: filled(10, (i) => i + 1), at: Int32Array.from({ length: 12 }, (_, i) => i) }
    await onEach(column(false), args, { o: [1, 5, 0] })
    await onEach(column(true), args, { o: [1, 5, 9] })
  })
  // 7: a running minimum starts at infinity, not at the largest value of some smaller type.
  it("7: minima and maxima beyond 16 bits", async () => {
    const least = (dtype: any) => mapping(dtype, dtype, 2, (x) => Tile.min(x as any, { keepDims: true }), 1)
    const most = (dtype: any) => mapping(dtype, dtype, 2, (x) => Tile.max(x as any, { keepDims: true }), 1)
    await onEach(least(f32), { x: floats(40000, 50000) }, { o: [40000] })
    await onEach(most(f32), { x: floats(-40000, -50000) }, { o: [-40000] })
    await onEach(least(i32), { x: Int32Array.of(2147483646, 2147483647) }, { o: [2147483646] })
    await onEach(most(i32), { x: Int32Array.of(-2147483647, -2147483648) }, { o: [-2147483647] })
    await onEach(least(f32), { x: floats(Infinity, Infinity) }, { o: [Infinity] })
  })
  // 8: every position of the row can win, also where two halves of a reduction meet.
  it("8: argmax finds the one wherever it stands", async () => {
    const rows = 88
    const k = single({ x: MemRef.in(f32, [rows, 88]), o: MemRef.out(i32, [rows]) }, function* ({ o, x }) {
      yield* MemRef.store(o, Tile.argmax(yield* MemRef.load(x), { axis: 1 }))
    })
    const x = filled(rows * 88, (i) => (Math.floor(i / 88) === i % 88 ? 1 : 0))
    await onEach(k, { x }, { o: Array.from({ length: rows }, (_, i) => i) })
  })
})

describe("softmax", () => {
  const softmax = (safe: boolean) =>
    single({ x: MemRef.in(f32, [2, 4]), o: MemRef.out(f32, [2, 4]) }, function* ({ o, x }) {
      const v = yield* MemRef.load(x)
      const max = Tile.max(v, { axis: 1, keepDims: true })
      const shift = safe ? Tile.select(max.eq(-Infinity), 0, max) : max
      const e = v.sub(shift).exp()
      const sum = Tile.sum(e, { axis: 1, keepDims: true })
      yield* MemRef.store(o, e.div(safe ? sum.max(1e-30) : sum))
    })
  const free = [0, 1, 2, 3].map((i) => Math.exp(i) / [0, 1, 2, 3].reduce((s, k) => s + Math.exp(k), 0))
  const x = floats(-Infinity, -Infinity, -Infinity, -Infinity, 0, 1, 2, 3)
  // 11: -inf minus -inf is NaN on both; the guarded kernel gives zeros on both; the other row does not notice.
  it("11: a fully masked row is NaN without a guard and 0 with one, and the other row is untouched", async () => {
    await onEach(softmax(false), { x }, { o: [NaN, NaN, NaN, NaN, ...free] }, { within: 1e-5 })
    await onEach(softmax(true), { x }, { o: [0, 0, 0, 0, ...free] }, { within: 1e-5 })
  })
  // 14: a sum of f16 does not stop growing at 2048.
  it("14: softmax of 4096 zeros in f16 gives 1/4096 each", async () => {
    const k = single({ x: MemRef.in(f16, [4096]), o: MemRef.out(f16, [4096]) }, function* ({ o, x }) {
      const e = (yield* MemRef.load(x)).exp()
      yield* MemRef.store(o, e.div(Tile.sum(e, { axis: 0, keepDims: true })))
    })
    await onEach(k, { x: filled16(4096, 0) }, { o: filled(4096, () => 1 / 4096) })
  })
  // 16: the largest element is taken out only where it is finite.
  it("16: logsumexp of all -inf is -inf, with +inf it is +inf", async () => {
    const k = single({ x: MemRef.in(f32, [4, 2]), o: MemRef.out(f32, [4]) }, function* ({ o, x }) {
      const v = yield* MemRef.load(x)
      const max = Tile.max(v, { axis: 1 })
      const shift = Tile.select(max.isFinite(), max, 0)
      const sum = Tile.sum(v.sub(Tile.expandDims(shift, 1)).exp(), { axis: 1 })
      yield* MemRef.store(o, sum.log().add(shift))
    })
    const x = floats(-Infinity, -Infinity, Infinity, 0, -Infinity, 3, 1000, 1000)
    await onEach(k, { x }, { o: [-Infinity, Infinity, 3, 1000 + Math.LN2] }, { within: 1e-6 })
  })
})

describe("norms in f16", () => {
  const rms = (wide: boolean) =>
    single({ x: MemRef.in(f16, [4]), o: MemRef.out(f16, [4]) }, function* ({ o, x }) {
      const given = yield* MemRef.load(x)
      const v = wide ? given.convert(f32) : (given as unknown as Tile.Tile<"f32", [4]>)
      const mean = Tile.sum(v.mul(v), { axis: 0, keepDims: true }).mul(0.25)
      yield* MemRef.store(o, v.mul(mean.rsqrt()).convert(f16))
    })
  // 20: squares of f16 overflow to infinity on both; computed in f32 they do not.
  it("20: RMS norm of 600s: 1 in f32, and 0 on every interpreter where the author squares in f16", async () => {
    await onEach(rms(true), { x: filled16(4, 600) }, { o: [1, 1, 1, 1] })
    await onEach(rms(false), { x: filled16(4, 600) }, { o: [0, 0, 0, 0] })
  })
  // 23: a dot product of f16 accumulates in f32, however it is blocked.
  it("23: large partial sums of an f16 dot product cancel", async () => {
    const k = single(
      { a: MemRef.in(f16, [1, 4]), b: MemRef.in(f16, [4, 1]), o: MemRef.out(f32, [1, 1]) },
      function* (r) {
        yield* MemRef.store(r.o, Tile.dot(yield* MemRef.load(r.a), yield* MemRef.load(r.b)))
      }
    )
    const a = Object.assign(f16Array(4), { 0: 36000, 1: 36000, 2: -36000, 3: -36000 })
    await onEach(k, { a, b: filled16(4, 1) }, { o: [0] })
  })
})
