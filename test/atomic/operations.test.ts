/** What each atomic operation promises, on every interpreter. */
import { describe, expect, it } from "vitest"
import { Atomic, bool, Control, type DType, f32, i32, Kernel, MemRef, Tile, u32 } from "../../src/index.ts"
import { interpreters } from "../support/interpreters.ts"
import { onEach, results, single } from "../support/kernels.ts"

const ints = (...xs: ReadonlyArray<number>) => Int32Array.from(xs)
const floats = (...xs: ReadonlyArray<number>) => Float32Array.from(xs)
const words = (...xs: ReadonlyArray<number>) => Uint32Array.from(xs)
const array: { readonly [D in "i32" | "u32" | "f32"]: (...xs: ReadonlyArray<number>) => DType.HostArray } = {
  i32: ints,
  u32: words,
  f32: floats
}
const dtypes = { i32, u32, f32 } as const
type Op = "add" | "max" | "min" | "and" | "or" | "xor" | "exchange"

const signed = [-2147483648, -7, -1, 0, 3, 5, 2147483647, 12]
const unsigned = [0, 1, 4294967295, 2147483648, 3, 5, 2147483647, 12]
const reals = [-2.5, -0.25, 0, 1, 3, 1e9, -1e9, 12]
const numbers = { i32: signed, u32: unsigned, f32: reals }
const meaning: { readonly [K in Op]: (a: number, b: number) => number } = {
  add: (a, b) => a + b,
  max: Math.max,
  min: Math.min,
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
  exchange: (_, b) => b
}
const cases = (["i32", "u32", "f32"] as const).flatMap((dtype) =>
  (["add", "max", "min", "exchange", "and", "or", "xor"] as const)
    .filter((op) => dtype !== "f32" || ["add", "max", "min", "exchange"].includes(op))
    .map((op) => ({ op, dtype }))
)
const on = (op: Op) =>
  Atomic[op] as (ref: any, value: any, options?: any) => ReturnType<typeof Atomic.add<"o", "i32", [8]>>

describe.each(cases)("Atomic.$op on $dtype", ({ dtype, op }) => {
  const values = numbers[dtype].toReversed()
  const expected = Array.from(array[dtype](...numbers[dtype].map((a, k) => meaning[op](a, values[k]!))))

  it("changes every element of a tile and gives the old ones", async () => {
    const refs = {
      v: MemRef.in(dtypes[dtype], [8]),
      o: MemRef.inout(dtypes[dtype], [8]),
      old: MemRef.out(dtypes[dtype], [8])
    }
    const k = single(refs, function* ({ o, old, v }) {
      yield* MemRef.store(old as any, (yield* on(op)(o, yield* MemRef.load(v))) as any)
    })
    const args = { v: array[dtype](...values), o: array[dtype](...numbers[dtype]) }
    await onEach(k, args, { o: expected, old: numbers[dtype] })
  })

  it("counts every element of several programs that change one element, whoever comes first", async () => {
    const k = Kernel.make(
      "shared",
      {
        grid: [4],
        refs: {
          v: MemRef.in(dtypes[dtype], [8], { block: [2], index: (i) => [i] }),
          o: MemRef.inout(dtypes[dtype], [1]),
          old: MemRef.out(dtypes[dtype], [8], { block: [2], index: (i) => [i] })
        }
      },
      function* ({ o, old, v }) {
        const both = MemRef.at(o, [Tile.zeros(i32, [2])])
        yield* MemRef.store(old as any, (yield* on(op)(both, yield* MemRef.load(v))) as any)
      }
    )
    const small = [6, 3, 12, 9, 5, 10, 7, 1]
    for (const subject of interpreters) {
      const out = await results(k, { v: array[dtype](...small), o: array[dtype](8) }, subject)
      // Some order of the values leads from each old value to the next.
      expect(isChain(op, small, 8, Array.from(out["old"]!), out["o"]![0]!), `${subject.name}: ${out["old"]}`).toBe(true)
    }
  })
})

/** Whether the steps `old[k] → op(old[k], values[k])`, in some order, lead from `from` to `to`, each taken once. */
const isChain = (
  op: Op,
  values: ReadonlyArray<number>,
  from: number,
  old: ReadonlyArray<number>,
  to: number
): boolean => {
  const walk = (at: number, left: ReadonlyArray<number>): boolean =>
    left.length === 0
      ? at === to
      : left.some(
          (k) =>
            old[k] === at &&
            walk(
              meaning[op](at, values[k]!),
              left.filter((j) => j !== k)
            )
        )
  return walk(
    from,
    values.map((_, k) => k)
  )
}

const old = <D extends "i32" | "u32" | "f32", const S extends ReadonlyArray<number>>(
  dtype: DType.DType<D>,
  shape: S
) => ({
  o: MemRef.inout(dtype, shape),
  old: MemRef.out(dtype, shape)
})

describe("a value, and a mask,", () => {
  it("that are one number stand for every element, as does a tile that broadcasts", async () => {
    const k = single({ ...old(i32, [2, 3]), row: MemRef.out(i32, [2, 3]) }, function* ({ o, old, row }) {
      yield* MemRef.store(old, yield* Atomic.add(o, 10))
      const more = Tile.reshape(Tile.iota(i32, [3]), [1, 3])
      yield* MemRef.store(row, yield* Atomic.add(o, more))
    })
    const o = [1, 2, 3, 4, 5, 6]
    const plus = (...xs: ReadonlyArray<number>) => o.map((x, k) => x + xs[k % xs.length]!)
    await onEach(k, { o: ints(...o) }, { old: o, row: plus(10), o: plus(10, 11, 12) })
  })
  it("where the mask is false nothing changes and 0 comes back", async () => {
    const refs = { ...old(i32, [4]), m: MemRef.in(bool, [4]), none: MemRef.out(i32, [4]) }
    const k = single(refs, function* ({ m, none, o, old }) {
      yield* MemRef.store(old, yield* Atomic.max(o, 5, { mask: yield* MemRef.load(m) }))
      yield* MemRef.store(none, yield* Atomic.xor(o, -1, { mask: Tile.of(bool, false) }))
    })
    const args = { o: ints(1, 2, 7, 8), m: Uint8Array.of(1, 0, 1, 0) }
    await onEach(k, args, { o: [5, 2, 7, 8], old: [1, 0, 7, 0], none: [0, 0, 0, 0] })
  })
  it("out of bounds nothing changes and 0 comes back", async () => {
    const k = single({ ...old(u32, [3]), i: MemRef.in(i32, [3]) }, function* ({ i, o, old }) {
      yield* MemRef.store(old, yield* Atomic.exchange(MemRef.at(o, [yield* MemRef.load(i)]), 9))
    })
    await onEach(k, { o: words(1, 2, 3), i: ints(-1, 2, 3) }, { o: [1, 2, 9], old: [0, 3, 0] })
  })
  it("of size 0 changes nothing", async () => {
    const k = single({ ...old(i32, [0]), n: MemRef.inout(i32, []) }, function* ({ n, o, old }) {
      yield* MemRef.store(old, yield* Atomic.add(o, 1))
      yield* Atomic.add(n, 2)
    })
    await onEach(k, { o: ints(), n: ints(3) }, { o: [], old: [], n: [5] })
  })
})

describe("views", () => {
  it("of columns, backwards in time and strided: each element is changed where it lies", async () => {
    const k = single({ o: MemRef.inout(i32, [3, 4]), old: MemRef.out(i32, [2, 3]) }, function* ({ o, old }) {
      const columns = MemRef.at(MemRef.transpose(o), [MemRef.slice(1, 2, 2), MemRef.all])
      yield* MemRef.store(old, yield* Atomic.add(columns, Tile.reshape(Tile.iota(i32, [6]), [2, 3])))
    })
    const o = ints(...Array.from({ length: 12 }, (_, i) => i))
    await onEach(k, { o }, { o: [0, 1, 2, 6, 4, 6, 6, 11, 8, 11, 10, 16], old: [1, 5, 9, 3, 7, 11] })
  })
  it("as another dtype: the bits of floats as integers", async () => {
    const k = single({ o: MemRef.inout(f32, [3]), u: MemRef.inout(u32, [2]) }, function* ({ o, u }) {
      yield* Atomic.and(MemRef.bitcast(o, u32), 0x7fffffff)
      yield* Atomic.max(MemRef.bitcast(u, i32), 3)
      const twice = MemRef.at(u, [Tile.zeros(i32, [2])])
      yield* Atomic.min(MemRef.bitcast(twice, i32), -2)
    })
    await onEach(k, { o: floats(-1.5, 2, -3), u: words(4294967295, 5) }, { o: [1.5, 2, 3], u: [4294967294, 5] })
  })
})

describe("floats", () => {
  const nan = Number.NaN
  it("max and min give NaN if either is NaN, also among several programs", async () => {
    const k = Kernel.make(
      "nans",
      {
        grid: [6],
        refs: {
          x: MemRef.in(f32, [6], { block: [1], index: (i) => [i] }),
          hi: MemRef.inout(f32, [2]),
          lo: MemRef.inout(f32, [2])
        }
      },
      function* ({ hi, lo, x }) {
        const v = yield* MemRef.load(x)
        const k = (yield* Control.programId(0)).rem(2)
        yield* Atomic.max(MemRef.at(hi, [MemRef.slice(k, 1)]), v)
        yield* Atomic.min(MemRef.at(lo, [MemRef.slice(k, 1)]), v)
      }
    )
    const args = { x: floats(1, nan, -Infinity, 5, 3, Infinity), hi: floats(-9, -9), lo: floats(9, 9) }
    await onEach(k, args, { hi: [3, nan], lo: [-Infinity, nan] })
    await onEach(k, { ...args, hi: floats(nan, 0), lo: floats(nan, 0) }, { hi: [nan, nan], lo: [nan, nan] })
  })
  it("exchange keeps every bit of a NaN", async () => {
    const k = single({ x: MemRef.in(f32, [1]), o: MemRef.inout(f32, [1]), old: MemRef.out(u32, [1]) }, function* (r) {
      const before = yield* Atomic.exchange(r.o, yield* MemRef.load(r.x))
      yield* MemRef.store(r.old, before.bitcast(u32))
    })
    const bits = (word: number) => new Float32Array(Uint32Array.of(word).buffer)
    for (const subject of interpreters) {
      const out = await results(k, { x: bits(0x7fc12345), o: bits(0x7fabcdef) }, subject)
      expect(new Uint32Array((out["o"] as Float32Array).buffer)[0], subject.name).toBe(0x7fc12345)
      expect(out["old"]![0], subject.name).toBe(0x7fabcdef)
    }
  })
})

describe("Atomic.compareExchange", () => {
  it("stores exactly where what was there equals what is compared, and gives what was there", async () => {
    const refs = { ...old(i32, [5]), c: MemRef.in(i32, [5]), v: MemRef.in(i32, [5]) }
    const k = single(refs, function* ({ c, o, old, v }) {
      const [compared, value] = [yield* MemRef.load(c), yield* MemRef.load(v)]
      yield* MemRef.store(old, yield* Atomic.compareExchange(o, compared, value))
    })
    const args = { o: ints(0, 0, -1, 1, 2), c: ints(0, 1, -1, 1, 1), v: ints(1, 1, 7, 1, 1) }
    await onEach(k, args, { o: [1, 0, 7, 1, 2], old: [0, 0, -1, 1, 2] })
  })
  it("lets one of several take what all want", async () => {
    const k = Kernel.make(
      "taking",
      { grid: [6], refs: { o: MemRef.inout(u32, []), old: MemRef.out(u32, [6]) } },
      function* ({ o, old }) {
        const me = yield* Control.programId(0)
        const before = yield* Atomic.compareExchange(o, 4294967295, me.bitcast(u32))
        yield* MemRef.store(MemRef.at(old, [me]), before)
      }
    )
    for (const subject of interpreters) {
      const out = await results(k, { o: words(4294967295) }, subject)
      const winner = out["o"]![0]!
      expect(winner).toBeLessThan(6)
      expect(Array.from(out["old"]!)).toEqual(Array.from({ length: 6 }, (_, k) => (k === winner ? 4294967295 : winner)))
    }
  })
  it("with a mask, out of bounds and at duplicates: one step after the other", async () => {
    const refs = { ...old(i32, [4]), at: MemRef.in(i32, [4]), m: MemRef.in(bool, [4]) }
    const k = single(refs, function* ({ at, m, o, old }) {
      const view = MemRef.at(o, [yield* MemRef.load(at)])
      yield* MemRef.store(old, yield* Atomic.compareExchange(view, 0, 1, { mask: yield* MemRef.load(m) }))
    })
    const args = { o: ints(5, 0, 0, 0), at: ints(0, 2, 9, 3), m: Uint8Array.of(1, 1, 1, 0) }
    await onEach(k, args, { o: [5, 0, 1, 0], old: [5, 0, 0, 0] })
    // Of two steps on one element the second finds what the first left.
    const same = { o: ints(5, 0, 0, 0), at: ints(1, 1, 1, 0), m: Uint8Array.of(1, 1, 1, 1) }
    for (const subject of interpreters) {
      const out = await results(k, same, subject)
      expect(Array.from(out["o"]!)).toEqual([5, 1, 0, 0])
      expect(Array.from(out["old"]!).slice(0, 3).toSorted()).toEqual([0, 1, 1])
    }
  })
})
