/** Programs show which positions come from block specifications and may reach over the edge of an array. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { Block, Control, i32, Kernel, MemRef, Pipeline, Tile } from "../../src/index.ts"
import { onEach } from "../support/kernels.ts"

const printed = (kernel: Kernel.Any): Promise<string> =>
  Effect.runPromise(Kernel.print(kernel) as Effect.Effect<string>)
/** A kernel that loads all of the block, and what of it the function shows. */
const loading = (
  dims: ReadonlyArray<number>,
  options: object,
  of: (x: any, n: any) => any = (x) => x,
  grid: ReadonlyArray<number> = [3]
): Promise<string> =>
  printed(
    Kernel.make(
      "k",
      {
        grid,
        refs: { n: MemRef.scalar(i32), x: MemRef.in(i32, dims, options as any), o: MemRef.out(i32, [1]) }
      } as any,
      function* ({ n, o, x }: any) {
        const sum = (yield* MemRef.load(of(x, n))) as any
        yield* MemRef.store(o, sum.shape.length === 0 ? sum : Tile.sum(sum))
      } as any
    ) as unknown as Kernel.Any
  )

describe("a block is marked as padded", () => {
  it("where it may reach over the edge", async () => {
    expect(await loading([8], { block: [3], index: (i: any) => [i] })).toContain("load x[3*%0 +: 3 padded]")
    expect(await loading([8, 4], { block: [3, 4], index: (i: any) => [i, 0] })).toContain(
      "load x[3*%0 +: 3 padded, 0 +: 4]"
    )
    expect(await loading([2], { block: [6] })).toContain("load x[0 +: 6 padded]")
    const known = { block: [4], indexWith: ({ n }: any) => [n] }
    expect(await loading([8], known)).toMatch(/load x\[4\*%\d+ \+: 4 padded\]/)
  })
  it("not where it never does", async () => {
    expect(await loading([9], { block: [3], index: (i: any) => [i] })).toContain("load x[3*%0 +: 3]")
    expect(await loading([8], { block: [3], index: (i: any) => [i] }, undefined, [2])).toContain("load x[3*%0 +: 3]")
  })
  it("where it is a window, with padding of its own or without", async () => {
    const window = (size: number, pad?: readonly [number, number]) => ({
      block: [pad === undefined ? Block.element(size) : Block.element(size, { pad })],
      index: (i: any) => [i]
    })
    expect(await loading([3], window(2))).toContain("load x[%0 +: 2 padded]")
    expect(await loading([3], window(3, [1, 1]))).toContain("load x[%0 - 1 +: 3 padded]")
    expect(await loading([4], window(2))).toContain("load x[%0 +: 2]")
    // Two elements of padding: the first window has nothing else.
    expect(await loading([3], window(2, [2, 0]))).toContain("load x[%0 - 2 +: 2 padded wholly]")
  })
  it("where it is bounded: its window, and its end", async () => {
    const spans = { block: [Block.bounded(4)], indexWith: ({ n }: any, i: any) => [Block.span(i.mul(3), n)] }
    expect(await loading([9], spans)).toMatch(
      /load x\[3\*#\d \+ #\d - 4 \+: 4 padded\]\[-#\d \+ 4 \+: 4 padded wholly\]/
    )
  })
  it("in a pipeline, and in a kernel that is called", async () => {
    const sum = Kernel.make(
      "sum",
      { grid: [3], refs: { x: MemRef.in(i32, [8], { block: [3], index: (i) => [i] }), o: MemRef.inout(i32, [3]) } },
      function* ({ o, x }) {
        yield* MemRef.accumulate(o, yield* MemRef.load(x))
      }
    )
    const outer = Kernel.make(
      "outer",
      {
        grid: [2],
        refs: {
          x: MemRef.in(i32, [2, 8], { block: [null, 8], index: (i) => [i, 0] }),
          o: MemRef.out(i32, [2, 3], { block: [null, 3], index: (i) => [i, 0] })
        }
      },
      function* ({ o, x }) {
        yield* Kernel.call(sum, { x, o })
      }
    )
    expect(await printed(outer)).toMatch(/load x\[%\d+, 3\*%\d+ \+: 3 padded\]/)
    await onEach(outer, { x: Int32Array.from({ length: 16 }, (_, k) => k) }, { o: [9, 12, 7, 33, 36, 23] })
    const piped = Kernel.make(
      "piped",
      { grid: [1], refs: { x: MemRef.in(i32, [8]), o: MemRef.out(i32, [8]) } },
      function* (r) {
        yield* Pipeline.emit(
          {
            grid: [3],
            in: { x: Pipeline.block(r.x, { block: [3], index: (i) => [i] }) },
            out: { o: Pipeline.block(r.o, { block: [3], index: (i) => [i] }) }
          },
          undefined,
          function* (_, { o, x }) {
            yield* MemRef.store(o, (yield* MemRef.load(x)).add(1))
          }
        )
      }
    )
    const text = await printed(piped)
    expect(text).toMatch(/copyStart \{to: "[^"]*"\}.* x\[.* \+: 3 padded\]/)
    expect(text).toMatch(/store o\[3\*%\d+ \+: 3 padded\]/)
  })
})

describe("what is indexed by hand is not marked", () => {
  it("nor is a squeezed axis, nor a gathered one", async () => {
    const squeezed = { block: [null, 2], index: (i: any) => [i.add(1), i] }
    expect(await loading([3, 4], squeezed)).toContain("load x[%0 + 1, 2*%0 +: 2 padded]")
    const gathered = { block: [Block.gather(2)], indexWith: ({ n }: any) => [Tile.iota(i32, [2]).add(n)] }
    expect(await loading([3], gathered)).not.toContain("padded")
    expect(await loading([8], { block: [8] }, (x, n) => MemRef.at(x, [MemRef.slice(n, 3)]))).not.toContain("padded")
  })
  it("but keeps the mark of the block: an element, a part, another shape", async () => {
    const block = { block: [4], index: (i: any) => [i] }
    expect(await loading([10], block, (x) => MemRef.at(x, [2]))).toContain("load x[4*%0 + 2 padded]")
    expect(await loading([10], block, (x) => MemRef.at(x, [MemRef.slice(2, 2)]))).toContain(
      "load x[4*%0 + 2 +: 2 padded wholly]"
    )
    expect(await loading([10], block, (x) => MemRef.reshape(x, [2, 2]))).toContain(
      "load x[4*%0 +: 4 padded].reshape[2, 2]"
    )
    const own = (x: any) => MemRef.at(MemRef.at(x, [MemRef.slice(0, 2)]), [1])
    expect(await loading([12], block, own)).toContain("load x[4*%0 + 1]")
  })
  it("in loops over the block", async () => {
    const k = Kernel.make(
      "k",
      {
        grid: [3],
        refs: {
          x: MemRef.in(i32, [8], { block: [3], index: (i) => [i] }),
          o: MemRef.out(i32, [3], { block: [1], index: (i) => [i] })
        }
      },
      function* ({ o, x }) {
        yield* Control.forEach(0, 3, function* (j) {
          yield* MemRef.accumulate(MemRef.at(o, [0]), yield* MemRef.load(MemRef.at(x, [j])))
        })
      }
    )
    expect(await printed(k)).toMatch(/load x\[3\*%\d+ \+ %\d+ padded\]/)
    await onEach(k, { x: Int32Array.from({ length: 8 }, (_, j) => j) }, { o: [3, 12, 13] })
  })
})
