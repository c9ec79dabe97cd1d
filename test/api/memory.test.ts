/** Refs, views, blocks, scalars and scratch, as their documentation promises. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { Block, Control, f32, i32, Kernel, MemRef, Scratch, Tile, u32 } from "../../src/index.ts"
import { onEach, single } from "../support/kernels.ts"

const range = (n: number, from = 0) => Int32Array.from({ length: n }, (_, i) => from + i)
const M: any = MemRef

/** Loads a view of `x`, and stores it, plus 100, to the same view of `o`. */
const through = (shape: ReadonlyArray<number>, view: (ref: any) => any) =>
  single({ x: MemRef.in(i32, shape), o: MemRef.out(i32, shape) }, function* (r: any) {
    yield* M.store(view(r.o), (yield* M.load(view(r.x))).add(100))
  } as any)
const views: ReadonlyArray<
  readonly [what: string, shape: ReadonlyArray<number>, view: (r: any) => any, cells: ReadonlyArray<number>]
> = [
  ["a number drops the axis", [2, 3], (r) => M.at(r, [1]), [3, 4, 5]],
  ["a negative number counts from the end", [2, 3], (r) => M.at(r, [-1, -3]), [3]],
  ["a scalar tile drops the axis", [2, 3], (r) => M.at(r, [Tile.of(i32, 1), 2]), [5]],
  ["a slice keeps it", [5], (r) => M.at(r, [M.slice(1, 3)]), [1, 2, 3]],
  ["a slice with a stride", [6], (r) => M.at(r, [M.slice(1, 3, 2)]), [1, 3, 5]],
  ["a slice from the end", [5], (r) => M.at(r, [M.slice(-2, 2)]), [3, 4]],
  ["a slice from a tile", [5], (r) => M.at(r, [M.slice(Tile.of(i32, 2), 2)]), [2, 3]],
  ["all", [2, 3], (r) => M.at(r, [MemRef.all, 1]), [1, 4]],
  ["an ellipsis", [2, 2, 2], (r) => M.at(r, [0, MemRef.ellipsis, 1]), [1, 3]],
  ["nothing at all", [3], (r) => M.at(r, []), [0, 1, 2]],
  ["a gather", [5], (r) => M.at(r, [Tile.iota(i32, [3]).mul(2)]), [0, 2, 4]],
  ["two gathers go together", [3, 3], (r) => M.at(r, [Tile.iota(i32, [3]), Tile.iota(i32, [3])]), [0, 4, 8]],
  ["a gather beside a slice", [3, 3], (r) => M.at(r, [M.slice(0, 2), Tile.iota(i32, [2]).add(1)]), [1, 2, 4, 5]],
  ["a reshape", [6], (r) => M.at(M.reshape(r, [2, 3]), [1]), [3, 4, 5]],
  ["a transpose", [2, 3], (r) => M.at(M.transpose(r), [2]), [2, 5]],
  ["a transpose by a permutation", [2, 1, 3], (r) => M.at(M.transpose(r, [2, 0, 1]), [1]), [1, 4]],
  [
    "a view of a view of a view",
    [4, 4],
    (r) => M.at(M.at(M.transpose(M.at(r, [M.slice(1, 2)])), [M.slice(0, 2, 2)]), [1]),
    [6, 10]
  ]
]
describe("views read and write the same elements", () => {
  it.each(views)("%s", async (_, shape, view, cells) => {
    const size = shape.reduce((a, b) => a * b, 1)
    const o = new Int32Array(size)
    for (const cell of cells) o[cell] = cell + 100
    await onEach(through(shape, view), { x: range(size) }, { o })
  })
  it("a bit cast", async () => {
    const k = single({ x: MemRef.in(f32, [2]), o: MemRef.out(f32, [2]) }, function* ({ o, x }) {
      const bits = yield* MemRef.load(MemRef.bitcast(x, u32))
      yield* MemRef.store(MemRef.bitcast(o, u32), bits.xor(0x80000000))
    })
    await onEach(k, { x: Float32Array.of(1.5, -2) }, { o: [-1.5, 2] })
  })
})

describe("loads and stores", () => {
  it("a number is stored everywhere, and a scalar tile", async () => {
    const k = single({ a: MemRef.out(f32, [2, 2]), b: MemRef.out(i32, [3]) }, function* ({ a, b }) {
      yield* MemRef.store(a, 1.5)
      yield* MemRef.store(b, Tile.of(i32, 4))
    })
    await onEach(k, {}, { a: [1.5, 1.5, 1.5, 1.5], b: [4, 4, 4] })
  })
  it("a tile with dimensions of 1 is stretched", async () => {
    const k = single({ x: MemRef.in(i32, [2, 1]), o: MemRef.out(i32, [2, 2]) }, function* ({ o, x }) {
      yield* MemRef.store(o, yield* MemRef.load(x))
    })
    await onEach(k, { x: range(2) }, { o: [0, 0, 1, 1] })
  })
  it("swap gives the old elements, 0 where the mask is false, and stores only under the mask", async () => {
    const k = single({ x: MemRef.inout(i32, [4]), o: MemRef.out(i32, [4]) }, function* ({ o, x }) {
      yield* MemRef.store(o, yield* MemRef.swap(x, 9, { mask: Tile.iota(i32, [4]).lt(2) }))
    })
    await onEach(k, { x: range(4, 1) }, { x: [9, 9, 3, 4], o: [1, 2, 0, 0] })
  })
  it("accumulate adds under the mask", async () => {
    const k = single({ x: MemRef.inout(f32, [4]) }, function* ({ x }) {
      yield* MemRef.accumulate(x, 0.5, { mask: Tile.iota(i32, [4]).ge(3) })
      yield* MemRef.accumulate(x, Tile.iota(f32, [4]))
    })
    await onEach(k, { x: new Float32Array(4) }, { x: [0, 1, 2, 3.5] })
  })
  it("a masked load gives `other`, a number or a tile", async () => {
    const k = single(
      { x: MemRef.in(i32, [4]), a: MemRef.out(i32, [4]), b: MemRef.out(i32, [4]) },
      function* ({ a, b, x }) {
        const mask = (yield* MemRef.load(x)).gt(2)
        yield* MemRef.store(a, yield* MemRef.load(x, { mask, other: -1 }))
        yield* MemRef.store(b, yield* MemRef.load(x, { mask, other: Tile.iota(i32, [4]).mul(10) }))
      }
    )
    await onEach(k, { x: range(4, 1) }, { a: [-1, -1, 3, 4], b: [0, 10, 3, 4] })
  })
  it("arguments stay as they were, and results are new arrays", async () => {
    const x = range(3)
    const k = single({ x: MemRef.inout(i32, [3]) }, function* ({ x }) {
      yield* MemRef.store(x, 5)
    })
    await onEach(k, { x }, { x: [5, 5, 5] })
    expect([...x]).toEqual([0, 1, 2])
  })
  it("an inout ref that is not touched comes back as it was", async () => {
    const k = single({ x: MemRef.inout(i32, [3]), o: MemRef.out(i32, [1]) }, function* ({ o }) {
      yield* MemRef.store(o, 1)
    })
    await onEach(k, { x: range(3) }, { x: [0, 1, 2], o: [1] })
  })
})

const blocked = (grid: ReadonlyArray<any>, x: any, o: any) =>
  Kernel.make("blocked", { grid, refs: { x, o } }, function* ({ o, x }: any) {
    yield* M.store(o, yield* M.load(x))
  } as any) as Kernel.Any

describe("blocks", () => {
  it("lie side by side, and without an index map all programs see the first", async () => {
    const k = blocked(
      [2],
      MemRef.in(i32, [4], { block: [2] }),
      MemRef.out(i32, [4], { block: [2], index: (i) => [i!] })
    )
    await onEach(k, { x: range(4, 1) }, { o: [1, 2, 1, 2] })
  })
  it("of two axes follow two ids, in any arrangement", async () => {
    const k = blocked(
      [2, 2],
      MemRef.in(i32, [4, 2], { block: [2, 1], index: (i, j) => [i!, j!] }),
      MemRef.out(i32, [2, 4], { block: [1, 2], index: (i, j) => [j!, i!] }) as any
    )
    const transposed = Kernel.make("t", { grid: k.grid, refs: k.refs as any }, function* ({ o, x }: any) {
      yield* M.store(o, Tile.transpose((yield* M.load(x)) as any) as any)
    } as any) as Kernel.Any
    await onEach(transposed, { x: range(8) }, { o: [0, 2, 4, 6, 1, 3, 5, 7] })
  })
  it("squeezed axes go", async () => {
    const k = Kernel.make(
      "rows",
      {
        grid: [3],
        refs: {
          x: MemRef.in(i32, [3, 2], { block: [null, 2], index: (i) => [i!, 0] }),
          o: MemRef.out(i32, [2, 3], { block: [2, null], index: (i) => [0, i!] })
        }
      },
      function* ({ o, x }) {
        const row = yield* MemRef.load(x)
        expect([...row.shape]).toEqual([2])
        yield* MemRef.store(o, row)
      }
    )
    await onEach(k, { x: range(6) }, { o: [0, 2, 4, 1, 3, 5] })
  })
  it("by element are windows, with padding before and after", async () => {
    const k = Kernel.make(
      "window",
      {
        grid: [4],
        refs: {
          x: MemRef.in(i32, [4], { block: [Block.element(3, { pad: [1, 1] })], index: (i) => [i!] }),
          o: MemRef.out(i32, [4], { block: [1], index: (i) => [i!] })
        }
      },
      function* ({ o, x }) {
        yield* MemRef.store(o, Tile.sum(yield* MemRef.load(x)))
      }
    )
    await onEach(k, { x: range(4, 1) }, { o: [3, 6, 9, 7] })
  })
  it("may be partial on each axis, larger than the array, and start anywhere", async () => {
    const x = (index: any) => MemRef.in(i32, [3, 3], { block: [2, 4], index })
    const o = () => MemRef.out(i32, [2, 4])
    await onEach(
      blocked(
        [1],
        x(() => [1, 0]),
        o()
      ),
      { x: range(9, 1) },
      { o: [7, 8, 9, 0, 0, 0, 0, 0] }
    )
    await onEach(
      blocked(
        [1],
        x(() => [-1, 0]),
        o()
      ),
      { x: range(9, 1) },
      { o: [0, 0, 0, 0, 0, 0, 0, 0] }
    )
    const to = MemRef.out(i32, [3], { block: [4], index: () => [0] })
    await onEach(blocked([1], MemRef.in(i32, [4]), to), { x: range(4, 1) }, { o: [1, 2, 3] })
  })
  it("positions may depend on scalar parameters", async () => {
    const k = Kernel.make(
      "shifted",
      {
        grid: [2],
        refs: {
          by: MemRef.scalar(i32),
          x: MemRef.in(i32, [8], { block: [2], indexWith: ({ by }, i) => [(i as Tile.I32).add(by as any)] as any }),
          o: MemRef.out(i32, [4], { block: [2], index: (i) => [i!] })
        }
      },
      function* ({ o, x }) {
        yield* MemRef.store(o, yield* MemRef.load(x))
      }
    )
    await onEach(k as Kernel.Any, { by: 2, x: range(8) }, { o: [4, 5, 6, 7] })
    await onEach(k as Kernel.Any, { by: 3, x: range(8) }, { o: [6, 7, 0, 0] })
  })
  it("positions may be computed: division, remainder, products of ids", async () => {
    const k = blocked(
      [6],
      MemRef.in(i32, [2, 3], { block: [1, 1], index: (i) => [i!.div(3), i!.rem(3)] }),
      MemRef.out(i32, [3, 2], { block: [1, 1], index: (i) => [i!.rem(3), i!.div(3)] })
    )
    await onEach(k, { x: range(6) }, { o: [0, 3, 1, 4, 2, 5] })
  })
})

describe("scalar parameters", () => {
  it("are rank-0 tiles of each dtype", async () => {
    const refs = { f: MemRef.scalar(f32), i: MemRef.scalar(i32), u: MemRef.scalar(u32), o: MemRef.out(f32, [3]) }
    const k = single(refs, function* ({ f, i, o, u }) {
      expect([f.shape, i.shape, u.shape]).toEqual([[], [], []])
      const all = [f, i.convert(f32), u.convert(f32)].map((s) => Tile.full(f32, [1], s))
      yield* MemRef.store(o, Tile.concat(all) as any)
    })
    await onEach(k, { f: 0.5, i: -3, u: 4000000000 }, { o: [0.5, -3, 4000000000] })
  })
})

describe("scratch", () => {
  it("declared on the kernel keeps its values over sequential cells, and is fresh for each program", async () => {
    const k = Kernel.make(
      "running",
      {
        grid: [2, Kernel.sequential(3)],
        refs: { o: MemRef.out(i32, [2, 3], { block: [null, 1], index: (i, k) => [i!, k!] }) },
        scratch: { sum: Scratch.workgroup(i32, [1]), steps: Scratch.register(i32, [1]) }
      },
      function* ({ o, steps, sum }) {
        yield* MemRef.accumulate(steps, 1)
        yield* MemRef.accumulate(sum, yield* MemRef.load(steps))
        yield* MemRef.store(o, yield* MemRef.load(sum))
      }
    )
    await onEach(k, {}, { o: [1, 3, 6, 1, 3, 6] })
  })
  it("scoped is fresh at each entry, and gives what its body gives", async () => {
    const k = single({ o: MemRef.out(i32, [4]) }, function* ({ o }) {
      yield* Control.forEach(0, 4, function* (i) {
        const given = yield* Scratch.scoped(Scratch.workgroup(i32, [2]), function* (s) {
          yield* MemRef.accumulate(s, i)
          yield* MemRef.accumulate(s, i)
          return Tile.sum(yield* MemRef.load(s))
        })
        yield* MemRef.store(MemRef.at(o, [i]), given)
      })
    })
    await onEach(k, {}, { o: [0, 4, 8, 12] })
  })
  it("takes views and masks as other refs do", async () => {
    const k = single({ x: MemRef.in(i32, [6]), o: MemRef.out(i32, [2, 3]) }, function* ({ o, x }) {
      yield* Scratch.scoped(Scratch.workgroup(i32, [6]), (s) =>
        Effect.gen(function* () {
          yield* MemRef.store(s, yield* MemRef.load(x))
          yield* MemRef.store(MemRef.at(s, [MemRef.slice(0, 3, 2)]), -1, { mask: Tile.iota(i32, [3]).gt(0) })
          yield* MemRef.store(o, yield* MemRef.load(MemRef.transpose(MemRef.reshape(s, [3, 2]))))
        })
      )
    })
    await onEach(k, { x: range(6) }, { o: [0, -1, -1, 1, 3, 5] })
  })
})
