/** Copies that are in flight across loops, branches and scopes. */
import { describe, expect, it } from "vitest"
import { Control, Copy, i32, Kernel, MemRef, Scratch, Tile } from "../../src/index.ts"
import { onEach, single } from "../support/kernels.ts"

const range = (n: number, f = (k: number) => k) => Array.from({ length: n }, (_, k) => f(k))
const ints = (n: number, f?: (k: number) => number) => Int32Array.from(range(n, f))
const width = 80
const rowSums = (x: Int32Array) =>
  range(x.length / width, (r) => x.slice(r * width, (r + 1) * width).reduce((a, b) => a + b, 0))

describe("a token is carried through loops", () => {
  /** Sums the rows of x through two buffers, one row ahead. */
  const doubleBuffered = (rows: number) =>
    Kernel.make(
      "doubleBuffered",
      {
        grid: [1],
        refs: { x: MemRef.in(i32, [rows, width]), o: MemRef.out(i32, [rows]) },
        scratch: { buffer: Scratch.workgroup(i32, [2, width]) }
      },
      function* ({ buffer, o, x }) {
        const first = yield* Copy.start(MemRef.at(x, [0]), MemRef.at(buffer, [0]))
        const last = yield* Control.fori(0, rows, first, function* (i, row) {
          const next = i.add(1)
          const later = yield* Copy.start(MemRef.at(x, [next]), MemRef.at(buffer, [next.rem(2)]), {
            when: next.lt(rows)
          })
          yield* Copy.wait(row)
          const v = Tile.flip(yield* MemRef.load(MemRef.at(buffer, [i.rem(2)])))
          yield* MemRef.store(MemRef.at(o, [i]), Tile.sum(v.mul(Tile.iota(i32, [width]))))
          return later
        })
        yield* Copy.wait(last)
      }
    )
  it.each([1, 2, 5])("by a double-buffered loop over %i rows", async (rows) => {
    const x = ints(rows * width, (k) => (k * 7) % 31)
    const o = range(rows, (r) => range(width).reduce((s, j) => s + x[r * width + width - 1 - j]! * j, 0))
    await onEach(doubleBuffered(rows), { x }, { o })
  })
  it("three at a time, each the youngest in turn, beside tiles", async () => {
    const rows = 7
    const k = Kernel.make(
      "ring",
      {
        grid: [1],
        refs: { x: MemRef.in(i32, [rows, width]), o: MemRef.out(i32, [width]), count: MemRef.out(i32, []) },
        scratch: { ring: Scratch.workgroup(i32, [3, width]) }
      },
      function* ({ count, o, ring, x }) {
        const row = (i: Tile.I32 | number) => {
          const at = typeof i === "number" ? Tile.of(i32, i) : i
          return Copy.start(MemRef.at(x, [at]), MemRef.at(ring, [at.rem(3)]))
        }
        const init = {
          oldest: yield* row(0),
          sum: Tile.zeros(i32, [width]),
          middle: yield* row(1),
          young: yield* row(2)
        }
        const end = yield* Control.fori(0, rows, init, function* (i, { middle, oldest, sum, young }) {
          yield* Copy.wait(oldest)
          const v = yield* MemRef.load(MemRef.at(ring, [i.rem(3)]))
          return { oldest: middle, middle: young, young: yield* row(i.add(3)), sum: sum.add(v.mul(i.add(1))) }
        })
        for (const token of [end.middle, end.young, end.oldest]) yield* Copy.wait(token)
        yield* MemRef.store(o, end.sum)
        yield* MemRef.store(count, Tile.sum(yield* MemRef.load(ring)))
      }
    )
    const x = ints(rows * width, (k) => (k * 5) % 13)
    const o = range(width, (j) => range(rows).reduce((s, r) => s + x[r * width + j]! * (r + 1), 0))
    // Rows beyond the last are zeros.
    await onEach(k, { x }, { o, count: [0] })
  })
  it("that run no turn: it lands after them", async () => {
    const k = single(
      { x: MemRef.in(i32, [9]), n: MemRef.scalar(i32), o: MemRef.out(i32, [9]) },
      function* ({ n, o, x }) {
        const first = yield* Copy.start(x, o)
        const last = yield* Control.fori(0, n, first, function* (_, token) {
          yield* Copy.wait(token)
          yield* MemRef.store(o, (yield* MemRef.load(o)).mul(2))
          return yield* Copy.start(o, o)
        })
        yield* Copy.wait(last)
      }
    )
    for (const n of [0, 1, 3]) await onEach(k, { x: ints(9), n }, { o: range(9, (k) => k * 2 ** n) })
  })
  it("with conditions, which may copy something of their own", async () => {
    const refs = { x: MemRef.in(i32, [8, width]), o: MemRef.out(i32, [width]), turns: MemRef.out(i32, []) }
    const k = Kernel.make(
      "until",
      { grid: [1], refs, scratch: { s: Scratch.workgroup(i32, [width]), flag: Scratch.workgroup(i32, []) } },
      function* ({ flag, o, s, turns, x }) {
        const start = (i: Tile.I32) => Copy.start(MemRef.at(x, [i]), s)
        const init = { i: Tile.of(i32, 0), row: yield* start(Tile.of(i32, 0)) }
        const end = yield* Control.whileLoop(
          init,
          function* ({ i }) {
            yield* Copy.wait(yield* Copy.start(MemRef.at(x, [i, 0]), flag))
            return (yield* MemRef.load(flag)).ne(0)
          },
          function* ({ i, row }) {
            yield* Copy.wait(row)
            yield* MemRef.accumulate(o, Tile.flip(yield* MemRef.load(s)))
            return { i: i.add(1), row: yield* start(i.add(1)) }
          }
        )
        yield* Copy.wait(end.row)
        yield* MemRef.store(turns, end.i)
      }
    )
    const x = ints(8 * width, (k) => (Math.floor(k / width) === 5 ? 0 : (k % width) + 1))
    await onEach(k, { x }, { o: range(width, (j) => 5 * (width - j)), turns: [5] })
  })
  it("with the positions, the mask and the predicate of its own turn", async () => {
    const n = 6
    const refs = { x: MemRef.in(i32, [n]), at: MemRef.in(i32, [n]), o: MemRef.inout(i32, [n, n]) }
    const k = single(refs, function* ({ at, o, x }) {
      const start = function* (i: Tile.I32) {
        const columns = (yield* MemRef.load(at)).add(i).rem(n)
        const mask = columns.ne(i)
        return yield* Copy.start(x, MemRef.at(o, [i, columns]), { mask, when: i.ne(3), op: "add" })
      }
      const last = yield* Control.fori(1, n, yield* start(Tile.of(i32, 0)), function* (i, before) {
        const token = yield* start(i)
        yield* Copy.wait(before)
        return token
      })
      yield* Copy.wait(last)
    })
    const at = Int32Array.of(2, 4, 0, 1, 5, 3)
    const o = new Int32Array(n * n).fill(100)
    for (const i of range(n))
      if (i !== 3) at.forEach((c, e) => ((c + i) % n !== i ? (o[i * n + ((c + i) % n)]! += e + 1) : 0))
    await onEach(k, { x: ints(n, (e) => e + 1), at, o: new Int32Array(n * n).fill(100) }, { o })
  })
  it("bug 91: where it is one turn ahead of stores that it decides about", async () => {
    const n = 17
    const refs = { index: MemRef.in(i32, [n]), o: MemRef.out(i32, [n]) }
    const k = Kernel.make(
      "ahead",
      { grid: [1], refs, scratch: { at: Scratch.workgroup(i32, [2]) } },
      function* ({ at, index, o }) {
        const start = (i: Tile.I32) => Copy.start(MemRef.at(index, [i]), MemRef.at(at, [i.rem(2)]))
        const last = yield* Control.fori(0, n, yield* start(Tile.of(i32, 0)), function* (i, token) {
          const next = yield* start(i.add(1))
          yield* Copy.wait(token)
          const place = yield* MemRef.load(MemRef.at(at, [i.rem(2)]))
          yield* Control.when(place.ge(0), function* () {
            yield* MemRef.store(MemRef.at(o, [place]), i.add(1))
          })
          return next
        })
        yield* Copy.wait(last)
      }
    )
    await onEach(k, { index: ints(n) }, { o: range(n, (i) => i + 1) })
    await onEach(
      k,
      { index: ints(n, (i) => (i % 3 === 0 ? -1 : n - 1 - i)) },
      {
        o: range(n, (i) => ((n - 1 - i) % 3 === 0 ? 0 : n - i))
      }
    )
  })
  it("inside one another", async () => {
    const refs = { x: MemRef.in(i32, [3, 4, width]), o: MemRef.out(i32, [12]) }
    const k = Kernel.make(
      "nested",
      { grid: [1], refs, scratch: { s: Scratch.workgroup(i32, [width]) } },
      function* ({ o, s, x }) {
        const row = (i: Tile.I32 | number, j: Tile.I32 | number) => Copy.start(MemRef.at(x, [i, j]), s)
        const last = yield* Control.fori(0, 3, yield* row(0, 0), function* (i, outer) {
          return yield* Control.fori(0, 4, outer, function* (j, inner) {
            yield* Copy.wait(inner)
            const at = i.mul(4).add(j)
            const next = at.add(1)
            const token = yield* row(next.div(4), next.rem(4))
            yield* MemRef.store(MemRef.at(o, [at]), Tile.sum(yield* MemRef.load(s)))
            return token
          })
        })
        yield* Copy.wait(last)
      }
    )
    const x = ints(12 * width, (k) => (k * 11) % 17)
    await onEach(k, { x }, { o: rowSums(x) })
  })
  it("over the cells of a sequential axis, started and landed in each", async () => {
    const block = { block: [null, width] as const, index: (i: Tile.I32) => [i, 0] as const }
    const k = Kernel.make(
      "cells",
      {
        grid: [Kernel.sequential(4)],
        refs: { x: MemRef.in(i32, [4, width], block), o: MemRef.out(i32, [width]) },
        scratch: { s: Scratch.workgroup(i32, [width]) }
      },
      function* ({ o, s, x }) {
        const token = yield* Copy.start(x, s, { op: "add" })
        yield* MemRef.store(o, (yield* MemRef.load(o)).add(Tile.flip(yield* MemRef.load(s))))
        yield* Copy.wait(token)
      }
    )
    const x = ints(4 * width, (k) => k % 9)
    const o = range(width, (j) => range(4).reduce((sum, r) => sum + (3 - r) * x[r * width + width - 1 - j]!, 0))
    await onEach(k, { x }, { o })
  })
})

describe("a token goes through branches", () => {
  const refs = {
    a: MemRef.in(i32, [width]),
    b: MemRef.in(i32, [width]),
    n: MemRef.scalar(i32),
    o: MemRef.out(i32, [width])
  }
  const args = (n: number) => ({ a: ints(width), b: ints(width, (k) => -k), n })
  it("that start different copies to one ref", async () => {
    const k = single(refs, function* ({ a, b, n, o }) {
      const token = yield* Control.cond(
        n.gt(0),
        () => Copy.start(a, o),
        () => Copy.start(b, o, { when: n.ge(-5) })
      )
      yield* MemRef.store(o, 7)
      yield* Copy.wait(token)
    })
    await onEach(k, args(1), { o: args(1).a })
    await onEach(k, args(-5), { o: args(1).b })
    await onEach(k, args(-6), { o: range(width, () => 7) })
  })
  it("that both wait for it", async () => {
    const k = single(refs, function* ({ a, n, o }) {
      const token = yield* Copy.start(a, o)
      yield* Control.cond(
        n.gt(0),
        function* () {
          yield* MemRef.store(o, 7)
          yield* Copy.wait(token)
        },
        function* () {
          yield* Copy.wait(token)
          yield* MemRef.store(o, 8)
        }
      )
    })
    await onEach(k, args(1), { o: args(1).a })
    await onEach(k, args(0), { o: range(width, () => 8) })
  })
  it("that hand it on, from outside or from their own", async () => {
    const k = single(refs, function* ({ a, b, n, o }) {
      const outer = yield* Copy.start(a, o)
      const token = yield* Control.cond(
        n.gt(0),
        function* () {
          return outer
        },
        function* () {
          yield* Copy.wait(outer)
          return (yield* Copy.start(b, o, { op: "add" })) as unknown as typeof outer
        }
      )
      yield* Copy.wait(token)
    })
    await expect(onEach(k, args(1), {})).rejects.toThrow("branches give the same types")
    const same = single(refs, function* ({ a, b, n, o }) {
      const outer = yield* Copy.start(a, o)
      const token = yield* Control.cond(
        n.gt(0),
        function* () {
          return outer
        },
        function* () {
          yield* Copy.wait(outer)
          return yield* Copy.start(b, o)
        }
      )
      yield* Copy.wait(token)
    })
    await onEach(same, args(1), { o: args(1).a })
    await onEach(same, args(0), { o: args(0).b })
  })
  it("that copy something within", async () => {
    const k = single(refs, function* ({ a, b, n, o }) {
      yield* Control.when(n.gt(0), function* () {
        const token = yield* Copy.start(a, o)
        yield* MemRef.store(o, yield* MemRef.load(b))
        yield* Control.when(n.gt(1), function* () {
          yield* Copy.wait(yield* Copy.start(b, o, { op: "add" }))
        })
        yield* Copy.wait(token)
      })
    })
    for (const n of [0, 1, 2]) await onEach(k, args(n), { o: n === 0 ? new Int32Array(width) : args(n).a })
  })
})

describe("a token goes through scopes", () => {
  it("into them, out of them, and beside scratch whose source has ended", async () => {
    const refs = { x: MemRef.in(i32, [width]), o: MemRef.out(i32, [width]), p: MemRef.out(i32, [width]) }
    const k = single(refs, function* ({ o, p, x }) {
      const outer = yield* Copy.start(x, o)
      const inner = yield* Scratch.scoped(Scratch.workgroup(i32, [width]), function* (s) {
        yield* MemRef.store(s, (yield* MemRef.load(x)).mul(2))
        const token = yield* Copy.start(s, p)
        yield* Copy.wait(outer)
        return token
      })
      yield* Copy.wait(inner)
    })
    await onEach(k, { x: ints(width) }, { o: range(width), p: range(width, (k) => 2 * k) })
  })
  it("of kernels that are called", async () => {
    const move = Kernel.make(
      "move",
      {
        grid: [2],
        refs: {
          from: MemRef.in(i32, [2, width], { block: [null, width], index: (i) => [i, 0] }),
          to: MemRef.out(i32, [2, width], { block: [null, width], index: (i) => [i, 0] })
        }
      },
      function* ({ from, to }) {
        yield* Copy.start(from, to)
        yield* Copy.commit()
        yield* Copy.waitGroups(0)
      }
    )
    const k = single(
      { x: MemRef.in(i32, [2, width]), o: MemRef.out(i32, [2, width]), p: MemRef.out(i32, [2, width]) },
      function* ({ o, p, x }) {
        yield* Copy.start(x, p)
        yield* Copy.commit()
        yield* Kernel.call(move, { from: x, to: o })
        yield* MemRef.store(p, 1)
        yield* Copy.waitGroups(0)
      }
    )
    await onEach(k, { x: ints(2 * width) }, { o: range(2 * width), p: range(2 * width) })
  })
})
