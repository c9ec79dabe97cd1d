/** Every operation of subgroups on every dtype, against plain TypeScript with the size that the device has. */
import { Effect } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import { bool, DType, f16, f32, i32, MemRef, Subgroup, Tile, u32 } from "../../src/index.ts"
import type { Program } from "../../src/ir/program.ts"
import { productAccuracy, sumAccuracy } from "../../src/primitives/structural/reduce.ts"
import { gpu } from "../support/interpreters.ts"
import { results, single } from "../support/kernels.ts"
import { inLockstep } from "../wgsl/agree.ts"
import { type Case, cases, casesOf, expected, groupsOf, lanesOf, type Numbers, sizeOfDevice } from "./reference.ts"

let size: number
beforeAll(async () => {
  size = await sizeOfDevice()
})
const dtypes = { f32, f16, i32, u32, bool }
const names = Object.keys(dtypes) as ReadonlyArray<DType.Compute>
const range = (n: number, of: (k: number) => number) => Array.from({ length: n }, (_, k) => of(k))
const count = (shape: ReadonlyArray<number>) => shape.reduce((a, b) => a * b, 1)

/** Numbers whose sums and products are exact in any order. */
const samples: { readonly [D in DType.Compute]: (k: number) => number } = {
  f32: (k) => [1, -2, 0.5, 2, -1, 0, 4][(k * 5) % 7]!,
  f16: (k) => [1, -2, 0.5, 2, -1, 0, 4][(k * 3) % 7]!,
  i32: (k) => Math.imul(k * k + 7, 0x9e3779b1) | 0,
  u32: (k) => Math.imul(k * k + 3, 0x9e3779b1) >>> 0,
  bool: (k) => Number((k * k) % 5 !== 1)
}
const array = (dtype: DType.Compute, values: Numbers): DType.HostArray => {
  const out = DType.hostArray(dtype, values.length)
  values.forEach((v, k) => (out[k] = v))
  return out
}
type Named = readonly [name: string, of: Case]
/** Operations in one kernel: a row of `o` each. */
const kernel = (dtype: DType.Compute, shape: ReadonlyArray<number>, of: ReadonlyArray<Named>) =>
  single(
    { x: MemRef.in(dtypes[dtype], shape), o: MemRef.out(dtypes[dtype], [of.length, ...shape]) },
    function* ({ o, x }) {
      const tile = yield* MemRef.load(x)
      for (const [k, [, c]] of of.entries()) yield* MemRef.store(MemRef.at(o, [k]) as any, (yield* c.run(tile)) as any)
    }
  )
/** The sign of zero is not compared. */
const plain = (values: ArrayLike<number>): Numbers => Array.from(values, (v) => v + 0)
const compare = (of: ReadonlyArray<Named>, o: ArrayLike<number>, x: Numbers, dtype: DType.Compute, lanes: number) =>
  of.forEach(([what, c], k) => {
    const row = Array.from(o).slice(k * x.length, (k + 1) * x.length)
    expect(plain(row), `${what} of ${x.length}`).toEqual(plain(expected(c, x, dtype, lanes)))
  })
const onDevice = async (
  dtype: DType.Compute,
  shape: ReadonlyArray<number>,
  of: ReadonlyArray<Named>,
  values?: Numbers
) => {
  const x = values ?? range(count(shape), samples[dtype])
  const { o } = await results(kernel(dtype, shape, of), { x: array(dtype, x) }, gpu)
  compare(of, o!, x, dtype, size)
}

describe.each(names)("each operation on %s gives each element what its group makes", (dtype) => {
  it("of tiles that fill subgroups and workgroups, and that do not", { timeout: 120_000 }, async () => {
    for (const n of [1, 2, 5, 26, 64, 70]) await onDevice(dtype, [n], casesOf(dtype))
  })
  it("in row-major order", async () => {
    await onDevice(dtype, [3, 5], casesOf(dtype))
    await onDevice(dtype, [1, 1], casesOf(dtype))
  })
  it.each([8, 32])("of every number of elements, also where subgroups have %d lanes", async (lanes) => {
    for (let n = 1; n <= 70; n++) {
      const trace = kernel(dtype, [n], casesOf(dtype)).trace as Effect.Effect<Program>
      const x = range(n, samples[dtype])
      const args = new Map([["x", array(dtype, x)]])
      compare(casesOf(dtype), inLockstep(await Effect.runPromise(trace), args, {}, lanes).get("o")!, x, dtype, lanes)
    }
  })
})

const pick = (...of: ReadonlyArray<string>): ReadonlyArray<Named> => of.map((name) => [name, cases[name]!] as const)
describe("every number of elements", () => {
  it("is dealt to the lanes of the device, the last group perhaps smaller", { timeout: 120_000 }, async () => {
    for (let n = 1; n <= 70; n++) await onDevice("i32", [n], pick("inclusiveSum", "shuffleDown 2"))
  })
  it("may be none", () => onDevice("i32", [0], casesOf("i32")))
  it("may need many turns of the invocations", () =>
    onDevice("i32", [7, 101], pick("sum", "exclusiveSum", "shuffleXor 3")))
})

describe("max and min", () => {
  const x = range(50, (k) => [NaN, 3, Infinity, -Infinity, 1e-3, -2, -NaN, 0][(k * k + (k >> 3)) % 8]!)
  it.each(["f32", "f16"] as const)("of %s propagate NaN, and know infinities", (dtype) =>
    onDevice(
      dtype,
      [50],
      pick("max", "min"),
      range(50, (k) => DType.round(dtype)(x[k]!))
    )
  )
  it("of integers are signed or not", async () => {
    await onDevice(
      "i32",
      [9],
      pick("max", "min"),
      range(9, (k) => [-2147483648, -1, 2147483647][k % 3]!)
    )
    await onDevice(
      "u32",
      [9],
      pick("max", "min"),
      range(9, (k) => [4294967295, 2147483648, 7][k % 3]!)
    )
    await onDevice(
      "i32",
      [9],
      pick("max"),
      range(9, (k) => -k - 5)
    )
    await onDevice(
      "u32",
      [9],
      pick("min"),
      range(9, (k) => 4294967295 - k)
    )
  })
})

describe("sums and products of floats", () => {
  it("lie within the bounds of reduceSum and reduceProd over one group", async () => {
    const n = 61
    const x = range(n, (k) => Math.fround(Math.sin(k * 12.9898) * 3))
    const of = pick("sum", "inclusiveSum", "prod", "exclusiveProd")
    const { o } = await results(kernel("f32", [n], of), { x: array("f32", x) }, gpu)
    of.forEach(([name, c], row) => {
      const accuracy = /Sum|sum/.test(name) ? sumAccuracy : productAccuracy
      expected(c, x, "f32", size).forEach((value, l) => {
        const bound = accuracy._tag === "Bounded" ? accuracy.bound(groupsOf(x, size)[Math.floor(l / size)]!, value) : 0
        expect(Math.abs(o![row * n + l]! - value), `${name} ${l}`).toBeLessThanOrEqual(bound)
      })
    })
  })
  it("know NaN and infinities", () =>
    onDevice(
      "f32",
      [14],
      pick("sum", "inclusiveSum"),
      range(14, (k) => [1, 2, NaN, 3, 4, Infinity, 5][k % 7]!)
    ))
})

describe("moves between lanes", () => {
  const n = 37
  const x = range(n, (k) => k + 100)
  it("take a lane per element, or one for all, from a tile; no element gives 0", async () => {
    const k = single(
      { x: MemRef.in(i32, [n]), lanes: MemRef.in(i32, [n]), o: MemRef.out(i32, [3, n]) },
      function* ({ lanes, o, x }) {
        const [tile, from] = [yield* MemRef.load(x), yield* MemRef.load(lanes)]
        yield* MemRef.store(MemRef.at(o, [0]), yield* Subgroup.shuffle(tile, from))
        yield* MemRef.store(MemRef.at(o, [1]), yield* Subgroup.shuffleDown(tile, Tile.max(from).sub(7)))
        yield* MemRef.store(MemRef.at(o, [2]), yield* Subgroup.shuffleUp(tile, from.mul(0).add(1)))
      }
    )
    const { o } = await results(k, { x: array("i32", x), lanes: array("i32", range(n, lanesOf)) }, gpu)
    const moved = (lane: (l: number) => number) =>
      x.map((_, l) => groupsOf(x, size)[Math.floor(l / size)]![lane(l)] ?? 0)
    expect(Array.from(o!)).toEqual([
      ...moved(lanesOf),
      ...moved((l) => (l % size) + 1),
      ...moved((l) => (l % size) - 1)
    ])
  })
  it("broadcast lanes as elementwise operations do", async () => {
    const k = single({ o: MemRef.out(i32, [2, 3]) }, function* ({ o }) {
      const tile = Tile.iota(i32, [2, 3], 0)
        .mul(3)
        .add(Tile.iota(i32, [2, 3], 1))
      yield* MemRef.store(o, yield* Subgroup.shuffle(tile, Tile.iota(i32, [1, 3], 1)))
    })
    const groups = groupsOf(
      range(6, (l) => l),
      size
    )
    const { o } = await results(k, {}, gpu)
    expect(Array.from(o!)).toEqual(range(6, (l) => groups[Math.floor(l / size)]![l % 3] ?? 0))
  })
  it("keep every bit of a float", async () => {
    const words = range(12, (k) => [0x7fc00001, 0xff800000, 0x80000000, 0x3f800001][k % 4]!)
    const k = single({ x: MemRef.in(u32, [12]), o: MemRef.out(u32, [12]) }, function* ({ o, x }) {
      const tile = (yield* MemRef.load(x)).bitcast(f32)
      yield* MemRef.store(o, (yield* Subgroup.shuffleXor(tile, 1)).bitcast(u32))
    })
    const { o } = await results(k, { x: array("u32", words) }, gpu)
    expect(Array.from(o!)).toEqual(range(12, (l) => words[l ^ 1]!))
  })
})

describe("ballot, lane and size", () => {
  it.each([1, 2, 5, 64, 70])(
    "of %d elements say which lanes hold, which lane each is, and how many there are",
    async (n) => {
      const x = range(n, samples.bool)
      const k = single(
        { x: MemRef.in(bool, [n]), o: MemRef.out(u32, [n, 4]), lane: MemRef.out(i32, [n]), size: MemRef.out(i32, []) },
        function* ({ lane, o, size, x }) {
          yield* MemRef.store(o, yield* Subgroup.ballot(yield* MemRef.load(x)))
          yield* MemRef.store(lane, (yield* Subgroup.lane([n])) as any)
          yield* MemRef.store(size, yield* Subgroup.size())
        }
      )
      const bits = (group: Numbers, word: number) =>
        group.reduce((sum, bit, l) => sum + (l >> 5 === word ? bit * 2 ** (l & 31) : 0), 0)
      const ballots = x.flatMap((_, l) => range(4, (w) => bits(groupsOf(x, size)[Math.floor(l / size)]!, w)))
      const run = await results(k, { x: array("bool", x) }, gpu)
      expect(Array.from(run["o"]!)).toEqual(ballots)
      expect(Array.from(run["lane"]!)).toEqual(range(n, (l) => l % size))
      expect(run["size"]![0]).toBe(size)
      for (const lanes of [8, 64, 128]) {
        const trace = await Effect.runPromise(k.trace as Effect.Effect<Program>)
        const { o, lane } = Object.fromEntries(inLockstep(trace, new Map([["x", array("bool", x)]]), {}, lanes))
        expect(Array.from(o!)).toEqual(
          x.flatMap((_, l) => range(4, (w) => bits(groupsOf(x, lanes)[Math.floor(l / lanes)]!, w)))
        )
        expect(Array.from(lane!)).toEqual(range(n, (l) => l % lanes))
      }
    }
  )
})
