/**
 * Control flow with refs: cases 68, 69, 70, 71, 72, 73, 75, 76. All are here.
 */
import { describe, it } from "vitest"
import { Control, i32, Kernel, MemRef, Scratch, Tile } from "../../src/index.ts"
import { onEach, single } from "../support/kernels.ts"

const range = (n: number, from = 0) => Int32Array.from({ length: n }, (_, i) => from + i)
const counter = { r: MemRef.out(i32, []) }

describe("a while loop: condition and body share one state", () => {
  it("68: the condition reads the ref that the body writes", async () => {
    const k = single(counter, function* ({ r }) {
      yield* Control.whileLoop(
        Tile.of(i32, 0),
        function* (i) {
          return (yield* MemRef.load(r)).lt(3).and(i.lt(10))
        },
        function* (i) {
          yield* MemRef.store(r, (yield* MemRef.load(r)).add(1))
          return i.add(1)
        }
      )
    })
    await onEach(k, {}, { r: [3] })
  })
  it("69: what the condition adds counts each time it is asked, the last time too", async () => {
    const k = single(counter, function* ({ r }) {
      yield* Control.whileLoop(
        Tile.of(i32, 0),
        function* (i) {
          yield* MemRef.accumulate(r, 1)
          return i.lt(3)
        },
        function* (i) {
          return i.add(1)
        }
      )
    })
    await onEach(k, {}, { r: [4] })
  })
  it("70: as 69, and the body adds too", async () => {
    const k = single(counter, function* ({ r }) {
      yield* Control.whileLoop(
        Tile.of(i32, 0),
        function* (i) {
          yield* MemRef.accumulate(r, 1)
          return i.lt(3)
        },
        function* (i) {
          yield* MemRef.accumulate(r, 10)
          return i.add(1)
        }
      )
    })
    await onEach(k, {}, { r: [34] })
  })
  it("71: as 69, by a load and a store", async () => {
    const k = single(counter, function* ({ r }) {
      yield* Control.whileLoop(
        Tile.of(i32, 0),
        function* (i) {
          yield* MemRef.store(r, (yield* MemRef.load(r)).add(1))
          return i.lt(3)
        },
        function* (i) {
          return i.add(1)
        }
      )
    })
    await onEach(k, {}, { r: [4] })
  })
  it("72: condition and body both load and store one ref", async () => {
    const k = single(counter, function* ({ r }) {
      yield* Control.whileLoop(
        Tile.of(i32, 0),
        function* (i) {
          yield* MemRef.store(r, (yield* MemRef.load(r)).add(1))
          return i.lt(3)
        },
        function* (i) {
          yield* MemRef.store(r, (yield* MemRef.load(r)).add(10))
          return i.add(1)
        }
      )
    })
    await onEach(k, {}, { r: [34] })
  })
})

describe("loops and scopes over refs", () => {
  it.each([false, true])(
    "73: a counted loop reads and writes the slice of its step (reversed: %s)",
    async (reversed) => {
      const k = single({ x: MemRef.in(i32, [5, 2]), o: MemRef.out(i32, [5, 2]) }, function* ({ o, x }) {
        yield* Control.fori(0, 5, Tile.zeros(i32, [2]), function* (step, sum) {
          const i = reversed ? Tile.sub(4, step) : step
          const next = sum.add(yield* MemRef.load(MemRef.at(x, [i])))
          yield* MemRef.store(MemRef.at(o, [i]), next)
          return next
        })
      })
      const forwards = [0, 1, 2, 4, 6, 9, 12, 16, 20, 25]
      const backwards = [20, 25, 20, 24, 18, 21, 14, 16, 8, 9]
      await onEach(k, { x: range(10) }, { o: reversed ? backwards : forwards })
    }
  )
  it("75: nested scratch and loops over an outer ref see each other's writes, and no operand is permuted", async () => {
    const k = Kernel.make(
      "nested",
      { grid: [1], refs: { x: MemRef.in(i32, [2]), y: MemRef.in(i32, [2]), o: MemRef.inout(i32, [2]) } },
      function* ({ o, x, y }) {
        const seven = Tile.full(i32, [2], 7)
        const [a, b] = [yield* MemRef.load(x), yield* MemRef.load(y)]
        const given = yield* Scratch.scoped(Scratch.workgroup(i32, [2]), function* (outer) {
          yield* MemRef.store(outer, a.sub(b).mul(100))
          yield* Scratch.scoped(Scratch.register(i32, [2]), function* (inner) {
            yield* Control.forEach(0, 3, function* (i) {
              yield* MemRef.store(inner, (yield* MemRef.load(inner)).add(i).add(1))
              yield* MemRef.store(o, (yield* MemRef.load(o)).mul(2).add(yield* MemRef.load(inner)))
            })
            yield* MemRef.store(outer, (yield* MemRef.load(outer)).add(yield* MemRef.load(inner)))
          })
          return (yield* MemRef.load(outer)).add(seven)
        })
        yield* MemRef.store(o, given.sub(yield* MemRef.load(o)))
      }
    )
    // o: 1 → 3 → 9 → 24 and 2 → 5 → 13 → 32; inner: 6; outer: 100(x-y) + 6; given: 100(x-y) + 13.
    const args = { x: Int32Array.of(5, 1), y: Int32Array.of(3, 2), o: Int32Array.of(1, 2) }
    await onEach(k, args, { o: [213 - 24, -87 - 32] })
  })
  it.each([
    [3, 3],
    [4, -4],
    [2147483647, -2147483648]
  ])("76: a loop from %d to %d runs never and leaves refs alone", async (from, to) => {
    const k = single({ from: MemRef.scalar(i32), to: MemRef.scalar(i32), o: MemRef.inout(i32, [2]) }, function* (r) {
      const count = yield* Control.fori(r.from, r.to, Tile.of(i32, 5), function* (_, n) {
        yield* MemRef.store(r.o, 9)
        return n.add(1)
      })
      yield* MemRef.accumulate(r.o, count)
    })
    await onEach(k, { from, to, o: Int32Array.of(1, 2) }, { o: [6, 7] })
  })
})
