/** Barriers: phases complete when their arrivals were made, and each is observed once. */
import { describe, it } from "vitest"
import { Barrier, Control, i32, Kernel, MemRef, Scratch, Tile } from "../../src/index.ts"
import { onEach } from "../support/kernels.ts"

const o = MemRef.out(i32, [8])
/** Stores whether a phase is there to be observed. */
const note = function* (to: MemRef.Writable<"o", "i32", [8]>, k: number, b: Barrier.Ref<[]>) {
  yield* MemRef.store(MemRef.at(to, [k]), (yield* Barrier.test(b)).convert(i32))
}

describe("a barrier of three arrivals", () => {
  const b = Barrier.scratch({ arrivals: 3 })
  it("completes a phase at the third, shows that to a test, and a wait observes it", async () => {
    const k = Kernel.make("k", { grid: [2], refs: { o }, scratch: { b } }, function* ({ b, o }) {
      yield* note(o, 0, b)
      yield* Barrier.arrive(b)
      yield* Barrier.arrive(b)
      yield* note(o, 1, b)
      yield* Barrier.arrive(b)
      yield* note(o, 2, b)
      yield* note(o, 3, b)
      yield* Barrier.wait(b)
      yield* note(o, 4, b)
    })
    await onEach(k, {}, { o: [0, 0, 1, 1, 0, 0, 0, 0] })
  })
  it("counts anew after each phase, also arrivals that were made before the wait", async () => {
    const k = Kernel.make("k", { grid: [1], refs: { o }, scratch: { b } }, function* ({ b, o }) {
      yield* Control.forEach(0, 4, () => Barrier.arrive(b))
      yield* Barrier.wait(b)
      yield* note(o, 0, b)
      yield* Control.forEach(0, 2, () => Barrier.arrive(b))
      yield* note(o, 1, b)
      yield* Barrier.wait(b)
    })
    await onEach(k, {}, { o: [0, 1, 0, 0, 0, 0, 0, 0] })
  })
})

describe("phases", () => {
  it("go on over loops whose length only the run knows", async () => {
    const k = Kernel.make(
      "k",
      { grid: [1], refs: { n: MemRef.scalar(i32), o }, scratch: { b: Barrier.scratch({ arrivals: 2 }) } },
      function* ({ b, n, o }) {
        yield* Control.forEach(0, n, function* () {
          yield* Control.forEach(0, n.sub(3), () => Barrier.arrive(b))
          yield* Barrier.wait(b)
          yield* MemRef.accumulate(MemRef.at(o, [0]), 1)
        })
        const below = function* (i: Tile.I32) {
          return i.lt(n)
        }
        yield* Control.whileLoop(Tile.of(i32, 0), below, function* (i) {
          yield* Barrier.arrive(b)
          yield* Barrier.arrive(b)
          yield* Barrier.wait(b)
          yield* MemRef.accumulate(MemRef.at(o, [1]), 1)
          return i.add(1)
        })
      }
    )
    await onEach(k, { n: 5 }, { o: [5, 5, 0, 0, 0, 0, 0, 0] })
  })
  it("go on over the cells of sequential axes, and begin anew in each program instance", async () => {
    const k = Kernel.make(
      "k",
      {
        grid: [2, Kernel.sequential(3)],
        refs: { o: MemRef.out(i32, [2, 3], { block: [null, null], index: (i, j) => [i, j] }) },
        scratch: { b: Barrier.scratch({ arrivals: 3 }) }
      },
      function* ({ b, o }) {
        yield* MemRef.store(o, (yield* Barrier.test(b)).convert(i32))
        yield* Barrier.arrive(b)
        yield* Control.when((yield* Control.programId(1)).eq(2), () => Barrier.wait(b))
      }
    )
    await onEach(k, {}, { o: [0, 0, 0, 0, 0, 0] })
  })
  it("begin anew at each entry of a scope", async () => {
    const k = Kernel.make("k", { grid: [1], refs: { o } }, function* ({ o }) {
      yield* Control.forEach(0, 4, (i) =>
        Scratch.scoped(Barrier.scratch({ arrivals: 1 }), function* (b) {
          yield* MemRef.store(MemRef.at(o, [i]), (yield* Barrier.test(b)).convert(i32))
          yield* Barrier.arrive(b)
          yield* MemRef.store(MemRef.at(o, [i.add(4)]), (yield* Barrier.test(b)).convert(i32))
          yield* Barrier.wait(b)
        })
      )
    })
    await onEach(k, {}, { o: [0, 0, 0, 0, 1, 1, 1, 1] })
  })
  it("are those of each program instance of a kernel that is called", async () => {
    const callee = Kernel.make(
      "callee",
      {
        grid: [3, Kernel.sequential(2)],
        refs: { x: MemRef.inout(i32, [3], { block: [null], index: (i) => [i] }) },
        scratch: { b: Barrier.scratch({ arrivals: 2 }) }
      },
      function* ({ b, x }) {
        yield* Barrier.arrive(b)
        yield* MemRef.accumulate(x, (yield* Barrier.test(b)).convert(i32).add(10))
        yield* Control.when((yield* Control.programId(1)).eq(1), () => Barrier.wait(b))
      }
    )
    const k = Kernel.make("k", { grid: [1], refs: { o: MemRef.out(i32, [3]) } }, function* ({ o }) {
      yield* Kernel.call(callee, { x: o })
    })
    await onEach(k, {}, { o: [21, 21, 21] })
  })
})

describe("several barriers", () => {
  const b = Barrier.scratch({ arrivals: 1, barriers: 3 })
  it("are apart, and a tile picks one", async () => {
    const k = Kernel.make(
      "k",
      { grid: [1], refs: { n: MemRef.scalar(i32), o }, scratch: { b } },
      function* ({ b, n, o }) {
        yield* Barrier.arrive(Barrier.at(b, n))
        yield* note(o, 0, Barrier.at(b, 0))
        yield* note(o, 1, Barrier.at(b, 1))
        yield* note(o, 2, Barrier.at(b, -1))
        yield* Barrier.wait(Barrier.at(b, n))
        yield* note(o, 3, Barrier.at(b, 1))
      }
    )
    await onEach(k, { n: 1 }, { o: [0, 1, 0, 0, 0, 0, 0, 0] })
    await onEach(k, { n: 2 }, { o: [0, 0, 1, 0, 0, 0, 0, 0] })
  })
  it("take turns: a buffer of two halves is filled and emptied", async () => {
    const k = Kernel.make(
      "k",
      {
        grid: [1],
        refs: { x: MemRef.in(i32, [8]), o },
        scratch: {
          buffer: Scratch.workgroup(i32, [2]),
          filled: Barrier.scratch({ arrivals: 1, barriers: 2 }),
          empty: Barrier.scratch({ arrivals: 1, barriers: 2 })
        }
      },
      function* ({ buffer, empty, filled, o, x }) {
        yield* Control.forEach(0, 2, (h) => Barrier.arrive(Barrier.at(empty, h)))
        yield* Control.forEach(0, 9, function* (i) {
          yield* Control.when(i.lt(8), function* () {
            const half = i.rem(2)
            yield* Barrier.wait(Barrier.at(empty, half))
            yield* MemRef.store(MemRef.at(buffer, [half]), yield* MemRef.load(MemRef.at(x, [i])))
            yield* Barrier.arrive(Barrier.at(filled, half))
          })
          yield* Control.when(i.gt(0), function* () {
            const half = i.sub(1).rem(2)
            yield* Barrier.wait(Barrier.at(filled, half))
            yield* MemRef.store(MemRef.at(o, [i.sub(1)]), (yield* MemRef.load(MemRef.at(buffer, [half]))).mul(10))
            yield* Barrier.arrive(Barrier.at(empty, half))
          })
        })
        yield* Control.forEach(0, 2, (h) => Barrier.wait(Barrier.at(empty, h)))
      }
    )
    await onEach(k, { x: Int32Array.of(1, 2, 3, 4, 5, 6, 7, 8) }, { o: [10, 20, 30, 40, 50, 60, 70, 80] })
  })
})

describe("sync", () => {
  it("128: is an effect without a ref, and changes no result, also inside loops and branches", async () => {
    const k = Kernel.make(
      "k",
      {
        grid: [2],
        refs: { x: MemRef.in(i32, [64]), o: MemRef.out(i32, [64]) },
        scratch: { s: Scratch.workgroup(i32, [64]) }
      },
      function* ({ o, s, x }) {
        yield* MemRef.store(s, yield* MemRef.load(x))
        yield* Control.forEach(0, 3, function* (i) {
          yield* Control.when(i.gt(0), () => Barrier.sync())
          yield* MemRef.store(s, Tile.flip(yield* MemRef.load(s)).add(1))
          yield* Barrier.sync()
        })
        yield* MemRef.store(o, yield* MemRef.load(s))
      }
    )
    const x = Int32Array.from({ length: 64 }, (_, i) => i)
    await onEach(k, { x }, { o: x.toReversed().map((v) => v + 3) })
  })
})
