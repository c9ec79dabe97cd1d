/** Copies that are combined with what is in their destination. */
import { describe, it } from "vitest"
import { Control, Copy, f16, f32, i32, Kernel, MemRef, Scratch, Tile, u32 } from "../../src/index.ts"
import { onEach, single } from "../support/kernels.ts"

const ints = (...xs: ReadonlyArray<number>) => Int32Array.from(xs)
const range = (n: number, f = (k: number) => k) => Array.from({ length: n }, (_, k) => f(k))

describe("a copy", () => {
  const steps = {
    add: [5, 7, -1, 5],
    min: [1, 2, -4, 2],
    max: [4, 5, 3, 3],
    and: [0, 0, 0, 2],
    or: [5, 7, -1, 3],
    xor: [5, 7, -1, 1]
  }
  it.each(Object.entries(steps))("122: lands by %s", async (op, o) => {
    const refs = { x: MemRef.in(i32, [4]), o: MemRef.inout(i32, [4]) }
    const k = single(refs, function* ({ o, x }) {
      const token = yield* Copy.start(x, o, { op: op as "add" })
      yield* Copy.wait(token)
    })
    await onEach(k, { x: ints(4, 5, -4, 2), o: ints(1, 2, 3, 3) }, { o })
  })
  it("lands in u32 and in floats, by what these have", async () => {
    const refs = {
      u: MemRef.in(u32, [2]),
      ou: MemRef.inout(u32, [2]),
      f: MemRef.in(f32, [2]),
      of: MemRef.inout(f32, [2])
    }
    const k = single(refs, function* ({ f, of, ou, u }) {
      for (const op of ["max", "add", "xor"] as const) yield* Copy.wait(yield* Copy.start(u, ou, { op }))
      for (const op of ["min", "add"] as const) yield* Copy.wait(yield* Copy.start(f, of, { op }))
    })
    await onEach(
      k,
      {
        u: Uint32Array.of(2 ** 31, 1),
        ou: Uint32Array.of(5, 6),
        f: Float32Array.of(0.5, NaN),
        of: Float32Array.of(2, 1)
      },
      { ou: [2 ** 31, 6], of: [1, NaN] }
    )
  })
  it("adds halves", async () => {
    const k = Kernel.make(
      "halves",
      {
        grid: [1],
        refs: { x: MemRef.in(f32, [3]), o: MemRef.out(f32, [3]) },
        scratch: { s: Scratch.workgroup(f16, [3]), t: Scratch.workgroup(f16, [3]) }
      },
      function* ({ o, s, t, x }) {
        yield* MemRef.store(s, (yield* MemRef.load(x)).convert(f16))
        yield* Copy.wait(yield* Copy.start(s, t, { op: "add" }))
        yield* Copy.wait(yield* Copy.start(s, t, { op: "add" }))
        yield* MemRef.store(o, (yield* MemRef.load(t)).convert(f32))
      }
    )
    await onEach(k, { x: Float32Array.of(0.5, 1.5, 1025) }, { o: [1, 3, 2048 + 2] })
  })
  it("combines with what is there at the wait, not at the start", async () => {
    const k = single({ x: MemRef.in(i32, [80]), o: MemRef.inout(i32, [80]) }, function* ({ o, x }) {
      const token = yield* Copy.start(x, o, { op: "add" })
      yield* MemRef.store(o, Tile.flip(yield* MemRef.load(o)))
      yield* Copy.wait(token)
    })
    await onEach(k, { x: Int32Array.from(range(80)), o: Int32Array.from(range(80)) }, { o: range(80, () => 79) })
  })
  it("combines with nothing where it is masked off or outside", async () => {
    const k = single(
      { x: MemRef.in(i32, [4]), n: MemRef.scalar(i32), o: MemRef.inout(i32, [6]) },
      function* ({ n, o, x }) {
        const to = MemRef.at(o, [MemRef.slice(n, 4)])
        for (const op of ["add", "max", "or"] as const)
          yield* Copy.wait(yield* Copy.start(x, to, { op, mask: Tile.iota(i32, [4]).ne(1), when: n.gt(0) }))
      }
    )
    const args = { x: ints(1, 2, 4, 8), o: ints(16, 16, 16, 16, 16, 16) }
    await onEach(k, { ...args, n: 4 }, { o: [16, 16, 16, 16, 17, 16] })
    await onEach(k, { ...args, n: 0 }, { o: args.o })
  })
})

describe("elements that stand twice in the destination's view all count", () => {
  const index = [0, 2, 0, 1, 0, 2, 0, 3]
  const bins = (f: (k: number, before: number) => number) => {
    const out = [0, 0, 0, 0]
    index.forEach((bin, k) => (out[bin] = f(k, out[bin]!)))
    return out
  }
  const results = {
    add: bins((k, b) => b + k),
    max: bins((k, b) => Math.max(k, b)),
    or: bins((k, b) => k | b),
    xor: bins((k, b) => k ^ b)
  }
  it.each(Object.entries(results))("in a result, by %s", async (op, o) => {
    const k = single(
      { x: MemRef.in(i32, [8]), i: MemRef.in(i32, [8]), o: MemRef.out(i32, [4]) },
      function* ({ i, o, x }) {
        const token = yield* Copy.start(x, MemRef.at(o, [yield* MemRef.load(i)]), { op: op as "add" })
        yield* Copy.wait(token)
      }
    )
    await onEach(k, { x: Int32Array.from(range(8)), i: ints(...index) }, { o })
  })
  it.each(Object.entries(results))("in scratch, by %s", async (op, o) => {
    const refs = { x: MemRef.in(i32, [8]), i: MemRef.in(i32, [8]), o: MemRef.out(i32, [4]) }
    const k = Kernel.make(
      "bins",
      { grid: [1], refs, scratch: { s: Scratch.workgroup(i32, [4]) } },
      function* ({ i, o, s, x }) {
        const token = yield* Copy.start(x, MemRef.at(s, [yield* MemRef.load(i)]), { op: op as "add" })
        yield* Copy.wait(token)
        yield* Copy.wait(yield* Copy.start(s, o))
      }
    )
    await onEach(k, { x: Int32Array.from(range(8)), i: ints(...index) }, { o })
  })
})

describe("program instances that copy to the same elements", () => {
  const n = 240
  const block = { block: [24], index: (i: Tile.I32) => [i] as const }
  const x = Int32Array.from(range(n, (k) => (Math.imul(k + 1, 2654435761) >>> 8) % 50))
  const bin = (k: number) => x[k]! % 5
  const of = (f: (before: number, v: number) => number, start: number) => {
    const out = range(5, () => start)
    x.forEach((v, k) => (out[bin(k)] = f(out[bin(k)]!, v)))
    return out
  }
  const results = {
    add: [0, of((a, b) => a + b, 0)],
    max: [-1, of(Math.max, -1)],
    min: [99, of(Math.min, 99)],
    and: [255, of((a, b) => a & b, 255)],
    or: [0, of((a, b) => a | b, 0)],
    xor: [0, of((a, b) => a ^ b, 0)]
  } as const
  it.each(Object.entries(results))("lose nothing by %s", async (op, [start, o]) => {
    const k = Kernel.make(
      "scatter",
      { grid: [10], refs: { x: MemRef.in(i32, [n], block), o: MemRef.inout(i32, [5]) } },
      function* ({ o, x }) {
        const bins = (yield* MemRef.load(x)).rem(5)
        const token = yield* Copy.start(x, MemRef.at(o, [bins]), { op: op as "add" })
        yield* Copy.wait(token)
      }
    )
    await onEach(k, { x, o: Int32Array.from(range(5, () => start)) }, { o })
  })
  it.each([1, 3, 8])("lose nothing of floats, %i of them", async (programs) => {
    const k = Kernel.make(
      "floats",
      {
        grid: [programs],
        refs: { x: MemRef.in(f32, [100]), o: MemRef.inout(f32, [100]), hi: MemRef.inout(f32, [100]) }
      },
      function* ({ hi, o, x }) {
        const add = yield* Copy.start(x, o, { op: "add" })
        const max = yield* Copy.start(x, hi, { op: "max", when: (yield* Control.programId(0)).eq(0) })
        yield* Copy.wait(max)
        yield* Copy.wait(add)
      }
    )
    const x = Float32Array.from(range(100, (k) => k / 2))
    await onEach(
      k,
      { x, o: new Float32Array(100).fill(1), hi: new Float32Array(100).fill(20) },
      {
        o: x.map((v) => 1 + programs * v),
        hi: x.map((v) => Math.max(v, 20))
      }
    )
  })
})
