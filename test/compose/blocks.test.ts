/** Blocks at full strength: positions that depend on data, bounded and gathered blocks, and further indexing of each. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { Block, Control, i32, Kernel, MemRef, Scratch, Tile } from "../../src/index.ts"
import { kernelError, onEach } from "../support/kernels.ts"

const range = (n: number, from = 0): Int32Array => Int32Array.from({ length: n }, (_, k) => k + from)
const printed = (kernel: Kernel.Any): Promise<string> =>
  Effect.runPromise(Kernel.print(kernel) as Effect.Effect<string>)

describe("index maps that depend on data", () => {
  type Known = {
    readonly first: Tile.I32
    readonly pages: Block.Table
  }
  it("take the block's number from a scalar", async () => {
    const shifted = Kernel.make(
      "shifted",
      {
        grid: [2],
        refs: {
          first: MemRef.scalar(i32),
          x: MemRef.in(i32, [8], { block: [2], indexWith: ({ first }: Pick<Known, "first">, i) => [first.add(i)] }),
          o: MemRef.inout(i32, [8], { block: [2], indexWith: ({ first }: Pick<Known, "first">, i) => [first.sub(i)] })
        }
      },
      function* ({ o, x }) {
        yield* MemRef.store(o, (yield* MemRef.load(x)).add(10))
      }
    )
    const o = new Int32Array(8)
    await onEach(shifted, { first: 2, x: range(8), o }, { o: [0, 0, 16, 17, 14, 15, 0, 0] })
    // Blocks outside the array read as 0 and are not written.
    await onEach(shifted, { first: 3, x: range(8), o }, { o: [0, 0, 0, 0, 10, 10, 16, 17] })
    await onEach(shifted, { first: -1, x: range(8), o }, { o: [0, 0, 0, 0, 0, 0, 0, 0] })
    expect(await printed(shifted)).toContain("load x[2*%")
  })
  it("look up the block's number in a table", async () => {
    const paged = Kernel.make(
      "paged",
      {
        grid: [2, 2],
        refs: {
          first: MemRef.scalar(i32),
          pages: MemRef.table(i32, [2, 2]),
          x: MemRef.in(i32, [8], {
            block: [2],
            indexWith: ({ first, pages }: Known, i, j) => [pages.at(i, j).add(first)]
          }),
          o: MemRef.out(i32, [2, 4], { block: [null, 2], index: (i, j) => [i, j] })
        }
      },
      function* ({ o, x }) {
        yield* MemRef.store(o, yield* MemRef.load(x))
      }
    )
    const pages = Int32Array.of(3, 0, 7, 1)
    await onEach(paged, { first: 0, pages, x: range(8) }, { o: [6, 7, 0, 1, 0, 0, 2, 3] })
    await onEach(paged, { first: -1, pages, x: range(8) }, { o: [4, 5, 0, 0, 0, 0, 0, 1] })
    expect(await Effect.runPromise(Kernel.effects(paged))).toEqual([
      "Read(first)",
      "Read(pages)",
      "Read(x)",
      "Write(o)"
    ])
  })
  it("fail where they look up what the table cannot have", async () => {
    const lookUp = (f: (pages: Block.Table) => unknown) =>
      Kernel.make(
        "k",
        {
          grid: [1],
          refs: {
            pages: MemRef.table(i32, [2]),
            x: MemRef.in(i32, [8], { block: [2], indexWith: ({ pages }: any) => [f(pages)] as any })
          }
        },
        function* () {}
      )
    const args = { pages: range(2), x: range(8) }
    expect(
      (
        await kernelError(
          "InvalidKernel",
          lookUp((t) => t.at(0, 1)),
          args
        )
      ).shown
    ).toContain('2 indices for the 1 axes of table "pages"')
    expect(
      (
        await kernelError(
          "InvalidIndex",
          lookUp((t) => t.at(2)),
          args
        )
      ).shown
    ).toContain("static index 2")
    expect(
      (
        await kernelError(
          "InvalidKernel",
          lookUp((t) => t.at(Tile.iota(i32, [2]))),
          args
        )
      ).shown
    ).toContain("positions are i32 scalars")
  })
})

describe("bounded blocks", () => {
  type Parts = {
    readonly starts: Block.Table
    readonly lengths: Block.Table
  }
  const bounded = { block: [Block.bounded(4), 2] as const }
  const place = ({ lengths, starts }: Parts, i: Tile.I32) => [Block.span(starts.at(i), lengths.at(i)), 0] as const
  const parts = Kernel.make(
    "parts",
    {
      grid: [Kernel.sequential(4)],
      refs: {
        starts: MemRef.table(i32, [4]),
        lengths: MemRef.table(i32, [4]),
        x: MemRef.in(i32, [6, 2], { ...bounded, indexWith: place }),
        seen: MemRef.out(i32, [4, 4, 2], { block: [null, 4, 2], index: (i) => [i, 0, 0] }),
        o: MemRef.inout(i32, [6, 2], { ...bounded, indexWith: place }),
        sum: MemRef.inout(i32, [6, 2], { ...bounded, indexWith: place })
      }
    },
    function* ({ o, seen, sum, x }) {
      expect(x.shape).toEqual([4, 2])
      yield* MemRef.store(seen, yield* MemRef.load(x))
      yield* MemRef.store(o, (yield* MemRef.load(x)).add(100))
      yield* MemRef.accumulate(sum, 1)
    }
  )
  const args = (starts: ReadonlyArray<number>, lengths: ReadonlyArray<number>) => ({
    starts: Int32Array.from(starts),
    lengths: Int32Array.from(lengths),
    x: range(12, 1),
    o: new Int32Array(12),
    sum: new Int32Array(12)
  })
  /** What plain code does: per part its padded elements, and the arrays after all stores. */
  const expected = (starts: ReadonlyArray<number>, lengths: ReadonlyArray<number>) => {
    const seen = new Array<number>(32).fill(0)
    const o = new Array<number>(12).fill(0)
    const sum = new Array<number>(12).fill(0)
    starts.forEach((start, part) => {
      for (let e = 0; e < 8; e++) {
        const row = start + Math.floor(e / 2)
        if (Math.floor(e / 2) >= lengths[part]! || row < 0 || row >= 6) continue
        const at = row * 2 + (e % 2)
        seen[part * 8 + e] = at + 1
        o[at] = at + 101
        sum[at] = sum[at]! + 1
      }
    })
    return { seen, o, sum }
  }
  it.each([
    ["parts side by side, one of length 0", [0, 2, 2, 5], [2, 0, 3, 1]],
    ["the full size", [0, 2, 1, 0], [4, 4, 4, 4]],
    ["lengths below 0 are none, above the size the size", [0, 1, 2, 0], [-1, 5, 9, -(2 ** 31)]],
    ["outside the array", [-1, 5, 6, -4], [3, 4, 2, 4]],
    ["far outside", [2 ** 31 - 1, -(2 ** 31), 2 ** 31 - 3, 3], [4, 4, 2, 2 ** 31 - 1]]
  ])("126: beyond the length read as 0 and drop stores: %s", async (_, starts, lengths) => {
    await onEach(parts, args(starts, lengths), expected(starts, lengths))
  })
  it("can be indexed further, and keep their end", async () => {
    const odd = Kernel.make(
      "odd",
      {
        grid: [1],
        refs: {
          n: MemRef.scalar(i32),
          x: MemRef.in(i32, [8], {
            block: [Block.bounded(6)],
            indexWith: ({ n }: { readonly n: Tile.I32 }) => [Block.span(1, n)]
          }),
          o: MemRef.out(i32, [3]),
          p: MemRef.out(i32, [])
        }
      },
      function* ({ n, o, p, x }) {
        yield* MemRef.store(o, yield* MemRef.load(MemRef.at(x, [MemRef.slice(1, 3, 2)])))
        yield* MemRef.store(p, yield* MemRef.load(MemRef.at(x, [n.sub(1)])))
      }
    )
    await onEach(odd, { n: 4, x: range(8) }, { o: [2, 4, 0], p: [4] })
    await onEach(odd, { n: 6, x: range(8) }, { o: [2, 4, 6], p: [6] })
    await onEach(odd, { n: 0, x: range(8) }, { o: [0, 0, 0], p: [0] })
  })
  it("need a span, and nothing else takes one", async () => {
    const k = (entry: number | Block.Bounded<4>, place: unknown) =>
      Kernel.make(
        "k",
        { grid: [1], refs: { x: MemRef.in(i32, [8], { block: [entry] as any, index: () => [place] as any }) } },
        function* () {}
      )
    const shown = async (kernel: Kernel.Any) => (await kernelError("InvalidKernel", kernel, { x: range(8) })).shown
    expect(await shown(k(Block.bounded(4), 0))).toContain("give Block.span(start, length)")
    expect(await shown(k(4, Block.span(0, 2)))).toContain("declare the axis as Block.bounded(size)")
    expect(await shown(k(Block.bounded(4), Block.span(0, 1.5)))).toContain("lengths of spans are whole numbers")
    expect(await shown(k(Block.bounded(-4 as 4), Block.span(0, 1)))).toContain("block size -4 on axis 0")
  })
})

describe("gathered blocks", () => {
  const rows = ({ list }: { readonly list: Block.Table }, i: Tile.I32) =>
    [list.at(Tile.iota(i32, [3]).add(i.mul(3))), 0] as const
  it("read and write at the positions of a tile; outside they read as 0 and drop stores", async () => {
    const picked = Kernel.make(
      "picked",
      {
        grid: [2],
        refs: {
          list: MemRef.table(i32, [6]),
          x: MemRef.in(i32, [4, 2], { block: [Block.gather(3), 2], indexWith: rows }),
          o: MemRef.out(i32, [6, 2], { block: [3, 2], index: (i) => [i, 0] }),
          put: MemRef.inout(i32, [7, 2], { block: [Block.gather(3), 2], indexWith: rows }),
          count: MemRef.inout(i32, [4], { block: [Block.gather(3)], indexWith: (known: any, i) => [rows(known, i)[0]] })
        }
      },
      function* ({ count, o, put, x }) {
        yield* MemRef.store(o, yield* MemRef.load(x))
        yield* MemRef.store(put, Tile.iota(i32, [3, 2], 0).add(1))
        yield* MemRef.accumulate(count, 1)
      }
    )
    const args = { list: Int32Array.of(3, 0, 1, -1, 4, 2), x: range(8, 1), put: new Int32Array(14) }
    await onEach(
      picked,
      { ...args, count: new Int32Array(4) },
      { o: [7, 8, 1, 2, 3, 4, 0, 0, 0, 0, 5, 6], put: [2, 2, 3, 3, 3, 3, 1, 1, 2, 2, 0, 0, 0, 0], count: [1, 1, 1, 1] }
    )
  })
  it("count every accumulation of a position that stands twice", async () => {
    const counted = Kernel.make(
      "counted",
      {
        grid: [1],
        refs: {
          list: MemRef.table(i32, [3]),
          o: MemRef.out(i32, [4], {
            block: [Block.gather(3)],
            indexWith: (known: any) => [known.list.at(Tile.iota(i32, [3]))]
          })
        }
      },
      function* ({ o }) {
        yield* MemRef.accumulate(o, Tile.iota(i32, [3]).add(1))
      }
    )
    await onEach(counted, { list: Int32Array.of(2, 0, 2) }, { o: [2, 0, 4, 0] })
  })
  it("pick each axis by itself, beside other kinds of blocks, and can be indexed further", async () => {
    const two = Kernel.make(
      "two",
      {
        grid: [1],
        refs: {
          n: MemRef.scalar(i32),
          x: MemRef.in(i32, [3, 4, 5, 2], {
            block: [Block.gather(2), Block.bounded(3), Block.gather(3), null],
            indexWith: ({ n }: { readonly n: Tile.I32 }) => [
              Tile.iota(i32, [2]).mul(2),
              Block.span(1, n),
              Tile.iota(i32, [3]).neg().add(4),
              1
            ]
          }),
          o: MemRef.out(i32, [2, 3, 3]),
          p: MemRef.out(i32, [2, 2])
        }
      },
      function* ({ o, p, x }) {
        yield* MemRef.store(o, yield* MemRef.load(x))
        yield* MemRef.store(p, yield* MemRef.load(MemRef.at(x, [":", 1, MemRef.slice(0, 2, 2)])))
      }
    )
    const at = (a: number, b: number, c: number) => ((a * 4 + b) * 5 + c) * 2 + 1
    const o: Array<number> = []
    for (const a of [0, 2]) for (const b of [1, 2, 3]) for (const c of [4, 3, 2]) o.push(b < 3 ? at(a, b, c) : 0)
    const p = [0, 2].flatMap((a) => [4, 2].map((c) => at(a, 2, c)))
    await onEach(two, { n: 2, x: range(120) }, { o, p })
  })
  it("need a tile of as many positions", async () => {
    const k = (place: unknown) =>
      Kernel.make(
        "k",
        { grid: [1], refs: { x: MemRef.in(i32, [8], { block: [Block.gather(3)], index: () => [place] as any }) } },
        function* () {}
      )
    const shown = async (kernel: Kernel.Any) => (await kernelError("InvalidKernel", kernel, { x: range(8) })).shown
    expect(await shown(k(Tile.iota(i32, [4])))).toContain("give an i32 tile of shape [3]")
    expect(await shown(k(0))).toContain("its index map gives number for axis 0")
  })
})

describe("a block and an index of it", () => {
  it("print as one index, where the index stays inside the block", async () => {
    const k = Kernel.make(
      "k",
      {
        grid: [2],
        refs: { x: MemRef.in(i32, [8], { block: [4], index: (i) => [i] }), o: MemRef.out(i32, [2]) },
        scratch: { s: Scratch.workgroup(i32, [4, 4]) }
      },
      function* ({ o, s, x }) {
        const i = yield* Control.programId(0)
        yield* MemRef.store(MemRef.at(o, [i]), yield* MemRef.load(MemRef.at(x, [2])))
        yield* Control.forEach(0, 4, function* (j) {
          yield* MemRef.store(MemRef.at(MemRef.at(s, [":", 1]), [j]), yield* MemRef.load(MemRef.at(x, [j])))
        })
      }
    )
    const text = await printed(k)
    expect(text).toContain("load x[4*%0 + 2]")
    expect(text).toMatch(/load x\[4\*%0 \+ %\d+\]/)
    expect(text).toMatch(/store s\[%\d+, 1\]/)
    await onEach(k, { x: range(8) }, { o: [2, 6] })
  })
  it("stay two, where the index may leave the block inside the array: it reads 0 and drops the store", async () => {
    const k = Kernel.make(
      "k",
      {
        grid: [2],
        refs: {
          n: MemRef.scalar(i32),
          x: MemRef.in(i32, [8], { block: [4], index: (i) => [i] }),
          o: MemRef.inout(i32, [8], { block: [4], index: (i) => [i] })
        }
      },
      function* ({ n, o, x }) {
        const v = yield* MemRef.load(MemRef.at(x, [n]))
        yield* MemRef.store(MemRef.at(o, [n]), v.add(1))
      }
    )
    expect(await printed(k)).toMatch(/load x\[4\*%\d+ \+: 4\]\[%\d+\]/)
    const o = new Int32Array(8)
    await onEach(k, { n: 3, x: range(8, 1), o }, { o: [0, 0, 0, 5, 0, 0, 0, 9] })
    await onEach(k, { n: 4, x: range(8, 1), o }, { o: [0, 0, 0, 0, 0, 0, 0, 0] })
    await onEach(k, { n: -1, x: range(8, 1), o }, { o: [0, 0, 0, 0, 0, 0, 0, 0] })
  })
})
