/**
 * Races of threads and of program instances: 93, 96, 97, 99, 100, 109, 111, 124, as the Simulator sees them.
 *
 * There are no clusters of workgroups: the workgroups of 99 are those of the grid.
 */
import { describe, it } from "vitest"
import { Atomic, Barrier, Control, i32, Kernel, MemRef, Scratch, Tile } from "../../src/index.ts"
import { finds, isSilent } from "../support/simulator.ts"

const range = (n: number, from = 0) => Array.from({ length: n }, (_, i) => from + i)
const among = ["threads", "programs"] as const
type Among = (typeof among)[number]
/** As many threads of one program instance, or program instances of one thread. */
const several = (kind: Among, count: number) => ({
  grid: [kind === "programs" ? count : 1],
  threads: kind === "threads" ? count : 1
})
const idOf = (kind: Among) => (kind === "threads" ? Control.threadId() : Control.programId(0))
const each = (...counts: ReadonlyArray<number>) => among.flatMap((kind) => counts.map((n) => [n, kind] as const))

describe("elements that several touch", () => {
  it.each(each(...range(16, 1)))("96: %i %s each write a slot of their own: no finding", async (n, kind) => {
    const k = Kernel.make("slots", { ...several(kind, n), refs: { o: MemRef.inout(i32, [16]) } }, function* ({ o }) {
      const id = yield* idOf(kind)
      yield* MemRef.store(MemRef.at(o, [id]), id.add(1))
    })
    await isSilent(k, { o: new Int32Array(16) }, { o: range(16, 1).map((v) => (v <= n ? v : 0)) })
  })

  const contested = (kind: Among, n: number, value: "same" | "own") =>
    Kernel.make("contested", { ...several(kind, n), refs: { o: MemRef.out(i32, []) } }, function* ({ o }) {
      const id = yield* idOf(kind)
      yield* MemRef.store(o, value === "same" ? 7 : id) // write
    })
  it.each([2, 3, 8])("97: %i threads write one scalar, be it the same value: a race", async (n) => {
    for (const value of ["same", "own"] as const)
      await finds(contested("threads", n, value), {}, ["Race among threads on o: write"])
  })
  it.each([2, 3, 8])("99: %i workgroups of the grid write one cell, be it the same value: a race", async (n) => {
    for (const value of ["same", "own"] as const)
      await finds(contested("programs", n, value), {}, ["Race among programs on o: write"])
  })
  it("97: one thread, or one program instance, may write it twice", async () => {
    for (const kind of among) await isSilent(contested(kind, 1, "own"), {}, { o: [0] })
  })

  it.each(each(2, 4))("100: %i %s write disjoint strided parts of one array: no finding", async (n, kind) => {
    const k = Kernel.make("halves", { ...several(kind, n), refs: { o: MemRef.out(i32, [8]) } }, function* ({ o }) {
      const id = yield* idOf(kind)
      yield* MemRef.store(MemRef.at(o, [MemRef.slice(id, 8 / n, n)]), id.add(1))
    })
    await isSilent(k, {}, { o: range(8).map((i) => (i % n) + 1) })
  })
  it.each(among)("100: strided parts that share one element race on that element alone (%s)", async (kind) => {
    const k = Kernel.make("thirds", { ...several(kind, 2), refs: { o: MemRef.inout(i32, [8]) } }, function* ({ o }) {
      const id = yield* idOf(kind)
      // 0, 2, 4, and 3, 4, 5.
      const one = MemRef.slice(0, 3, 2)
      yield* Control.cond(
        id.eq(0),
        () => MemRef.store(MemRef.at(o, [one]), 1), // by two
        () => MemRef.store(MemRef.at(o, [MemRef.slice(3, 3)]), 2) // by one
      )
    })
    await finds(k, { o: new Int32Array(8) }, [`Race among ${kind} on o: by one, by two`])
  })

  it.each(each(2, 3, 16))("109: %i %s read one cell: no finding", async (n, kind) => {
    const k = Kernel.make(
      "readers",
      { ...several(kind, n), refs: { x: MemRef.inout(i32, []), o: MemRef.out(i32, [n]) } },
      function* ({ o, x }) {
        yield* MemRef.store(MemRef.at(o, [yield* idOf(kind)]), yield* MemRef.load(x))
      }
    )
    await isSilent(k, { x: Int32Array.of(7) }, { o: range(n).map(() => 7) })
  })
  it.each(each(2, 3))("109: of %i %s, one writes what all read: a race", async (n, kind) => {
    const k = Kernel.make(
      "reader",
      { ...several(kind, n), refs: { x: MemRef.inout(i32, []), o: MemRef.out(i32, [n]) } },
      function* ({ o, x }) {
        const id = yield* idOf(kind)
        yield* Control.cond(
          id.eq(1),
          () => MemRef.store(x, 8), // write
          function* () {
            yield* MemRef.load(x) // read
          }
        )
        yield* MemRef.store(MemRef.at(o, [id]), id)
      }
    )
    await finds(k, { x: Int32Array.of(7) }, [`Race among ${kind} on x: read, write`])
  })

  it.each([2, 4, 8])(
    "111: %i program instances write the same cell of scratch, each of its own: no finding",
    async (n) => {
      const k = Kernel.make(
        "ownScratch",
        { grid: [n], refs: { o: MemRef.out(i32, [n]) }, scratch: { cell: Scratch.workgroup(i32, []) } },
        function* ({ cell, o }) {
          const id = yield* Control.programId(0)
          yield* MemRef.store(cell, id.add(1))
          yield* MemRef.store(MemRef.at(o, [id]), yield* MemRef.load(cell))
        }
      )
      await isSilent(k, {}, { o: range(n, 1) })
    }
  )
  it.each(["register", "workgroup"] as const)("111: threads share workgroup scratch alone (%s)", async (space) => {
    const k = Kernel.make(
      "threadScratch",
      { grid: [2], threads: 2, refs: { o: MemRef.out(i32, [2, 2]) }, scratch: { cell: Scratch[space](i32, []) } },
      function* ({ cell, o }) {
        const [id, thread] = [yield* Control.programId(0), yield* Control.threadId()]
        yield* MemRef.store(cell, thread) // write
        yield* MemRef.store(MemRef.at(o, [id, thread]), yield* MemRef.load(cell)) // write
      }
    )
    if (space === "register") await isSilent(k, {}, { o: [0, 1, 0, 1] })
    else await finds(k, {}, ["Race among threads on cell: write"])
  })
})

describe("steps of two kinds on one element", () => {
  const kernel = (kind: Among, other: "add" | "max" | "exchange") =>
    Kernel.make("steps", { ...several(kind, 2), refs: { o: MemRef.inout(i32, []) } }, function* ({ o }) {
      yield* Control.cond(
        (yield* idOf(kind)).eq(0),
        function* () {
          yield* Atomic.add(o, 1) // add
        },
        function* () {
          yield* Atomic[other](o, 1) // other
        }
      )
    })
  it.each(among)(
    "commute no more than addition and a maximum do, of %s; exchanges make flags, and are silent",
    async (kind) => {
      const args = { o: Int32Array.of(0) }
      await finds(kernel(kind, "max"), args, ["OrderShows on o: add, other"])
      await finds(kernel(kind, "exchange"), args, [])
      await isSilent(kernel(kind, "add"), args, { o: [2] })
    }
  )
})

describe("scratch of scopes", () => {
  /** The first thread writes, all read: in a scope of their own, or in one that they share. */
  const kernel = (threads: number, collective: boolean, synced: boolean) =>
    Kernel.make("scopes", { grid: [2], threads, refs: { o: MemRef.out(i32, [2, threads]) } }, function* ({ o }) {
      const [id, thread] = [yield* Control.programId(0), yield* Control.threadId()]
      yield* Scratch.scoped(
        Scratch.workgroup(i32, []),
        function* (cell) {
          const isWriter = collective ? thread.eq(0) : Tile.of(i32, 0).eq(0)
          yield* Control.when(isWriter, () => MemRef.store(cell, id.add(5))) // write
          if (synced) yield* Barrier.sync()
          const value = yield* MemRef.load(cell) // read
          yield* MemRef.store(MemRef.at(o, [id, thread]), value)
        },
        { collective }
      )
    })
  it.each([1, 2, 3, 4, 8])("124: %i threads have one scratch together in a collective scope", async (threads) => {
    const o = [5, 6].flatMap((v) => range(threads).map(() => v))
    await isSilent(kernel(threads, true, true), {}, { o })
    await isSilent(kernel(threads, false, false), {}, { o })
    const raced = ["Race among threads on scratch: read, write"]
    await finds(kernel(threads, true, false), {}, threads === 1 ? [] : raced)
  })
})

describe("a spin lock around a counter", () => {
  const locked = (kind: Among, n: number) =>
    Kernel.make(
      "spinLock",
      { ...several(kind, n), refs: { lock: MemRef.inout(i32, []), counter: MemRef.inout(i32, []) } },
      function* ({ counter, lock }) {
        yield* Control.whileLoop(
          Tile.of(i32, 1),
          function* (taken) {
            return taken.ne(0)
          },
          () => Atomic.compareExchange(lock, 0, 1)
        )
        const before = yield* MemRef.load(counter) // read
        yield* MemRef.store(counter, before.add(1)) // write
        yield* Atomic.exchange(lock, 0)
      }
    )
  const args = { lock: Int32Array.of(0), counter: Int32Array.of(0) }
  it.each(each(1, 2, 3, 4, 8))("93: by compare-and-swap, %i %s: all count, and it is free in the end", (n, kind) =>
    isSilent(locked(kind, n), args, { counter: [n], lock: [0] }, { atomics: "acquireRelease" })
  )
  it.each(each(1, 2, 3, 4, 8))(
    "93: %i %s: with the relaxed atomics of WGSL it orders nothing but itself, and the plain counter is a race",
    async (n, kind) => {
      await finds(locked(kind, n), args, n === 1 ? [] : [`Race among ${kind} on counter: read, write`])
    }
  )
})
