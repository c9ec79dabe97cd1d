/**
 * Indexing, masks: cases 14, 15, 16, 17, 19, 20, 21, 24, 25, 26, 27, 28, 29, 31, 32, 34, 35, 38, and 39, 40, 42, 43, 45. All
 * are here, as far as the results go.
 *
 * | not here | why |
 * |---|---|
 * | the reports of 15, 16, 17, 19, 28, 29 | reports come with the simulator |
 */
import { describe, expect, it } from "vitest"
import { bool, Control, f32, i32, Kernel, MemRef, Tile, u32 } from "../../src/index.ts"
import { kernelError, mapping, onEach, pointedAt, single } from "../support/kernels.ts"

const range = (n: number, from = 0) => Int32Array.from({ length: n }, (_, i) => from + i)
const x = range(8)

/** Reads `size` elements from a start that is known only when the kernel runs. */
const window = (size: number) =>
  single({ s: MemRef.scalar(i32), x: MemRef.in(i32, [8]), o: MemRef.out(i32, [size]) }, function* ({ o, s, x }) {
    yield* MemRef.store(o, yield* MemRef.load(MemRef.at(x, [MemRef.slice(s, size)])))
  })
/** Reads one element at a position that is known only when the kernel runs. */
const element = single({ i: MemRef.scalar(i32), x: MemRef.in(i32, [8]), o: MemRef.out(i32, []) }, function* (r) {
  yield* MemRef.store(r.o, yield* MemRef.load(MemRef.at(r.x, [r.i])))
})

describe("positions out of bounds", () => {
  it("14: a static index out of range fails when the kernel is traced", async () => {
    const k = single({ x: MemRef.in(i32, [8]), o: MemRef.out(i32, []) }, function* ({ o, x }) {
      yield* MemRef.store(o, yield* MemRef.load(MemRef.at(x, [8])))
    })
    const error = await kernelError("InvalidIndex", k, { x })
    expect(error).toMatchObject({
      ref: "x",
      shape: [8],
      detail: "static index 8 is out of range for an axis of size 8"
    })
    expect(pointedAt(error)).toContain("MemRef.at(x, [8])")
  })
  it("15: a dynamic index past the end reads 0", () => onEach(element, { i: 9, x }, { o: [0] }))
  it("16: a dynamic negative index reads 0 and does not wrap", () =>
    onEach(element, { i: -1, x: range(8, 1) }, { o: [0] }))
  it("16: a static negative index counts from the end", async () => {
    const k = single({ x: MemRef.in(i32, [8]), o: MemRef.out(i32, []) }, function* ({ o, x }) {
      yield* MemRef.store(o, yield* MemRef.load(MemRef.at(x, [-1])))
    })
    await onEach(k, { x }, { o: [7] })
  })
  it("16: a tile that is computed from constants is dynamic, whatever folding does", async () => {
    const k = single({ x: MemRef.in(i32, [8]), o: MemRef.out(i32, []) }, function* ({ o, x }) {
      yield* MemRef.store(o, yield* MemRef.load(MemRef.at(x, [Tile.of(i32, 1).sub(2)])))
    })
    await onEach(k, { x: range(8, 1) }, { o: [0] })
  })
  it("17: a dynamic slice past the end reads 0 there", () => onEach(window(4), { s: 6, x }, { o: [6, 7, 0, 0] }))
  it("19: a dynamic slice from before the start reads 0 there", async () => {
    await onEach(window(4), { s: -2, x }, { o: [0, 0, 0, 1] })
    await onEach(window(4), { s: -2, x: range(8, 10) }, { o: [0, 0, 10, 11] })
  })
  it("28: a gather reads 0 out of bounds", async () => {
    const k = single(
      { i: MemRef.in(i32, [4]), x: MemRef.in(i32, [8]), o: MemRef.out(i32, [4]) },
      function* ({ i, o, x }) {
        yield* MemRef.store(o, yield* MemRef.load(MemRef.at(x, [yield* MemRef.load(i)])))
      }
    )
    await onEach(k, { i: Int32Array.of(0, 9, -1, -9), x }, { o: [0, 0, 0, 0] })
    await onEach(k, { i: Int32Array.of(0, 9, -1, -9), x: range(8, 10) }, { o: [10, 0, 0, 0] })
  })
  it("29: a scatter drops what is out of bounds", async () => {
    const k = single(
      { i: MemRef.in(i32, [4]), v: MemRef.in(i32, [4]), o: MemRef.inout(i32, [8]) },
      function* ({ i, o, v }) {
        yield* MemRef.store(MemRef.at(o, [yield* MemRef.load(i)]), yield* MemRef.load(v))
      }
    )
    const args = { i: Int32Array.of(0, 9, -1, -9), v: range(4, 100), o: x }
    await onEach(k, args, { o: [100, 1, 2, 3, 4, 5, 6, 7] })
  })
})

describe("slices", () => {
  it("20: a strided read", async () => {
    const k = single({ x: MemRef.in(i32, [8]), o: MemRef.out(i32, [3]) }, function* ({ o, x }) {
      yield* MemRef.store(o, yield* MemRef.load(MemRef.at(x, [MemRef.slice(1, 3, 3)])))
    })
    await onEach(k, { x }, { o: [1, 4, 7] })
  })
  it("21: a strided write leaves what lies between", async () => {
    const k = single({ x: MemRef.in(i32, [8]), o: MemRef.out(i32, [8]) }, function* ({ o, x }) {
      yield* MemRef.store(o, yield* MemRef.load(x))
      yield* MemRef.store(MemRef.at(o, [MemRef.slice(1, 3, 3)]), Tile.iota(i32, [3]).add(100))
    })
    await onEach(k, { x }, { o: [0, 100, 2, 3, 101, 5, 6, 102] })
  })
  it.each([
    ["24: a stride of 0", 0],
    ["25: a stride of -1", -1],
    ["25: a stride of 1.5", 1.5]
  ])("%s is a typed error", async (_, stride) => {
    const k = single({ s: MemRef.scalar(i32), x: MemRef.in(i32, [8]), o: MemRef.out(i32, [3]) }, function* (r) {
      yield* MemRef.store(r.o, yield* MemRef.load(MemRef.at(r.x, [MemRef.slice(r.s, 3, stride)])))
    })
    const error = await kernelError("InvalidIndex", k, { s: 2, x })
    expect(error.detail).toContain(`stride ${stride} on axis 0`)
    expect(pointedAt(error)).toContain("MemRef.slice(r.s, 3, stride)")
  })
  it("26: the sum of an empty slice is 0", async () => {
    const k = single({ x: MemRef.in(i32, [8]), o: MemRef.out(i32, []) }, function* ({ o, x }) {
      yield* MemRef.store(o, Tile.sum(yield* MemRef.load(MemRef.at(x, [MemRef.slice(3, 0)]))))
    })
    await onEach(k, { x }, { o: [0] })
  })
  it("27: an empty output gives an empty result", () =>
    onEach(
      mapping(i32, i32, 0, (v) => v.add(1)),
      { x: range(0) },
      { o: [] }
    ))
})

describe("duplicates", () => {
  it("31: adding at equal positions adds all", async () => {
    const k = single({ i: MemRef.in(i32, [3]), v: MemRef.in(i32, [3]), o: MemRef.inout(i32, [8]) }, function* (r) {
      yield* MemRef.accumulate(MemRef.at(r.o, [yield* MemRef.load(r.i)]), yield* MemRef.load(r.v))
    })
    await onEach(k, { i: Int32Array.of(1, 1, 1), v: range(3, 100), o: x }, { o: [0, 304, 2, 3, 4, 5, 6, 7] })
  })
})

describe("views compose, read and write", () => {
  it("32: an index of an index of a slice", async () => {
    const k = single({ o: MemRef.out(f32, [16, 16, 16]) }, function* ({ o }) {
      const rows = MemRef.at(o, [MemRef.slice(0, 8)])
      const corner = MemRef.at(MemRef.at(rows, [0]), [MemRef.slice(0, 4), MemRef.slice(0, 4)])
      yield* MemRef.store(corner, Tile.iota(f32, [4, 4], 1).add(1))
    })
    const expected = new Float32Array(16 ** 3)
    for (let i = 0; i < 4; i++) for (let j = 0; j < 4; j++) expected[16 * i + j] = j + 1
    await onEach(k, {}, { o: expected })
  })
  it("34: a row of a reshaped ref, read and written", async () => {
    const k = single({ x: MemRef.in(i32, [8]), o: MemRef.out(i32, [4]), w: MemRef.out(i32, [8]) }, function* (r) {
      const row = yield* MemRef.load(MemRef.at(MemRef.reshape(r.x, [2, 4]), [1]))
      yield* MemRef.store(r.o, row)
      yield* MemRef.store(MemRef.at(MemRef.reshape(r.w, [2, 4]), [1]), row)
    })
    await onEach(k, { x }, { o: [4, 5, 6, 7], w: [0, 0, 0, 0, 4, 5, 6, 7] })
  })
  it("35: small integers seen as floats keep their bits, read and written", async () => {
    const k = single({ x: MemRef.in(i32, [8]), o: MemRef.out(u32, [8]), w: MemRef.out(i32, [8]) }, function* (r) {
      const seen = yield* MemRef.load(MemRef.bitcast(r.x, f32))
      yield* MemRef.store(r.o, seen.bitcast(u32))
      yield* MemRef.store(MemRef.bitcast(r.w, f32), seen)
    })
    await onEach(k, { x }, { o: x, w: x })
  })
  it("38: an ellipsis takes the missing dimensions whole", async () => {
    const k = single({ x: MemRef.in(i32, [2, 3, 5]), o: MemRef.out(i32, [2, 3]) }, function* ({ o, x }) {
      yield* MemRef.store(o, (yield* MemRef.load(MemRef.at(x, ["...", 4]))) as any)
    })
    await onEach(k, { x: range(30) }, { o: [4, 9, 14, 19, 24, 29] })
  })
})

describe("masks", () => {
  const even = () => Tile.iota(i32, [8]).rem(2).eq(0)
  it("39: a masked load without a fallback gives 0", async () => {
    const k = single({ x: MemRef.in(i32, [8]), o: MemRef.out(i32, [8]) }, function* ({ o, x }) {
      yield* MemRef.store(o, yield* MemRef.load(x, { mask: even() }))
    })
    await onEach(k, { x }, { o: [0, 0, 2, 0, 4, 0, 6, 0] })
  })
  it("40: a masked load with a fallback gives the fallback", async () => {
    const k = single({ x: MemRef.in(i32, [8]), o: MemRef.out(i32, [8]) }, function* ({ o, x }) {
      yield* MemRef.store(o, yield* MemRef.load(x, { mask: even(), other: -1 }))
    })
    await onEach(k, { x }, { o: [0, -1, 2, -1, 4, -1, 6, -1] })
  })
  it("42: a masked gather gives the fallback where its positions are out of bounds", async () => {
    const k = single({ i: MemRef.in(i32, [4]), x: MemRef.in(i32, [8]), o: MemRef.out(i32, [4]) }, function* (r) {
      const i = yield* MemRef.load(r.i)
      yield* MemRef.store(r.o, yield* MemRef.load(MemRef.at(r.x, [i]), { mask: i.lt(8), other: -1 }))
    })
    await onEach(k, { i: range(4, 6), x }, { o: [6, 7, -1, -1] })
  })
  const sizes = [1, 2, 64, 129, 1021].flatMap((n) => [1, 2, 32, 64, 128].map((block) => ({ n, block })))
  it.each(sizes)("43: masked add-one of $n elements in blocks of $block", async ({ block, n }) => {
    const whole = { block: [block], index: (i: Tile.I32) => [i] } as any
    const k = Kernel.make(
      "addOne",
      { grid: [Math.ceil(n / block)], refs: { x: MemRef.in(i32, [n], whole), o: MemRef.out(i32, [n], whole) } },
      function* ({ o, x }) {
        const at = (yield* Control.programId(0)).mul(block).add(Tile.iota(i32, [block]))
        const mask = at.lt(n)
        yield* MemRef.store(o, (yield* MemRef.load(x, { mask } as any)).add(1) as any, { mask } as any)
      }
    )
    await onEach(k, { x: range(n) }, { o: range(n, 1) })
  })
  it("45: a store that is masked everywhere changes nothing", async () => {
    const k = single({ o: MemRef.inout(i32, [8]) }, function* ({ o }) {
      yield* MemRef.store(o, 9, { mask: Tile.full(bool, [8], false) })
    })
    await onEach(k, { o: x }, { o: x })
  })
})
