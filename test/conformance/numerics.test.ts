/**
 * Numerics, atomics and refusals: cases 78, 79, 81, 82, 83, 85, 87; 89, 90, 92, 93, 95; 119, 120, 122, 126, 127, 128.
 *
 * | not here | why |
 * |---|---|
 * | the report of 95 | reports come with the simulator |
 * | 93 on Gpu with several program instances | refused, as the case says |
 * | 121, 123 | do not exist; the list of numbers says why |
 */
import type { Effect } from "effect"
import { describe, expect, it } from "vitest"
import {
  Atomic,
  Barrier,
  Block,
  bool,
  Control,
  Copy,
  Debug,
  Discharge,
  f16,
  f32,
  i32,
  Inline,
  Interpreter,
  Kernel,
  MemRef,
  NotImplemented,
  Tile,
  u32
} from "../../src/index.ts"
import { outcome, prints } from "../debug/support.ts"
import { discharge, gpu, interpreters } from "../support/interpreters.ts"
import { failure, mapping, onEach, refused, single } from "../support/kernels.ts"

const MIN = -(2 ** 31)
const MAX = 2 ** 31 - 1
const ints = (...xs: ReadonlyArray<number>) => Int32Array.from(xs)
const floats = (...xs: ReadonlyArray<number>) => Float32Array.from(xs)

/** Applies `f` to the elements of two refs, which no compiler can fold. */
const binary = (n: number, f: (a: Tile.Tile<"i32", [number]>, b: Tile.Tile<"i32", [number]>) => Tile.Any) =>
  single({ a: MemRef.in(i32, [n]), b: MemRef.in(i32, [n]), o: MemRef.out(i32, [n]) }, function* ({ a, b, o }) {
    yield* MemRef.store(o, f((yield* MemRef.load(a)) as any, (yield* MemRef.load(b)) as any) as any)
  })

describe("integers", () => {
  it("78: MAX + 1 wraps around to MIN", () =>
    onEach(
      mapping(i32, i32, 1, (x) => x.add(1)),
      { x: ints(MAX) },
      { o: [MIN] }
    ))
  it("79: division by 0 and MIN / -1", async () => {
    const args = { a: ints(1, MIN, -7), b: ints(0, -1, 2) }
    await onEach(
      binary(3, (a, b) => a.div(b)),
      args,
      { o: [1, MIN, -3] }
    )
    await onEach(
      binary(3, (a, b) => a.rem(b)),
      args,
      { o: [0, 0, -1] }
    )
  })
  it("85: division truncates towards zero", async () => {
    await onEach(
      binary(2, (a, b) => a.div(b)),
      { a: ints(-7, 7), b: ints(2, -2) },
      { o: [-3, -3] }
    )
    await onEach(
      mapping(i32, i32, 1, (x) => x.div(2)),
      { x: ints(-7) },
      { o: [-3] }
    )
  })
})

describe("conversions", () => {
  it("81: f32 to i32 truncates and saturates, NaN gives 0", () =>
    onEach(
      mapping(f32, i32, 5, (x) => x.convert(i32)),
      { x: floats(NaN, Infinity, -Infinity, 3e9, -1.9) },
      { o: [0, MAX, MIN, MAX, -1] }
    ))
  it("82: f32 to u32 of a negative number is 0", () =>
    onEach(
      mapping(f32, u32, 1, (x) => x.convert(u32)),
      { x: floats(-1.5) },
      { o: [0] }
    ))
  it("83: f32 to f16 overflows to infinity and underflows to 0", () =>
    onEach(
      mapping(f32, f16, 3, (x) => x.convert(f16)),
      { x: floats(70000, 65520, 1e-8) },
      { o: [Infinity, Infinity, 0] }
    ))
})

describe("87: reductions", () => {
  it("87: a sum of many elements is right within a bound that allows any order", async () => {
    const x = Float32Array.from({ length: 1000 }, (_, i) => Math.sin(i) * 100)
    const sum = x.reduce((a, b) => a + b, 0)
    await onEach(
      mapping(f32, f32, 1000, (v) => Tile.sum(v, { keepDims: true }), 1),
      { x },
      { o: [sum] },
      { within: 1e-3 }
    )
  })
  it.each(["sum", "prod", "max", "min"] as const)("87: the %s of one element is that element", (name) =>
    onEach(
      mapping(f32, f32, 1, (x) => Tile[name](x, { axis: 0, keepDims: true })),
      { x: floats(-2.5) },
      { o: [-2.5] }
    )
  )
  it("87: argmax and argmin take the first of equals", async () => {
    const x = ints(3, 7, 1, 7, 1, 7)
    await onEach(
      mapping(i32, i32, 6, (v) => Tile.argmax(v, { axis: 0, keepDims: true }), 1),
      { x },
      { o: [1] }
    )
    await onEach(
      mapping(i32, i32, 6, (v) => Tile.argmin(v, { axis: 0, keepDims: true }), 1),
      { x },
      { o: [2] }
    )
  })
})

describe("atomics and accumulation", () => {
  const each = (change: typeof Atomic.add) =>
    Kernel.make(
      "each",
      { grid: [4], refs: { x: MemRef.in(i32, [4]), o: MemRef.inout(i32, []) } },
      function* ({ o, x }) {
        yield* change(o, yield* MemRef.load(MemRef.at(x, [yield* Control.programId(0)])))
      }
    )
  it.each([
    ["add", Atomic.add, 17],
    ["max", Atomic.max, 7],
    ["min", Atomic.min, 1],
    ["and", Atomic.and, 0],
    ["or", Atomic.or, 7],
    ["xor", Atomic.xor, 3],
    ["accumulate", MemRef.accumulate, 17]
  ] as ReadonlyArray<[string, any, number]>)("89: %s by four programs changes one cell", async (_, change, given) => {
    await onEach(each(change), { x: ints(1, 2, 4, 7), o: ints(3) }, { o: [given] })
  })
  it("90: additions at equal positions all count", async () => {
    const k = single({ i: MemRef.in(i32, [3]), o: MemRef.out(i32, [3]) }, function* ({ i, o }) {
      yield* MemRef.accumulate(MemRef.at(o, [yield* MemRef.load(i)]), Tile.iota(i32, [3]).add(1))
    })
    await onEach(k, { i: ints(1, 1, 1) }, { o: [0, 6, 0] })
  })
  it("90: so do atomic ones", async () => {
    const k = single({ i: MemRef.in(i32, [3]), o: MemRef.out(i32, [3]) }, function* ({ i, o }) {
      yield* Atomic.add(MemRef.at(o, [yield* MemRef.load(i)]), Tile.iota(i32, [3]).add(1))
    })
    await onEach(k, { i: ints(1, 1, 1) }, { o: [0, 6, 0] })
  })
  it.each([
    [0, 0, 1],
    [0, 1, 1],
    [1, 0, 1],
    [1, 1, 1],
    [2, 1, 1]
  ])("92: %i, compared with %i, becomes %i exactly where they are equal", async (initial, compared, value) => {
    const refs = { o: MemRef.inout(i32, []), c: MemRef.scalar(i32), v: MemRef.scalar(i32), old: MemRef.out(i32, []) }
    const k = single(refs, function* ({ c, o, old, v }) {
      yield* MemRef.store(old, yield* Atomic.compareExchange(o, c, v))
    })
    const given = initial === compared ? value : initial
    await onEach(k, { o: ints(initial), c: compared, v: value }, { o: [given], old: [initial] })
  })
  it.each([1, 2, 3, 4, 8])("93: a spin lock lets %i programs count; Gpu refuses it from two on", async (programs) => {
    const k = Kernel.make(
      "locked",
      { grid: [programs], refs: { lock: MemRef.inout(i32, []), count: MemRef.inout(i32, []) } },
      function* ({ count, lock }) {
        yield* Control.whileLoop(
          Tile.of(i32, 1),
          function* (taken) {
            return taken.ne(0)
          },
          () => Atomic.compareExchange(lock, 0, 1)
        )
        yield* MemRef.store(count, (yield* MemRef.load(count)).add(1))
        yield* Atomic.exchange(lock, 0)
      }
    )
    const args = { lock: ints(0), count: ints(0) }
    const on = programs === 1 ? interpreters : [discharge]
    await onEach(k, args, { lock: [0], count: [programs] }, { on })
    if (programs > 1) await refused("Unsupported", k, args, { on: gpu, says: ["no forward progress"] })
  })
  it("95: what is added past the end is dropped", async () => {
    const k = single({ s: MemRef.scalar(i32), o: MemRef.out(i32, [8]) }, function* ({ o, s }) {
      yield* MemRef.accumulate(MemRef.at(o, [MemRef.slice(s, 4)]), Tile.iota(i32, [4]).add(1))
    })
    await onEach(k, { s: 6 }, { o: [0, 0, 0, 0, 0, 0, 1, 2] })
  })
  it("95: so is what is added atomically", async () => {
    const k = single({ s: MemRef.scalar(i32), o: MemRef.out(i32, [8]) }, function* ({ o, s }) {
      yield* Atomic.add(MemRef.at(o, [MemRef.slice(s, 4)]), Tile.iota(i32, [4]).add(1))
    })
    await onEach(k, { s: 6 }, { o: [0, 0, 0, 0, 0, 0, 1, 2] })
  })
})

describe("what others refuse", () => {
  const lenient = (k: Kernel.Any, args: any): Effect.Effect<unknown, unknown> =>
    (Kernel.run as any)(k, args).pipe(Interpreter.provide(Discharge.layer))

  it("119: inline code without a rule is NotImplemented on Discharge, and runs on Gpu", async () => {
    const twice = Inline.elementwise("twice", { args: { x: f32 }, result: f32, wgsl: "return x + x;" })
    const k = single({ x: MemRef.in(f32, [2]), o: MemRef.out(f32, [2]) }, function* ({ o, x }) {
      yield* MemRef.store(o, yield* twice(yield* MemRef.load(x)))
    })
    const args = { x: floats(1.5, -2) }
    const error = (await failure(lenient(k, args))) as NotImplemented
    expect(error).toBeInstanceOf(NotImplemented)
    expect(error).toMatchObject({ primitive: "twice", interpreter: "Discharge", kernel: "case" })
    expect(error.reason).not.toBe("")
    await onEach(k, args, { o: [3, -4] }, { on: [gpu] })
  })
  it("120: a masked load and a masked store with a stride", async () => {
    const k = single({ x: MemRef.in(i32, [8]), o: MemRef.out(i32, [8]) }, function* ({ o, x }) {
      const mask = Tile.iota(i32, [3]).ne(1)
      const v = yield* MemRef.load(MemRef.at(x, [MemRef.slice(1, 3, 3)]), { mask, other: -1 })
      yield* MemRef.store(MemRef.at(o, [MemRef.slice(0, 3, 2)]), v, { mask: v.ne(7) })
    })
    await onEach(k, { x: ints(0, 1, 2, 3, 4, 5, 6, 7) }, { o: [1, 0, -1, 0, 0, 0, 0, 0] })
  })
  it("122: a copy that adds into its destination", async () => {
    const k = single({ x: MemRef.in(i32, [3]), o: MemRef.inout(i32, [3]) }, function* ({ o, x }) {
      yield* Copy.wait(yield* Copy.start(x, o, { op: "add" }))
    })
    await onEach(k, { x: ints(1, 2, 3), o: ints(10, 20, 30) }, { o: [11, 22, 33] })
  })
  it("126: blocks whose start and size the index map gives", async () => {
    type Known = { readonly at: Block.Table; readonly size: Block.Table }
    const part = ({ at, size }: Known, i: Tile.I32) => [Block.span(at.at(i), size.at(i))] as const
    const k = Kernel.make(
      "parts",
      {
        grid: [3],
        refs: {
          at: MemRef.table(i32, [3]),
          size: MemRef.table(i32, [3]),
          x: MemRef.in(i32, [8], { block: [Block.bounded(4)], indexWith: part }),
          seen: MemRef.out(i32, [3, 4], { block: [null, 4], index: (i) => [i, 0] }),
          o: MemRef.out(i32, [8], { block: [Block.bounded(4)], indexWith: part })
        }
      },
      function* ({ o, seen, x }) {
        const v = yield* MemRef.load(x)
        yield* MemRef.store(seen, v)
        yield* MemRef.store(o, v.add(100))
      }
    )
    const args = { at: ints(0, 2, 6), size: ints(2, 3, 4), x: ints(1, 2, 3, 4, 5, 6, 7, 8) }
    await onEach(k, args, { seen: [1, 2, 0, 0, 3, 4, 5, 0, 7, 8, 0, 0], o: [101, 102, 103, 104, 105, 0, 107, 108] })
  })
  it("127: a branch whose condition comes out of a ref that the kernel writes", async () => {
    const k = single({ x: MemRef.inout(i32, [2]), o: MemRef.out(i32, []) }, function* ({ o, x }) {
      yield* MemRef.store(MemRef.at(x, [1]), (yield* MemRef.load(MemRef.at(x, [0]))).mul(2))
      const big = (yield* MemRef.load(MemRef.at(x, [1]))).gt(5)
      const given = yield* Control.cond(
        big,
        function* () {
          return yield* MemRef.swap(MemRef.at(x, [0]), 100)
        },
        function* () {
          return Tile.of(i32, -1)
        }
      )
      yield* MemRef.store(o, given)
    })
    await onEach(k, { x: ints(3, 0) }, { o: [3], x: [100, 6] })
    await onEach(k, { x: ints(2, 0) }, { o: [-1], x: [2, 4] })
  })
  it("128: an inline without operands is refused by Discharge, not passed through", async () => {
    const lanes = Inline.block("lanes", {
      operands: {},
      results: { n: Inline.tile(i32, [1]) },
      wgsl: "if (lane == 0u) { n_store(0, i32(lanes)); }"
    })
    const k = single({ o: MemRef.out(i32, [1]) }, function* ({ o }) {
      yield* lanes({})
      yield* MemRef.store(o, 1)
    })
    const error = (await failure(lenient(k, {}))) as NotImplemented
    expect(error).toMatchObject({ _tag: "NotImplemented", primitive: "lanes", interpreter: "Discharge" })
    await onEach(k, {}, { o: [1] }, { on: [gpu] })
  })
  it("128: effects without a ref: waiting for all invocations, a fence, what is printed", async () => {
    const k = single({ x: MemRef.in(i32, [3]), o: MemRef.out(i32, [3]) }, function* ({ o, x }) {
      const v = yield* MemRef.load(x)
      yield* Barrier.sync()
      yield* Copy.fence()
      yield* Debug.print("without a tile")
      yield* Debug.assert(Tile.of(bool, true), "holds")
      yield* MemRef.store(o, v.add(1))
    })
    const args = { x: ints(1, 2, 3) }
    await prints(k, args, ["without a tile"])
    for (const on of interpreters) expect((await outcome(k, args, on)).result).toEqual({ o: ints(2, 3, 4) })
  })
})
