/**
 * What the Simulator reports of cases that have results all the same: 15, 16, 17, 19, 28, 29, 53, 55, 56, 60, 64, 66, 95.
 */
import { describe, expect, it } from "vitest"
import { Atomic, Block, Control, DType, i32, Kernel, MemRef, Scratch, Tile } from "../../src/index.ts"
import { single } from "../support/kernels.ts"
import { finds, isSilent, type Options, reportOf, schedules } from "../support/simulator.ts"

const range = (n: number, from = 0) => Array.from({ length: n }, (_, i) => from + i)
const ints = (...xs: ReadonlyArray<number>) => Int32Array.from(xs)
const x8 = { x: Int32Array.from(range(8)) }
/** It finds this, and gives these results under every schedule. */
const reports = async (
  k: Kernel.Any,
  args: Parameters<typeof reportOf>[1],
  found: ReadonlyArray<string>,
  results: { readonly [ref: string]: ReadonlyArray<number> },
  trusted: Options["trusted"]
) => {
  await finds(k, args, found)
  // The zeros are what the results hold, so that trusting them leaves nothing to be said.
  if (trusted !== undefined) await isSilent(k, args, results, { trusted })
}
const outside = ["outOfBounds"] as const
const elementsOf = async (k: Kernel.Any, args: Parameters<typeof reportOf>[1]) => {
  const all = []
  for (const how of schedules) {
    const { findings } = await reportOf(k, args, { schedules: [how] })
    all.push(findings.map((f) => [f.element, f.count]))
  }
  expect(new Set(all.map((f) => JSON.stringify(f))).size).toBe(1)
  return all[0]
}

describe("reads out of bounds", () => {
  const at = single({ i: MemRef.scalar(i32), x: MemRef.in(i32, [8]), o: MemRef.out(i32, []) }, function* ({ i, o, x }) {
    const v = yield* MemRef.load(MemRef.at(x, [i])) // read
    yield* MemRef.store(o, v) // store
  })
  it.each([
    [15, 9],
    [16, -1]
  ])("%i: a dynamic index %i gives 0, and is found where it reaches a result", async (_, index) => {
    const found = ["OutOfBounds read on x: read, store"]
    await reports(at, { i: index, ...x8 }, found, { o: [0] }, outside)
    await isSilent(at, { i: 7, ...x8 }, { o: [7] })
  })
  it("15: a dynamic index past the end", () => finds(at, { i: 8, ...x8 }, ["OutOfBounds read on x: read, store"]))
  it("16: a dynamic negative index", () => finds(at, { i: -8, ...x8 }, ["OutOfBounds read on x: read, store"]))

  const window = single(
    { i: MemRef.scalar(i32), x: MemRef.in(i32, [8]), o: MemRef.out(i32, [4]) },
    function* ({ i, o, x }) {
      const v = yield* MemRef.load(MemRef.at(x, [MemRef.slice(i, 4)])) // read
      yield* MemRef.store(o, v) // store
    }
  )
  it("17: a window that reaches over the end: the two cells are found as one mistake", async () => {
    const found = ["OutOfBounds read on x: read, store"]
    await reports(window, { i: 6, ...x8 }, found, { o: [6, 7, 0, 0] }, outside)
    expect(await elementsOf(window, { i: 6, ...x8 })).toEqual([[[8], 2]])
  })
  it("19: a window that begins before the ref", async () => {
    const found = ["OutOfBounds read on x: read, store"]
    await reports(window, { i: -2, ...x8 }, found, { o: [0, 0, 0, 1] }, outside)
    expect(await elementsOf(window, { i: -2, ...x8 })).toEqual([[[-2], 2]])
  })
  it("28: a gather, of whose indices three are outside", async () => {
    const k = single(
      { i: MemRef.in(i32, [4]), x: MemRef.in(i32, [8]), o: MemRef.out(i32, [4]) },
      function* ({ i, o, x }) {
        const v = yield* MemRef.load(MemRef.at(x, [yield* MemRef.load(i)])) // read
        yield* MemRef.store(o, v) // store
      }
    )
    const args = { i: ints(0, 9, -1, -9), x: Int32Array.from(range(8, 10)) }
    await reports(k, args, ["OutOfBounds read on x: read, store"], { o: [10, 0, 0, 0] }, outside)
    expect(await elementsOf(k, args)).toEqual([[[9], 3]])
  })
})

describe("writes out of bounds", () => {
  it("29: a scatter, of whose indices three are outside", async () => {
    const k = single(
      { i: MemRef.in(i32, [4]), v: MemRef.in(i32, [4]), x: MemRef.inout(i32, [8]) },
      function* ({ i, v, x }) {
        yield* MemRef.store(MemRef.at(x, [yield* MemRef.load(i)]), yield* MemRef.load(v)) // store
      }
    )
    await finds(k, { i: ints(0, 9, -1, -9), v: ints(100, 101, 102, 103), ...x8 }, ["OutOfBounds write on x: store"])
    await isSilent(
      k,
      { i: ints(0, 7, 1, 2), v: ints(100, 101, 102, 103), ...x8 },
      { x: [100, 102, 103, 3, 4, 5, 6, 101] }
    )
  })
  it("95: an atomic add to a slice that reaches over the end", async () => {
    const k = single({ i: MemRef.scalar(i32), x: MemRef.inout(i32, [8]) }, function* ({ i, x }) {
      yield* Atomic.add(MemRef.at(x, [MemRef.slice(i, 4)]), Tile.iota(i32, [4]).add(1)) // add
    })
    const args = { x: new Int32Array(8) }
    await finds(k, { i: 6, ...args }, ["OutOfBounds write on x: add"])
    await isSilent(k, { i: 4, ...args }, { x: [0, 0, 0, 0, 1, 2, 3, 4] })
  })
})

describe("blocks", () => {
  const copy = (spec: any, shape: ReadonlyArray<number>, grid = 1) =>
    Kernel.make(
      "blocks",
      {
        grid: [grid],
        refs: {
          x: spec,
          o: MemRef.out(i32, [grid, ...shape], {
            block: [null, ...shape] as any,
            index: ((i: any) => [i, ...shape.map(() => 0)]) as any
          })
        }
      },
      function* ({ o, x }: any) {
        const v = yield* MemRef.load(x) // read
        yield* MemRef.store(o, v as any) // store
      } as any
    ) as Kernel.Any
  const found = ["OutOfBounds read on x: read, store"]
  it("53: a block that lies wholly outside", async () => {
    const x = MemRef.in(i32, [4], { block: [2], index: (i) => [i.sub(1)] })
    await reports(copy(x, [2], 2), { x: ints(0, 1, 2, 3) }, found, { o: [0, 0, 0, 1] }, outside)
  })
  it("55: a block that begins at an element outside", async () => {
    const x = MemRef.in(i32, [6], { block: [Block.element(4)], index: () => [7] })
    await reports(copy(x, [4]), { x: ints(1, 2, 3, 4, 5, 6) }, found, { o: [0, 0, 0, 0] }, outside)
  })
  it.each([5, -1])("56: a dropped dimension with index %i of three", async (row) => {
    const x = MemRef.in(i32, [3, 2], { block: [null, 2], index: (i) => [i.add(row), 0] })
    await reports(copy(x, [2]), { x: ints(1, 2, 3, 4, 5, 6) }, found, { o: [0, 0] }, outside)
  })
})

describe("grids that are not sequential", () => {
  const axis = (sequential: boolean, n: number) => (sequential ? Kernel.sequential(n) : n)
  const revisited = (sequential: boolean) =>
    Kernel.make(
      "revisited",
      {
        grid: [axis(sequential, 4)],
        refs: {
          x: MemRef.in(i32, [4], { block: [1], index: (i) => [i] }),
          o: MemRef.out(i32, [2], { block: [1], index: (i) => [i.rem(2)] })
        }
      },
      function* ({ o, x }) {
        const before = yield* MemRef.load(o) // read
        yield* MemRef.store(o, before.mul(10).add(yield* MemRef.load(x))) // store
      }
    )
  it("60: an output block that is visited again: a race, and reads of what was never written", async () => {
    const args = { x: ints(1, 2, 3, 4) }
    const unwritten = "Uninitialised output reaches result on o: read, store"
    await reports(revisited(true), args, [unwritten], { o: [13, 24] }, ["output"])
    await finds(revisited(false), args, ["Race among programs on o: read, store", unwritten])
  })
  const swapped = (sequential: boolean) =>
    Kernel.make(
      "swapped",
      {
        grid: [axis(sequential, 4), axis(sequential, 4)],
        refs: { x: MemRef.inout(i32, [4, 4]) },
        scratch: { counter: Scratch.workgroup(i32, []) }
      },
      function* ({ counter, x }) {
        const [i, j] = [yield* Control.programId(0), yield* Control.programId(1)]
        const n = sequential ? yield* MemRef.load(counter) : i.mul(4).add(j)
        const v = yield* MemRef.load(MemRef.at(x, [i, j])) // read
        yield* MemRef.store(MemRef.at(x, [j, i]), v.add(n)) // store
        if (sequential) yield* MemRef.store(counter, n.add(1))
      }
    )
  it("64: a step reads what another one writes, in one buffer: a race unless they are in order", async () => {
    const args = { x: new Int32Array(16) }
    const o = [0, 5, 10, 15, 1, 5, 15, 20, 2, 6, 10, 25, 3, 7, 11, 15]
    await isSilent(swapped(true), args, { x: o }, { trusted: ["scratch"] })
    await finds(swapped(false), args, ["Race among programs on x: read, store"])
  })
})

describe("fresh memory of each dtype", () => {
  const compute = ["f32", "i32", "u32", "bool", "f16"] as const
  it.each(compute)(
    "66: %s: scratch and outputs read as 0, and the read is found where it reaches a result",
    async (name) => {
      const dtype = { f32: DType.f32, i32: DType.i32, u32: DType.u32, bool: DType.bool, f16: DType.f16 }[name]
      for (const space of ["workgroup", "register"] as const) {
        const k = Kernel.make(
          "fresh",
          {
            grid: [1],
            refs: { o: MemRef.out(dtype as DType.DType<"f32">, []) },
            scratch: { s: Scratch[space](dtype as DType.DType<"f32">, []) }
          },
          function* ({ o, s }) {
            yield* MemRef.store(o, yield* MemRef.load(s)) // copy
          }
        )
        await reports(k, {}, ["Uninitialised scratch reaches result on s: copy"], { o: [0] }, ["scratch"])
      }
      const k = single(
        { a: MemRef.out(dtype as DType.DType<"f32">, []), o: MemRef.out(dtype as DType.DType<"f32">, []) },
        function* ({ a, o }) {
          const v = yield* MemRef.load(a) // read
          yield* MemRef.store(o, v) // store
          yield* MemRef.store(a, v) // store back
        }
      )
      await finds(k, {}, ["Uninitialised output reaches result on a: read, store back"])
    }
  )
  it("66: an output that is never written is found, and its zeros can be trusted", async () => {
    const k = single({ o: MemRef.out(i32, [3]) }, function* ({ o }) {
      yield* MemRef.store(MemRef.at(o, [1]), 4)
    })
    await reports(k, {}, ["Uninitialised output reaches result on o: "], { o: [0, 4, 0] }, ["output"])
  })
})
