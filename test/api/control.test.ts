/** Loops, branches and the grid, as their documentation promises. */
import { Effect } from "effect"
import { describe, it } from "vitest"
import { bool, Control, f32, i32, Kernel, MemRef, Tile } from "../../src/index.ts"
import { onEach, single } from "../support/kernels.ts"

const out = { n: MemRef.scalar(i32), o: MemRef.out(i32, [4]) }

describe("loops", () => {
  it("fori threads a carry, with static and dynamic bounds", async () => {
    const k = single(out, function* ({ n, o }) {
      const fixed = yield* Control.fori(2, 5, Tile.of(i32, 0), function* (i, c) {
        return c.add(i)
      })
      const dynamic = yield* Control.fori(n, n.add(3), Tile.zeros(i32, [4]), function* (i, c) {
        return c.mul(2).add(i)
      })
      yield* MemRef.store(o, dynamic.add(fixed))
    })
    await onEach(k, { n: 0 }, { o: [13, 13, 13, 13] })
    await onEach(k, { n: -1 }, { o: [6, 6, 6, 6] })
  })
  it("carries are records of records, of tiles of different types", async () => {
    const k = single(out, function* ({ n, o }) {
      const init = { sum: Tile.zeros(f32, [4]), state: { count: Tile.of(i32, 0), odd: Tile.of(bool, false) } }
      const end = yield* Control.fori(0, n, init, function* (i, { state, sum }) {
        return {
          state: { odd: state.odd.not(), count: state.count.add(i) },
          sum: sum.add(Tile.iota(f32, [4]))
        }
      })
      yield* MemRef.store(o, end.sum.convert(i32).add(end.state.count.mul(100)).add(end.state.odd.convert(i32)))
    })
    await onEach(k, { n: 3 }, { o: [301, 304, 307, 310] })
    await onEach(k, { n: 0 }, { o: [0, 0, 0, 0] })
  })
  it("nest, and a body may be an arrow that returns an effect", async () => {
    const k = single(out, function* ({ n, o }) {
      yield* Control.forEach(0, n, (i) =>
        Control.forEach(0, i.add(1), (j) => MemRef.accumulate(MemRef.at(o, [i]), j.add(1)))
      )
    })
    await onEach(k, { n: 4 }, { o: [1, 3, 6, 10] })
  })
  it("an inner loop sees the values of the outer one, and its carry", async () => {
    const k = single(out, function* ({ n, o }) {
      const total = yield* Control.fori(0, 3, Tile.of(i32, 0), function* (i, outer) {
        return yield* Control.fori(0, n, outer, function* (j, inner) {
          return inner.add(i.mul(10)).add(j)
        })
      })
      yield* MemRef.store(o, total)
    })
    await onEach(k, { n: 2 }, { o: [63, 63, 63, 63] })
  })
  it("whileLoop ends when its condition is false, and may run never", async () => {
    const k = single(out, function* ({ n, o }) {
      const end = yield* Control.whileLoop(
        { x: n, steps: Tile.of(i32, 0) },
        function* ({ x }) {
          return x.gt(1)
        },
        function* ({ steps, x }) {
          return { x: Tile.select(x.rem(2).eq(0), x.div(2), x.mul(3).add(1)), steps: steps.add(1) }
        }
      )
      yield* MemRef.store(o, end.steps)
    })
    await onEach(k, { n: 27 }, { o: [111, 111, 111, 111] })
    await onEach(k, { n: 1 }, { o: [0, 0, 0, 0] })
  })
})

describe("branches", () => {
  it("when runs its body or not", async () => {
    const k = single(out, function* ({ n, o }) {
      yield* Control.when(n.gt(2), () => MemRef.store(o, 7))
    })
    await onEach(k, { n: 3 }, { o: [7, 7, 7, 7] })
    await onEach(k, { n: 2 }, { o: [0, 0, 0, 0] })
  })
  it("cond gives what its branch gives: a record, or nothing", async () => {
    const k = single(out, function* ({ n, o }) {
      const { a } = yield* Control.cond(
        n.eq(0),
        function* () {
          yield* MemRef.accumulate(o, 1)
          return { a: Tile.iota(i32, [4]) }
        },
        function* () {
          yield* MemRef.accumulate(o, 2)
          return { a: Tile.full(i32, [4], 10).mul(n) }
        }
      )
      yield* Control.cond(
        n.lt(5),
        () => Effect.void,
        function* () {
          yield* MemRef.accumulate(o, 100)
        }
      )
      yield* MemRef.accumulate(o, a)
    })
    await onEach(k, { n: 0 }, { o: [1, 2, 3, 4] })
    await onEach(k, { n: 6 }, { o: [162, 162, 162, 162] })
  })
  it("a branch that is not taken does nothing, not even divide or read outside", async () => {
    const k = single(out, function* ({ n, o }) {
      const given = yield* Control.cond(
        n.ne(0),
        function* () {
          return Tile.div(100, n)
        },
        function* () {
          return yield* MemRef.load(MemRef.at(o, [n.sub(100)]))
        }
      )
      yield* MemRef.store(o, given)
    })
    await onEach(k, { n: 7 }, { o: [14, 14, 14, 14] })
    await onEach(k, { n: 0 }, { o: [0, 0, 0, 0] })
  })
})

describe("the grid", () => {
  it("programId and numPrograms along each axis, parallel and sequential", async () => {
    const k = Kernel.make(
      "where",
      {
        grid: [2, Kernel.sequential(2), Kernel.parallel(3)],
        refs: { o: MemRef.out(i32, [2, 2, 3], { block: [1, 1, 1], index: (i, j, k) => [i!, j!, k!] }) }
      },
      function* ({ o }) {
        const at = [yield* Control.programId(0), yield* Control.programId(1), yield* Control.programId(2)] as const
        const size = [yield* Control.numPrograms(1), yield* Control.numPrograms(2)] as const
        yield* MemRef.store(o, at[0].mul(size[0]).add(at[1]).mul(size[1]).add(at[2]))
      }
    )
    await onEach(k, {}, { o: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] })
  })
  it("without axes is one program; of four axes, all are visited", async () => {
    const one = Kernel.make("one", { grid: [], refs: { o: MemRef.out(i32, [1]) } }, function* ({ o }) {
      yield* MemRef.accumulate(o, 1)
    })
    await onEach(one, {}, { o: [1] })
    const many = Kernel.make("many", { grid: [2, 3, 2, 2], refs: { o: MemRef.out(i32, [1]) } }, function* ({ o }) {
      let digits = Tile.of(i32, 0)
      for (const axis of [0, 1, 2, 3]) digits = digits.mul(10).add(yield* Control.programId(axis))
      yield* MemRef.accumulate(o, digits)
    })
    let sum = 0
    for (let i = 0; i < 24; i++)
      sum += 1000 * Math.floor(i / 12) + 100 * (Math.floor(i / 4) % 3) + 10 * (Math.floor(i / 2) % 2) + (i % 2)
    await onEach(many, {}, { o: [sum] })
  })
})
