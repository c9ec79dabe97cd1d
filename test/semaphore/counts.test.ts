/** Semaphores that one program instance has to itself: the same on all interpreters. */
import { describe, expect, it } from "vitest"
import { Control, i32, Kernel, MemRef, Scratch, Semaphore, type Tile } from "../../src/index.ts"
import { interpreters } from "../support/interpreters.ts"
import { kernelError, onEach, refused } from "../support/kernels.ts"

type Memory<S extends ReadonlyArray<number>> = Scratch.Ref<"i32", [...S]>
/** A kernel with semaphores of its own, whose values are the result. */
const kernel = <const S extends ReadonlyArray<number>>(
  shape: S,
  body: (s: Memory<S>, n: Tile.I32) => Generator<any, void, never>
) =>
  Kernel.make(
    "k",
    { grid: [1], refs: { n: MemRef.scalar(i32), o: MemRef.out(i32, shape) }, scratch: { s: Semaphore.scratch(shape) } },
    function* ({ n, o, s }: any) {
      yield* body(s, n) as any
      yield* MemRef.store(o, yield* Semaphore.read(s as MemRef.MemRef<"~scratch", "i32", any, "inout">))
    } as any
  ) as Kernel.Any

describe("a semaphore", () => {
  it("holds what was signalled less what was taken, 1 if nothing is said", async () => {
    const k = kernel([], function* (s) {
      yield* Semaphore.signal(s, 5)
      yield* Semaphore.signal(s)
      yield* Semaphore.wait(s, 2)
      yield* Semaphore.wait(s)
      yield* Semaphore.signal(s, 0)
      yield* Semaphore.wait(s, 0)
    })
    await onEach(k, { n: 0 }, { o: [3] })
  })
  it("keeps its value where a wait does not decrement", async () => {
    const k = kernel([], function* (s) {
      yield* Semaphore.signal(s, 2)
      yield* Semaphore.wait(s, 2, { decrement: false })
      yield* Semaphore.wait(s, 2, {})
    })
    await onEach(k, { n: 0 }, { o: [0] })
  })
  it("is one element of a view, or all that it shows", async () => {
    const k = kernel([2, 3], function* (s, n) {
      yield* Semaphore.signal(s, 4)
      yield* Semaphore.signal(MemRef.at(s, [1, n]), n)
      yield* Semaphore.wait(MemRef.at(s, [0, MemRef.slice(1, 2)]), 3)
      yield* Semaphore.wait(MemRef.transpose(MemRef.at(s, [MemRef.slice(0, 2), MemRef.slice(0, 1)])))
    })
    await onEach(k, { n: 2 }, { o: [3, 1, 1, 3, 4, 6] })
  })
  it("is signalled twice where a view shows it twice", async () => {
    const k = Kernel.make(
      "k",
      { grid: [1], refs: { at: MemRef.in(i32, [5]), o: MemRef.out(i32, [3]) }, scratch: { s: Semaphore.scratch([3]) } },
      function* ({ at, o, s }) {
        yield* Semaphore.signal(MemRef.at(s, [yield* MemRef.load(at)]), 2)
        yield* Semaphore.wait(s, 2)
        yield* MemRef.store(o, yield* Semaphore.read(s))
      }
    )
    await onEach(k, { at: Int32Array.of(0, 2, 2, 1, 2) }, { o: [0, 0, 4] })
  })
  it("does not exist out of bounds: signals there are dropped, values are 0", async () => {
    const k = kernel([2], function* (s, n) {
      yield* Semaphore.signal(MemRef.at(s, [n]), 3)
      yield* Semaphore.wait(MemRef.at(s, [n]), 0)
    })
    await onEach(k, { n: 2 }, { o: [0, 0] })
    await onEach(k, { n: -1 }, { o: [0, 0] })
    await onEach(k, { n: 1 }, { o: [0, 3] })
  })
  it("wraps as i32", async () => {
    const k = kernel([], function* (s) {
      yield* Semaphore.signal(s, 2 ** 31 - 1)
      yield* Semaphore.signal(s, 2)
    })
    await onEach(k, { n: 0 }, { o: [-(2 ** 31) + 1] })
  })
  it("counts over loops and branches, by numbers that only the run knows, and larger tiles than a workgroup", async () => {
    const k = kernel([100], function* (s, n) {
      yield* Control.forEach(0, n, function* (i) {
        yield* Semaphore.signal(s, i)
        yield* Control.when(i.rem(2).eq(1), () => Semaphore.wait(s, i))
      })
    })
    await onEach(k, { n: 5 }, { o: new Array(100).fill(6) })
  })
  it("of no elements is waited for at once", async () => {
    const k = kernel([0], function* (s) {
      yield* Semaphore.wait(s, 7)
      yield* Semaphore.signal(s)
    })
    await onEach(k, { n: 0 }, { o: [] })
  })
  it("is fresh in each scope", async () => {
    const k = Kernel.make("k", { grid: [1], refs: { o: MemRef.out(i32, [3]) } }, function* ({ o }) {
      yield* Control.forEach(0, 3, (i) =>
        Scratch.scoped(Semaphore.scratch([]), function* (s) {
          yield* Semaphore.signal(s, i.add(1))
          yield* Semaphore.wait(s)
          yield* MemRef.store(MemRef.at(o, [i]), yield* Semaphore.read(s))
        })
      )
    })
    await onEach(k, {}, { o: [0, 1, 2] })
  })
})

describe("a wait whose value is not reached", () => {
  it("is a deadlock, which says where, what there is and what is needed", async () => {
    const k = kernel([], function* (s, n) {
      yield* Semaphore.signal(s, n)
      yield* Semaphore.wait(s, 4)
    })
    for (const on of interpreters) {
      expect(await kernelError("Deadlock", k, { n: 3 }, on)).toMatchObject({ ref: "s", program: [0], values: [3, 4] })
      await refused(
        "Deadlock",
        k,
        { n: 3 },
        {
          on,
          says: ['deadlock in program [0] at "s": its value does not reach what is waited for (3, 4)'],
          at: "yield* Semaphore.wait(s, 4)"
        }
      )
    }
    await onEach(k, { n: 4 }, { o: [0] })
  })
  it("shows the least of several values", async () => {
    const k = kernel([3], function* (s, n) {
      yield* Semaphore.signal(s, 5)
      yield* Semaphore.wait(MemRef.at(s, [1]), n)
      yield* Semaphore.wait(s, n)
    })
    for (const on of interpreters)
      expect(await kernelError("Deadlock", k, { n: 3 }, on)).toMatchObject({ values: [2, 3] })
    await onEach(k, { n: 2 }, { o: [3, 1, 3] })
  })
})

describe("a number below 0", () => {
  it("is refused when the kernel is traced, or ends the run", async () => {
    for (const operation of [Semaphore.signal, Semaphore.wait] as ReadonlyArray<(s: any, n: any) => any>) {
      const host = kernel([], function* (s) {
        yield* operation(s, -1)
      })
      await refused("TypeMismatch", host, { n: 0 }, { says: ["the number is -1", "it is at least 0"] })
      const given = kernel([], function* (s, n) {
        yield* Semaphore.signal(s, 9)
        yield* operation(s, n)
      })
      for (const on of interpreters) {
        const error = await kernelError("AssertionFailed", given, { n: -2 }, on)
        expect(error).toMatchObject({ values: [-2], detail: expect.stringContaining("a number below 0") })
      }
    }
  })
})
