/**
 * The basics of the conformance cases: 1, 2, 3, 5, 6, 7, 8, 10, 11, 12. All are here.
 *
 * 7, 8 and 10 are also compile errors; that the types refuse them is tested with the types.
 */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { bool, Control, f32, i32, Kernel, MemRef, Tile } from "../../src/index.ts"
import { kernelError, onEach, pointedAt } from "../support/kernels.ts"

const range = (n: number) => Int32Array.from({ length: n }, (_, i) => i)

describe("loads, stores and swaps", () => {
  it("1: output = input + 1", async () => {
    const k = Kernel.make(
      "plusOne",
      { grid: [1], refs: { x: MemRef.in(i32, [8]), o: MemRef.out(i32, [8]) } },
      function* ({ o, x }) {
        yield* MemRef.store(o, (yield* MemRef.load(x)).add(1))
      }
    )
    await onEach(k, { x: range(8) }, { o: [1, 2, 3, 4, 5, 6, 7, 8] })
  })

  it("2: a swap gives the previous content and leaves the new one", async () => {
    const k = Kernel.make(
      "swapping",
      { grid: [1], refs: { x: MemRef.inout(f32, [3]), old: MemRef.out(f32, [3]) } },
      function* ({ old, x }) {
        yield* MemRef.store(old, yield* MemRef.swap(x, Tile.full(f32, [3], 9)))
      }
    )
    await onEach(k, { x: Float32Array.of(1, 2, 3) }, { x: [9, 9, 9], old: [1, 2, 3] })
  })

  it("3: a loop that stores its carry before adding gives the exclusive prefix sum", async () => {
    const k = Kernel.make(
      "exclusive",
      { grid: [1], refs: { x: MemRef.in(i32, [8]), o: MemRef.out(i32, [8]) } },
      function* ({ o, x }) {
        yield* Control.fori(0, 8, Tile.of(i32, 0), function* (i, c) {
          yield* MemRef.store(MemRef.at(o, [i]), c)
          return c.add(yield* MemRef.load(MemRef.at(x, [i])))
        })
      }
    )
    await onEach(k, { x: range(8) }, { o: [0, 0, 1, 3, 6, 10, 15, 21] })
  })

  it("5: a conditional store leaves the other elements alone", async () => {
    const k = Kernel.make(
      "conditionally",
      { grid: [1], refs: { p: MemRef.scalar(i32), o: MemRef.out(i32, [2]) } },
      function* ({ o, p }) {
        yield* MemRef.store(o, 0)
        yield* Control.when(p.gt(0), function* () {
          yield* MemRef.store(MemRef.at(o, [0]), 5)
        })
      }
    )
    await onEach(k, { p: 1 }, { o: [5, 0] })
    await onEach(k, { p: 0 }, { o: [0, 0] })
  })

  it("6: logical not of a bool ref", async () => {
    const k = Kernel.make(
      "negation",
      { grid: [1], refs: { x: MemRef.in(bool, [3]), o: MemRef.out(bool, [3]) } },
      function* ({ o, x }) {
        yield* MemRef.store(o, (yield* MemRef.load(x)).not())
      }
    )
    await onEach(k, { x: Uint8Array.of(1, 0, 1) }, { o: [0, 1, 0] })
  })
})

describe("what does not fit is a typed error", () => {
  it("7: a value of shape [4] into a ref of shape [8]", async () => {
    const k = Kernel.make("tooSmall", { grid: [1], refs: { o: MemRef.out(f32, [8]) } }, function* ({ o }) {
      yield* MemRef.store(o, Tile.ones(f32, [4]) as any)
    })
    const error = await kernelError("TypeMismatch", k)
    expect(error.detail).toBe("a tile of shape [4] does not fit the ref's [8]")
    expect(pointedAt(error)).toContain("MemRef.store(o, Tile.ones(f32, [4])")
  })

  it("8: an f32 value into an i32 ref", async () => {
    const k = Kernel.make("wrongDtype", { grid: [1], refs: { o: MemRef.out(i32, [8]) } }, function* ({ o }) {
      yield* MemRef.store(o, Tile.ones(f32, [8]) as any)
    })
    const error = await kernelError("TypeMismatch", k)
    expect(error.detail).toContain("f32")
    expect(error.detail).toContain("i32")
    expect(pointedAt(error)).toContain("MemRef.store(o, Tile.ones(f32, [8])")
  })

  it("10: a ref instead of the value that it holds", async () => {
    const k = Kernel.make(
      "refIntoRef",
      { grid: [1], refs: { x: MemRef.in(f32, [8]), o: MemRef.out(f32, [8]) } },
      function* ({ o, x }) {
        yield* MemRef.store(o, x as any)
      }
    )
    const error = await kernelError("TypeMismatch", k, { x: new Float32Array(8) })
    expect(error.shown).toContain('ref "x"')
    expect(error.hint).toContain("load")
    expect(pointedAt(error)).toContain("MemRef.store(o, x as any)")
  })

  it("11: a body that returns a value", async () => {
    const k = Kernel.make("returning", { grid: [1], refs: { o: MemRef.out(f32, [8]) } }, function* ({ o }) {
      yield* MemRef.store(o, 1)
      return 1 as any
    })
    expect((await kernelError("InvalidKernel", k)).shown).toContain("the body returns a value")
  })

  it("12: an index map that gives the wrong thing, by the name of its operand", async () => {
    const tile = Tile.iota(i32, [2])
    let captured: any
    const donor = Kernel.make("donor", { grid: [1], refs: { a: MemRef.in(i32, []) } }, function* ({ a }) {
      captured = { tile: yield* MemRef.load(a), ref: a }
    })
    await onEach(donor, { a: new Int32Array(1) }, {})
    const maps: ReadonlyArray<readonly [string, (...ids: ReadonlyArray<any>) => any]> = [
      ["1 positions for 2 axes", (i) => [i]],
      ["3 positions for 2 axes", (i) => [i, 0, 0]],
      ["f32[] for axis 0", (i) => [i.convert(f32), 0]],
      ["0.5 for axis 1", (i) => [i, 0.5]],
      ["i32[2] for axis 0", () => [tile, 0]],
      ["takes 2 ids, the grid has 1 axes", (i, _j) => [i, 0]],
      ['captures a tile of kernel "donor"', () => [captured.tile, 0]],
      ['captures ref "a"', () => [captured.ref, 0]],
      ["gives object for 2 axes", () => Effect.succeed([0, 0])]
    ]
    for (const [what, index] of maps) {
      const k = Kernel.make(
        "mapped",
        { grid: [2], refs: { x: MemRef.in(f32, [4, 4], { block: [2, 4], index }), o: MemRef.out(f32, [4]) } },
        function* ({ o }) {
          yield* MemRef.store(o, 1)
        }
      )
      const error = await kernelError("InvalidKernel", k, { x: new Float32Array(16) })
      expect(error.shown).toContain('ref "x"')
      expect(error.shown).toContain(what)
    }
  })
})
