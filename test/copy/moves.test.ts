/** What a copy moves: from any ref or view to any other, read at the start, landing at the wait. */
import { describe, it } from "vitest"
import { bool, Control, Copy, DType, f16, f32, i32, Kernel, MemRef, Scratch, Tile, u32 } from "../../src/index.ts"
import { onEach, single } from "../support/kernels.ts"

const range = (n: number, f = (k: number) => k) => Array.from({ length: n }, (_, k) => f(k))
const ints = (n: number, f?: (k: number) => number) => Int32Array.from(range(n, f))

describe("a copy", () => {
  it("goes from an argument to a result, of every dtype", async () => {
    const of = async <D extends DType.Name>(dtype: DType.DType<D>, x: DType.HostArray) => {
      const k = single({ x: MemRef.in(dtype, [4]), o: MemRef.out(dtype, [4]) }, function* ({ o, x }) {
        yield* Copy.wait(yield* Copy.start(x, o))
      })
      await onEach(k, { x }, { o: x })
    }
    await of(f32, Float32Array.of(0.5, NaN, -Infinity, 1e-3))
    await of(f16, new DType.Float16Array([0.5, NaN, -Infinity, 1024]))
    await of(i32, Int32Array.of(1, -2, 2 ** 31 - 1, 0))
    await of(u32, Uint32Array.of(1, 2, 2 ** 32 - 1, 0))
    await of(bool, Uint8Array.of(1, 0, 1, 1))
  })
  const through = (space: "workgroup" | "register", n: number) =>
    Kernel.make(
      "through",
      {
        grid: [1],
        refs: { x: MemRef.in(i32, [n]), o: MemRef.out(i32, [n]) },
        scratch: { a: Scratch[space](i32, [n]), b: Scratch[space](i32, [n]) }
      },
      function* ({ a, b, o, x }) {
        yield* Copy.wait(yield* Copy.start(x, a))
        yield* MemRef.store(a, (yield* MemRef.load(a)).add(1))
        yield* Copy.fence()
        yield* Copy.wait(yield* Copy.start(a, b))
        yield* MemRef.store(b, Tile.flip(yield* MemRef.load(b)))
        yield* Copy.wait(yield* Copy.start(b, o))
      }
    )
  it.each([
    ["workgroup", 5],
    ["workgroup", 300],
    ["register", 64],
    ["register", 1]
  ] as const)("goes to %s scratch of %i elements, from there to other scratch, and to a result", async (space, n) => {
    await onEach(through(space, n), { x: ints(n) }, { o: range(n, (k) => n - k) })
  })
  it("takes single elements, and those of rank 0", async () => {
    const refs = { x: MemRef.in(i32, []), y: MemRef.in(i32, [3]), o: MemRef.out(i32, []), p: MemRef.out(i32, [3]) }
    const k = single(refs, function* ({ o, p, x, y }) {
      const a = yield* Copy.start(x, MemRef.at(p, [1]))
      const b = yield* Copy.start(MemRef.at(y, [2]), o)
      yield* Copy.wait(b)
      yield* Copy.wait(a)
    })
    await onEach(k, { x: Int32Array.of(7), y: ints(3) }, { o: [2], p: [0, 7, 0] })
  })
  it("of nothing copies nothing", async () => {
    const k = single({ x: MemRef.in(i32, [0]), o: MemRef.out(i32, [0]) }, function* ({ o, x }) {
      yield* Copy.wait(yield* Copy.start(x, o))
    })
    await onEach(k, { x: ints(0) }, { o: [] })
  })
  it("of more than the workgroup's memory holds arrives", async () => {
    const n = 20_000
    const k = single({ x: MemRef.in(f32, [n]), o: MemRef.out(f32, [n]) }, function* ({ o, x }) {
      const token = yield* Copy.start(x, o)
      yield* MemRef.store(o, 1)
      yield* Copy.wait(token)
    })
    await onEach(k, { x: Float32Array.from(range(n)) }, { o: range(n) })
  })
})

describe("what is copied", () => {
  const refs = { x: MemRef.inout(i32, [100]), o: MemRef.out(i32, [100]), seen: MemRef.out(i32, [100]) }
  it("is what the source held when the copy started", async () => {
    const k = single(refs, function* ({ o, x }) {
      const token = yield* Copy.start(x, o)
      yield* MemRef.store(x, Tile.flip(yield* MemRef.load(x)).mul(10))
      yield* Copy.wait(token)
    })
    await onEach(k, { x: ints(100) }, { o: range(100), x: range(100, (k) => 10 * (99 - k)) })
  })
  it("is not in the destination before the wait", async () => {
    const k = single(refs, function* ({ o, seen, x }) {
      yield* MemRef.store(o, 5)
      const token = yield* Copy.start(x, o)
      yield* MemRef.store(seen, Tile.flip(yield* MemRef.load(o)))
      yield* MemRef.store(MemRef.at(o, [3]), 8)
      yield* Copy.wait(token)
    })
    await onEach(k, { x: ints(100) }, { o: range(100), seen: range(100, () => 5) })
  })
  it("may come from the ref that it goes to: it is read before any of it lands", async () => {
    const k = single({ x: refs.x }, function* ({ x }) {
      const up = yield* Copy.start(MemRef.at(x, [MemRef.slice(0, 99)]), MemRef.at(x, [MemRef.slice(1, 99)]))
      const last = yield* Copy.start(MemRef.at(x, [99]), MemRef.at(x, [0]))
      yield* Copy.wait(up)
      yield* Copy.wait(last)
    })
    await onEach(k, { x: ints(100) }, { x: range(100, (k) => (k + 99) % 100) })
  })
  it("lands in the order of the waits, not of the starts", async () => {
    const k = single(refs, function* ({ o, x }) {
      const first = yield* Copy.start(x, o)
      yield* MemRef.store(x, 1)
      const second = yield* Copy.start(x, o)
      yield* Copy.wait(second)
      yield* Copy.wait(first)
    })
    await onEach(k, { x: ints(100) }, { o: range(100) })
  })
})

describe("a copy goes through views of its source and its destination:", () => {
  const x = ints(24, (k) => 10 + k)
  const refs = { x: MemRef.in(i32, [4, 6]), o: MemRef.out(i32, [4, 6]) }
  const at = (i: number, j: number) => 10 + 6 * i + j
  const expect24 = (f: (i: number, j: number) => number) => range(24, (k) => f(Math.floor(k / 6), k % 6))

  it("strided slices", async () => {
    const k = single(refs, function* ({ o, x }) {
      const from = MemRef.at(x, [MemRef.slice(0, 2, 2), MemRef.slice(1, 3, 2)])
      const to = MemRef.at(o, [MemRef.slice(2, 2), MemRef.slice(0, 3, 2)])
      yield* Copy.wait(yield* Copy.start(from, to))
    })
    const o = expect24((i, j) => (i >= 2 && j % 2 === 0 ? at(2 * (i - 2), j + 1) : 0))
    await onEach(k, { x }, { o })
  })
  it("transposed on either side", async () => {
    const k = Kernel.make(
      "turn",
      { grid: [1], refs: { ...refs, t: MemRef.out(i32, [6, 4]) }, scratch: { s: Scratch.workgroup(i32, [6, 4]) } },
      function* ({ o, s, t, x }) {
        yield* Copy.wait(yield* Copy.start(MemRef.transpose(x), s))
        yield* Copy.wait(yield* Copy.start(s, t))
        yield* Copy.wait(yield* Copy.start(s, MemRef.transpose(o)))
      }
    )
    await onEach(k, { x }, { o: x, t: range(24, (k) => at(k % 4, Math.floor(k / 4))) })
  })
  it("reshaped, and as another dtype of the same width", async () => {
    const k = single({ ...refs, f: MemRef.out(f32, [24]) }, function* ({ f, o, x }) {
      const a = yield* Copy.start(MemRef.reshape(x, [24]), MemRef.bitcast(f, i32))
      const b = yield* Copy.start(
        MemRef.bitcast(MemRef.reshape(x, [2, 12]), f32),
        MemRef.reshape(MemRef.bitcast(o, f32), [2, 12])
      )
      yield* Copy.wait(a)
      yield* Copy.wait(b)
    })
    const f = new Float32Array(Int32Array.from(x).buffer)
    await onEach(k, { x }, { o: x, f })
  })
  it("rows gathered by an index tile, positions outside among them", async () => {
    const k = single({ ...refs, rows: MemRef.in(i32, [4]) }, function* ({ o, rows, x }) {
      yield* Copy.wait(yield* Copy.start(MemRef.at(x, [yield* MemRef.load(rows)]), o))
    })
    const rows = Int32Array.of(3, -1, 0, 4)
    await onEach(k, { x, rows }, { o: expect24((i, j) => (rows[i]! >= 0 && rows[i]! < 4 ? at(rows[i]!, j) : 0)) })
  })
  it("rows scattered by an index tile, positions outside dropped", async () => {
    const k = single({ ...refs, rows: MemRef.in(i32, [4]) }, function* ({ o, rows, x }) {
      yield* Copy.wait(yield* Copy.start(x, MemRef.at(o, [yield* MemRef.load(rows)])))
    })
    const rows = Int32Array.of(3, -1, 0, 4)
    await onEach(k, { x, rows }, { o: expect24((i, j) => (i === 3 ? at(0, j) : i === 0 ? at(2, j) : 0)) })
  })
  it("an index tile loaded before it changed", async () => {
    const k = single({ ...refs, rows: MemRef.inout(i32, [4]) }, function* ({ o, rows, x }) {
      const token = yield* Copy.start(x, MemRef.at(o, [yield* MemRef.load(rows)]))
      yield* MemRef.store(rows, 0)
      yield* Copy.wait(token)
    })
    await onEach(k, { x, rows: Int32Array.of(3, 2, 1, 0) }, { o: expect24((i, j) => at(3 - i, j)) })
  })
  it("blocks of a grid, those that hang over the edge padded with 0 and cropped", async () => {
    const block = { block: [4], index: (i: Tile.I32) => [i] as const }
    const k = Kernel.make(
      "blocks",
      {
        grid: [3],
        refs: { x: MemRef.in(i32, [10], block), o: MemRef.out(i32, [10], block), sums: MemRef.out(i32, [3]) },
        scratch: { s: Scratch.workgroup(i32, [4]) }
      },
      function* ({ o, s, sums, x }) {
        yield* MemRef.store(s, 100)
        yield* Copy.wait(yield* Copy.start(x, s))
        const out = yield* Copy.start(s, o)
        yield* MemRef.store(MemRef.at(sums, [yield* Control.programId(0)]), Tile.sum(yield* MemRef.load(s)))
        yield* Copy.wait(out)
      }
    )
    await onEach(k, { x: ints(10) }, { o: range(10), sums: [6, 22, 17] })
  })
})

describe("nothing is copied", () => {
  const refs = { x: MemRef.in(i32, [6]), n: MemRef.scalar(i32), o: MemRef.inout(i32, [6]) }
  const old = () => ints(6, () => -1)
  it("where the mask is false", async () => {
    const k = single(refs, function* ({ o, x }) {
      yield* Copy.wait(yield* Copy.start(x, o, { mask: Tile.iota(i32, [6]).rem(2).eq(0) }))
    })
    await onEach(k, { x: ints(6), n: 0, o: old() }, { o: [0, -1, 2, -1, 4, -1] })
  })
  it("where a mask that broadcasts is false", async () => {
    const k = single({ x: MemRef.in(i32, [2, 3]), o: MemRef.inout(i32, [2, 3]) }, function* ({ o, x }) {
      const mask = Tile.expandDims(Tile.iota(i32, [2]).eq(1), 1)
      yield* Copy.wait(yield* Copy.start(x, o, { mask }))
    })
    await onEach(k, { x: ints(6), o: old() }, { o: [-1, -1, -1, 3, 4, 5] })
  })
  it("when the predicate does not hold, whatever the mask", async () => {
    const k = single(refs, function* ({ n, o, x }) {
      const mask = Tile.iota(i32, [6]).ge(3)
      const masked = yield* Copy.start(x, o, { when: n.gt(2), mask })
      const all = yield* Copy.start(x, o, { when: n.gt(3) })
      const never = yield* Copy.start(x, o, { when: false })
      yield* Copy.wait(masked)
      yield* Copy.wait(all)
      yield* Copy.wait(never)
    })
    for (const [n, o] of [
      [2, [-1, -1, -1, -1, -1, -1]],
      [3, [-1, -1, -1, 3, 4, 5]],
      [4, [0, 1, 2, 3, 4, 5]]
    ] as const)
      await onEach(k, { x: ints(6), n, o: old() }, { o })
  })
  it("where it was masked off at the start, even if the mask's ref changed since", async () => {
    const k = single({ ...refs, m: MemRef.inout(bool, [6]) }, function* ({ m, o, x }) {
      const token = yield* Copy.start(x, o, { mask: yield* MemRef.load(m) })
      yield* MemRef.store(m, true as any)
      yield* Copy.wait(token)
    })
    await onEach(k, { x: ints(6), n: 0, o: old(), m: Uint8Array.of(1, 0, 0, 0, 0, 1) }, { o: [0, -1, -1, -1, -1, 5] })
  })
})
