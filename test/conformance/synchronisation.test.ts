/**
 * Synchronisation: 96, 97, 99, 100, 102, 104, 106, 108, 109, 111; barriers: 112, 114, 116, 117.
 *
 * Here is what Discharge and Gpu make of them, where a program instance has one thread of control, so that where a case has
 * threads, here are program instances, or lanes of one operation. What the Simulator finds in them, and in threads, is in
 * races, fences, copies, buffers, barriers and deadlocks.
 */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { Barrier, Control, Copy, i32, Kernel, MemRef, Scratch, type Tile } from "../../src/index.ts"
import { discharge, gpu } from "../support/interpreters.ts"
import { kernelError, onEach, pointedAt, refused, results, single } from "../support/kernels.ts"

const range = (n: number, from = 0) => Int32Array.from({ length: n }, (_, i) => from + i)
const ints = (...xs: ReadonlyArray<number>) => Int32Array.from(xs)

describe("program instances and memory that they share", () => {
  it.each([1, 2, 3, 8, 16])("96: %i program instances each write a slot of their own", async (programs) => {
    const k = Kernel.make("slots", { grid: [programs], refs: { o: MemRef.out(i32, [16]) } }, function* ({ o }) {
      const id = yield* Control.programId(0)
      yield* MemRef.store(MemRef.at(o, [id]), id.add(1))
    })
    await onEach(k, {}, { o: range(16, 1).map((v) => (v <= programs ? v : 0)) })
  })
  it("97: two lanes store to one cell: it holds one of the two, on Discharge the last", async () => {
    const refs = { at: MemRef.in(i32, [2]), v: MemRef.in(i32, [2]), o: MemRef.out(i32, [2]) }
    const k = single(refs, function* ({ at, o, v }) {
      yield* MemRef.store(MemRef.at(o, [yield* MemRef.load(at)]), yield* MemRef.load(v))
    })
    const args = { at: ints(1, 1), v: ints(123456789, -987654321) }
    await onEach(k, args, { o: [0, -987654321] }, { on: [discharge] })
    const { o } = await results(k, args, gpu)
    expect([...args.v]).toContain(o![1])
    expect(o![0]).toBe(0)
  })
  it("99: two program instances store to one cell: it holds one of the two, on Discharge the last", async () => {
    const k = Kernel.make(
      "contested",
      { grid: [2], refs: { v: MemRef.in(i32, [2]), o: MemRef.out(i32, []) } },
      function* ({ o, v }) {
        yield* MemRef.store(o, yield* MemRef.load(MemRef.at(v, [yield* Control.programId(0)])))
      }
    )
    const args = { v: ints(123456789, -987654321) }
    await onEach(k, args, { o: [-987654321] }, { on: [discharge] })
    expect([...args.v]).toContain((await results(k, args, gpu))["o"]![0])
  })
  it("100: two program instances write the even and the odd half of one array", async () => {
    const k = Kernel.make("halves", { grid: [2], refs: { o: MemRef.out(i32, [8]) } }, function* ({ o }) {
      const id = yield* Control.programId(0)
      yield* MemRef.store(MemRef.at(o, [MemRef.slice(id, 4, 2)]), id.add(1))
    })
    await onEach(k, {}, { o: [1, 2, 1, 2, 1, 2, 1, 2] })
  })
  it("109: program instances read one cell", async () => {
    const k = Kernel.make(
      "readers",
      { grid: [2], refs: { x: MemRef.in(i32, [1]), o: MemRef.out(i32, [2]) } },
      function* ({ o, x }) {
        const at = MemRef.at(o, [yield* Control.programId(0)])
        yield* MemRef.store(at, yield* MemRef.load(MemRef.at(x, [0])))
      }
    )
    await onEach(k, { x: ints(7) }, { o: [7, 7] })
  })
  it("111: each program instance has its own scratch", async () => {
    const k = Kernel.make(
      "ownScratch",
      { grid: [4], refs: { o: MemRef.out(i32, [4]) }, scratch: { cell: Scratch.workgroup(i32, [1]) } },
      function* ({ cell, o }) {
        const id = yield* Control.programId(0)
        yield* MemRef.accumulate(cell, id.add(1))
        yield* MemRef.store(MemRef.at(o, [MemRef.slice(id, 1)]), yield* MemRef.load(cell))
      }
    )
    await onEach(k, {}, { o: [1, 2, 3, 4] })
  })
})

describe("copies", () => {
  const places = { before: 1, between: 2, started: 4, landed: 8 } as const
  it.each([...range(16)])(
    "102: a store, then a copy onto the same cell, whichever fences there are (%i)",
    async (fences) => {
      const fence = (place: keyof typeof places) => ((fences & places[place]) === 0 ? Effect.void : Copy.fence())
      const k = Kernel.make(
        "onto",
        {
          grid: [1],
          refs: { x: MemRef.in(i32, [1]), o: MemRef.out(i32, [2]) },
          scratch: { cell: Scratch.workgroup(i32, [1]) }
        },
        function* ({ cell, o, x }) {
          yield* fence("before")
          yield* MemRef.store(cell, 5)
          yield* fence("between")
          const token = yield* Copy.start(x, cell)
          yield* fence("started")
          yield* MemRef.store(MemRef.at(o, [MemRef.slice(0, 1)]), yield* MemRef.load(cell))
          yield* Copy.wait(token)
          yield* fence("landed")
          yield* MemRef.store(MemRef.at(o, [MemRef.slice(1, 1)]), yield* MemRef.load(cell))
        }
      )
      await onEach(k, { x: ints(9) }, { o: [5, 9] })
    }
  )

  const copies = { a: MemRef.out(i32, [2]), b: MemRef.out(i32, [2]), c: MemRef.out(i32, [2]) }
  /** Starts a copy to each of the first `count` refs, allows so many to be outstanding, and looks at what has landed. */
  const outstanding = (count: number, ...allowed: ReadonlyArray<number>) =>
    single({ x: MemRef.in(i32, [2]), ...copies, seen: MemRef.out(i32, [3]) }, function* ({ a, b, c, seen, x }) {
      for (const ref of [a, b, c].slice(0, count)) {
        yield* Copy.start(x, ref as typeof a)
        yield* Copy.commit()
      }
      for (const n of allowed) yield* Copy.waitGroups(n)
      for (const [i, ref] of [a, b, c].entries())
        yield* MemRef.store(MemRef.at(seen, [i]), yield* MemRef.load(MemRef.at(ref as typeof a, [1])))
      yield* Copy.waitGroups(0)
    })
  it("104: with one of two copies outstanding the first has landed, and the second has not", () =>
    onEach(outstanding(2, 1), { x: ints(3, 4) }, { seen: [4, 0, 0], a: [3, 4], b: [3, 4] }))
  it("104: with one of three outstanding the first two have, and to allow two afterwards is harmless", () =>
    onEach(outstanding(3, 1, 2), { x: ints(3, 4) }, { seen: [4, 4, 0], c: [3, 4] }))

  it("106: a wait for no copies waits for none: what overwrites the source comes too late, the destination is overwritten", async () => {
    const k = single({ s: MemRef.inout(i32, [2]), d: MemRef.out(i32, [2]) }, function* ({ d, s }) {
      const token = yield* Copy.start(s, d)
      yield* Copy.waitGroups(0)
      yield* MemRef.store(s, 7)
      yield* MemRef.store(d, 8)
      yield* Copy.wait(token)
    })
    await onEach(k, { s: ints(3, 4) }, { s: [7, 7], d: [3, 4] })
  })
  it("108: a kernel that ends before a copy is waited for is refused", async () => {
    const k = single({ x: MemRef.in(i32, [2]), o: MemRef.out(i32, [2]) }, function* ({ o, x }) {
      yield* Copy.start(x, o)
    })
    for (const on of [discharge, gpu]) {
      const error = await kernelError("Unbalanced", k, { x: ints(1, 2) }, on)
      expect(error.shown).toContain("never waited for")
      expect(pointedAt(error as any)).toBe("yield* Copy.start(x, o)")
    }
  })
  it("108: data leaves its source at the start, so that there is no read side to wait for", async () => {
    const refs = { x: MemRef.inout(i32, [2]), o: MemRef.out(i32, [2]) }
    const k = single(refs, function* ({ o, x }) {
      const token = yield* Copy.start(x, o)
      yield* MemRef.store(x, 0)
      yield* Copy.wait(token)
    })
    await onEach(k, { x: ints(1, 2) }, { o: [1, 2], x: [0, 0] })
  })
})

describe("misuse of barriers is refused", () => {
  const kernel = (arrivals: number, body: (b: Barrier.Ref<[]>) => Generator<any, void, never>) =>
    Kernel.make(
      "k",
      {
        grid: [1],
        refs: { n: MemRef.scalar(i32), o: MemRef.out(i32, [4]) },
        scratch: { b: Barrier.scratch({ arrivals }) }
      },
      ({ b }) => body(b)
    ) as Kernel.Any
  const refuse = async (tag: "Unbalanced" | "Deadlock", k: Kernel.Any, says: string, at: string) => {
    for (const on of [discharge, gpu]) await refused(tag, k, { n: 2 }, { on, says: [says], at })
  }

  it("112: two phases that complete without a wait in between", async () => {
    const k = kernel(1, function* (b) {
      yield* Barrier.arrive(b)
      yield* Barrier.arrive(b) // again
      yield* Barrier.wait(b)
    })
    await refuse("Unbalanced", k, "a phase completes while the one before has not been waited for", "// again")
  })
  it("114: a first wait after the second phase", async () => {
    const k = kernel(2, function* (b) {
      yield* Control.forEach(0, 4, () => Barrier.arrive(b))
      yield* Barrier.wait(b)
    })
    await refuse("Unbalanced", k, "has not been waited for", "Control.forEach(0, 4")
  })
  it("116: a scope that ends with one arrival of two", async () => {
    const k = kernel(2, function* (b) {
      yield* Barrier.arrive(b) // one
    })
    await refuse("Unbalanced", k, "its scope ends with 1 of the 2 arrivals of a phase", "// one")
  })
  it("117: a wait on a barrier at which nobody arrives is a deadlock, and never hangs", async () => {
    const k = kernel(1, function* (b) {
      yield* Barrier.wait(b) // for nobody
    })
    await refuse("Deadlock", k, "1 arrivals, of which there are 0", "// for nobody")
  })
  it("117: nor does one whose arrivals only the run knows", async () => {
    const k = (arrives: (n: Tile.I32) => Tile.Scalar<"bool">) =>
      Kernel.make(
        "k",
        { grid: [1], refs: { n: MemRef.scalar(i32) }, scratch: { b: Barrier.scratch({ arrivals: 1 }) } },
        function* ({ b, n }) {
          yield* Control.when(arrives(n), () => Barrier.arrive(b))
          yield* Barrier.wait(b)
        }
      )
    for (const on of [discharge, gpu]) {
      await kernelError(
        "Deadlock",
        k((n) => n.gt(2)),
        { n: 2 },
        on
      )
      await results(
        k((n) => n.gt(1)),
        { n: 2 },
        on
      )
    }
  })
})
