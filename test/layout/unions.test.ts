/** Unions of scratch: alternatives are one memory of words, whatever is seen through them. */
import { Effect, Result } from "effect"
import { describe, expect, it } from "vitest"
import { Atomic, Barrier, bool, Control, f16, f32, i32, Kernel, MemRef, Scratch, Tile, u32 } from "../../src/index.ts"
import { compile } from "../../src/wgsl/compile.ts"
import { onEach, refused, single } from "../support/kernels.ts"

const range = (n: number) => Array.from({ length: n }, (_, k) => k)
const bits = (...xs: ReadonlyArray<number>) => Array.from(new Uint32Array(Float32Array.from(xs).buffer))
const { register, scoped, union, workgroup } = Scratch

describe("a union of scratch", () => {
  it("gives through one alternative the words that were written through another", async () => {
    const k = Kernel.make(
      "bits",
      {
        grid: [2],
        refs: { x: MemRef.in(f32, [2, 3]), o: MemRef.out(u32, [2, 6], { block: [null, 6], index: (p) => [p, 0] }) },
        scratch: { s: union({ value: workgroup(f32, [2, 3]), word: workgroup(u32, [6]), int: workgroup(i32, [3, 2]) }) }
      },
      function* ({ o, s, x }) {
        yield* MemRef.store(s.value, yield* MemRef.load(x))
        yield* MemRef.store(MemRef.at(s.int, [1, 0]), (yield* Control.programId(0)).sub(1))
        yield* MemRef.store(o, yield* MemRef.load(s.word))
      }
    )
    const x = [1, -2, 0.5, Infinity, 1e-40, -0]
    const o = (program: number) => bits(...x).map((w, i) => (i === 2 ? (program - 1) >>> 0 : w))
    await onEach(k, { x: Float32Array.from(x) }, { o: [...o(0), ...o(1)] })
  })
  it("keeps every bit pattern: NaN with payload, signalling or not, and numbers near 0", async () => {
    const k = Kernel.make(
      "patterns",
      {
        grid: [1],
        refs: { x: MemRef.in(u32, [8]), i: MemRef.out(u32, [8]), o: MemRef.out(u32, [8]), nan: MemRef.out(bool, [8]) },
        scratch: { s: union({ word: workgroup(u32, [8]), value: workgroup(f32, [8]) }) }
      },
      function* ({ i, nan, o, s, x }) {
        yield* MemRef.store(s.word, yield* MemRef.load(x))
        yield* MemRef.store(nan, (yield* MemRef.load(s.value)).isNaN())
        yield* MemRef.store(
          MemRef.at(s.word, [MemRef.slice(0, 4, 2)]),
          yield* MemRef.load(MemRef.at(s.word, [MemRef.slice(1, 4, 2)]))
        )
        yield* MemRef.store(i, yield* MemRef.load(x))
        yield* MemRef.store(o, yield* MemRef.load(s.word))
      }
    )
    const x = [0x7fc12345, 0x7f812345, 0xffc00001, 0xff800001, 1, 0x80000001, 0x7fffffff, 0x7f800000]
    const o = x.map((w, k) => (k % 2 === 0 ? x[k + 1]! : w))
    const nan = x.map((w) => Number((w & 0x7fffffff) > 0x7f800000))
    await onEach(k, { x: Uint32Array.from(x) }, { i: x, o, nan })
  })
  it("lays the parts of a record one after the other, also of records and unions in it", async () => {
    const k = Kernel.make(
      "records",
      {
        grid: [1],
        refs: { o: MemRef.out(i32, [12]) },
        scratch: {
          s: union({
            all: workgroup(i32, [12]),
            parts: {
              a: workgroup(i32, [2, 2]),
              rest: { b: workgroup(u32, []), either: union({ c: workgroup(i32, [3]), d: workgroup(f32, [2, 2]) }) },
              e: workgroup(i32, [3])
            },
            some: { none: workgroup(f32, [0, 4]), f: workgroup(i32, [1]) }
          })
        }
      },
      function* ({ o, s }) {
        yield* MemRef.store(s.all, Tile.iota(i32, [12]).add(100))
        yield* MemRef.store(s.parts.a, 1)
        yield* MemRef.store(s.parts.rest.b, 2)
        yield* MemRef.store(s.parts.rest.either.d, 4)
        yield* MemRef.store(s.parts.rest.either.c, 3)
        yield* MemRef.store(MemRef.at(s.parts.e, [1]), 5)
        yield* MemRef.store(s.some.none, 7)
        yield* MemRef.accumulate(s.some.f, 10)
        yield* MemRef.store(o, yield* MemRef.load(s.all))
      }
    )
    await onEach(k, {}, { o: [11, 1, 1, 1, 2, 3, 3, 3, bits(4)[0]!, 109, 5, 111] })
    expect(await Effect.runPromise(Kernel.print(k))).toContain("scratch s: u32[12] workgroup\n")
  })
  it("adds, swaps, masks, transposes, gathers and takes atomics through alternatives that overlap in part", async () => {
    const k = Kernel.make(
      "overlap",
      {
        grid: [1],
        refs: {
          at: MemRef.in(i32, [5]),
          o: MemRef.out(i32, [8]),
          f: MemRef.out(f32, [3, 2]),
          old: MemRef.out(u32, [5])
        },
        scratch: {
          s: union({ ints: workgroup(i32, [8]), tail: { skip: workgroup(u32, [2]), m: workgroup(f32, [3, 2]) } })
        }
      },
      function* ({ at, f, o, old, s }) {
        const few = yield* MemRef.load(at)
        yield* MemRef.store(MemRef.transpose(s.tail.m), Tile.iota(f32, [2, 3], 1).add(0.5))
        yield* MemRef.accumulate(s.tail.m, 1, { mask: Tile.iota(i32, [3, 2]).rem(2).eq(0) })
        yield* Atomic.add(MemRef.at(s.tail.m, [few, 1]), 0.25)
        yield* MemRef.store(f, yield* MemRef.load(s.tail.m))
        const before = yield* Atomic.add(MemRef.at(s.ints, [few]), 1)
        yield* MemRef.store(
          old,
          before
            .mul(0)
            .bitcast(u32)
            .add(yield* MemRef.swap(MemRef.at(s.tail.skip, [1]), 9))
        )
        yield* MemRef.store(o, yield* MemRef.load(s.ints))
      }
    )
    const at = [0, 1, 0, 2, 0]
    const count = (row: number) => at.filter((a) => a === row).length
    const f = range(6).map((k) => {
      const row = Math.floor(k / 2)
      return row + 0.5 + (row % 2 === 0 ? 1 : 0) + (k % 2 === 1 ? 0.25 * count(row) : 0)
    })
    const ints = [0, 0, ...bits(...f).map((w) => w | 0)]
    at.forEach((a) => ints[a]!++)
    const skipped = ints[1]!
    ints[1] = 9
    await onEach(k, { at: Int32Array.from(at) }, { f, o: ints, old: range(5).map(() => skipped) })
  })
  it("in a scope is fresh at each entry, and as good as on the kernel", async () => {
    const k = Kernel.make("scopes", { grid: [1], refs: { o: MemRef.out(i32, [3, 4]) } }, function* ({ o }) {
      yield* Control.forEach(0, 3, function* (i) {
        yield* scoped(
          union({ i: workgroup(i32, [4]), two: { a: workgroup(f32, [2]), b: workgroup(i32, [1, 2]) } }),
          function* (s) {
            yield* MemRef.accumulate(s.i, i)
            yield* MemRef.store(s.two.a, 1)
            yield* MemRef.accumulate(s.two.b, 10)
            yield* MemRef.store(MemRef.at(o, [i]), yield* MemRef.load(s.i))
          }
        )
      })
    })
    const one = bits(1)[0]!
    await onEach(k, {}, { o: range(3).flatMap((i) => [one, one, i + 10, i + 10]) })
  })
  it("persists over sequential cells, and belongs to the kernel that is called", async () => {
    const callee = Kernel.make(
      "callee",
      {
        grid: [Kernel.sequential(3)],
        refs: { x: MemRef.in(i32, [3], { block: [null], index: (i) => [i] }), o: MemRef.out(i32, [2]) },
        scratch: { s: union({ a: workgroup(i32, [2]), b: { first: register(u32, []), second: register(i32, []) } }) }
      },
      function* ({ o, s, x }) {
        yield* MemRef.accumulate(s.b.second, yield* MemRef.load(x))
        yield* MemRef.accumulate(s.b.first, 1)
        yield* MemRef.store(o, yield* MemRef.load(s.a))
      }
    )
    const refs = { x: MemRef.in(i32, [3]), o: MemRef.out(i32, [2]) }
    const caller = Kernel.make("caller", { grid: [1], refs }, function* ({ o, x }) {
      yield* Kernel.call(callee, { x, o })
    })
    const x = Int32Array.of(5, 6, 8)
    await onEach(callee, { x }, { o: [3, 19] })
    await onEach(caller, { x }, { o: [3, 19] })
  })
  it("is words in WGSL, of the size of its largest alternative", async () => {
    const k = Kernel.make(
      "words",
      {
        grid: [1],
        refs: { o: MemRef.out(f32, [3]) },
        scratch: { s: union({ f: workgroup(f32, [3]), i: workgroup(i32, [2, 4]) }) }
      },
      function* ({ o, s }) {
        yield* MemRef.store(s.f, 1)
        yield* MemRef.store(o, yield* MemRef.load(s.f))
      }
    )
    expect(await Effect.runPromise(Kernel.wgsl(k))).toContain("var<workgroup> s: array<u32, 8>;")
    expect(await Effect.runPromise(Kernel.effects(k))).toEqual(["Memory", "Write(o)"])
  })
})

describe("a union that cannot be", () => {
  const made = (s: any) =>
    Kernel.make("case", { grid: [1], refs: { o: MemRef.out(f32, []) }, scratch: { s } }, function* (): Generator<
      any,
      void
    > {})
  const mistakes: ReadonlyArray<readonly [what: string, s: unknown, says: ReadonlyArray<string>]> = [
    ["of halves", union({ a: workgroup(f16, [2]) as any }), ['scratch "s.a" is f16', "32-bit words"]],
    [
      "of truth values, in a record",
      union({ a: workgroup(f32, [2]), b: { c: workgroup(bool, [1]) as any } }),
      ['scratch "s.b.c" is bool']
    ],
    [
      "of what has a layout",
      union({ a: workgroup(i32, [8], { swizzle: 32 }) }),
      ['scratch "s.a" has a layout', "leave out"]
    ],
    ["of a negative dimension", union({ a: workgroup(i32, [-8]) }), ['scratch "s.a" has shape [-8]']],
    [
      "of more elements than there are",
      union({ a: { b: workgroup(i32, [2 ** 30]), c: workgroup(i32, [2 ** 30]) } }),
      ['scratch "s" has 2147483648 elements']
    ],
    ["of barriers", union({ a: Barrier.scratch({ arrivals: 1 }) as any }), ['scratch "s.a" is a barrier']],
    ["of nothing", union({}), ['"s" of the scratch declares nothing']],
    ["of an empty record", union({ a: {} }), ['"s.a" of the scratch declares nothing']],
    ["of null", union({ a: null as any }), ['"s.a" of the scratch declares nothing']],
    ["of a number", union(3 as any), ['"s" of the scratch declares nothing']],
    ["of a shape that is a number", union({ a: workgroup(i32, 8 as any) }), ['scratch "s.a" has shape 8']]
  ]
  it.each(mistakes)("%s fails with the ref's name", async (_, s, says) => {
    await refused("InvalidKernel", made(s), {}, { says })
  })
  it("fails where its scope stands", async () => {
    const k = single({ o: MemRef.out(f32, []) }, function* () {
      yield* scoped(union({ a: workgroup(f16, [2]) as any }) as Scratch.Union<{}>, function* () {})
    })
    await refused("TypeMismatch", k as any, {}, { says: ['scratch "scratch.a" is f16'], at: "scoped(" })
  })
})

describe("scratch with a layout that does not fit", () => {
  const layout = (s: Scratch.Any) =>
    Kernel.make("case", { grid: [1], refs: { o: MemRef.out(f32, []) }, scratch: { s } }, function* (): Generator<
      any,
      void
    > {})
  it("fails with the ref's name, the axis and the sizes", async () => {
    const refuses = (s: Scratch.Any, ...says: ReadonlyArray<string>) =>
      refused("InvalidKernel", layout(s), {}, { says })
    await refuses(
      workgroup(f32, [8, 10], { tiling: [4, 4] }),
      'axis 1 of scratch "s" has size 10, which tiles of 4 do not divide'
    )
    await refuses(
      workgroup(f32, [8, 10], { swizzle: 64 }),
      'scratch "s" has a swizzle of 64 bytes, which does not divide its rows of 40 bytes'
    )
    await refuses(
      workgroup(f32, [8, 32], { swizzle: 48 as any }),
      'scratch "s" has a swizzle of 48 bytes',
      "32, 64 or 128"
    )
  })
  it("fails where its scope stands", async () => {
    const k = single({ o: MemRef.out(f32, []) }, function* () {
      yield* scoped(workgroup(f32, [9], { tiling: [2] }), function* () {})
    })
    await refused("TypeMismatch", k as any, {}, { says: ['axis 0 of scratch "scratch" has size 9'], at: "scoped(" })
  })
})

describe("scratch in disjoint scopes", () => {
  const layouts: ReadonlyArray<Scratch.Layout> = [{}, { tiling: [3, 4] }]
  it.each(layouts)("shares workgroup memory that is too small for its sum: %j", async (layout) => {
    const refs = { x: MemRef.in(i32, [30, 10]), o: MemRef.out(i32, [30, 20]) }
    const k = Kernel.make("disjoint", { grid: [1], refs }, function* ({ o, x }) {
      for (const part of [0, 1])
        yield* scoped(workgroup(i32, [12, 24], layout), function* (s) {
          yield* MemRef.store(MemRef.at(s, [MemRef.slice(0, 10), MemRef.slice(0, 24)]), part + 1)
          yield* MemRef.accumulate(
            MemRef.at(s, [MemRef.slice(0, 10), MemRef.slice(0, 10)]),
            yield* MemRef.load(MemRef.at(x, [MemRef.slice(0, 10)]))
          )
          yield* MemRef.store(
            MemRef.at(o, [MemRef.slice(0, 20), MemRef.slice(10 * part, 10)]),
            yield* MemRef.load(MemRef.at(MemRef.transpose(s), [MemRef.slice(0, 20), MemRef.slice(0, 10)]))
          )
        })
    })
    const x = Int32Array.from(range(300), (k) => k)
    const o = range(600).map((k) => {
      const [r, c] = [Math.floor(k / 20), k % 20]
      return r >= 20 ? 0 : Math.floor(c / 10) + 1 + (r < 10 ? x[(c % 10) * 10 + r]! : 0)
    })
    await onEach(k, { x }, { o })
    const program: any = await Effect.runPromise(k.trace)
    const bytes = 4 * 12 * 24
    const module = Result.getOrThrow(compile(program, { schedule: { workgroupSize: 32, workgroupBytes: bytes + 700 } }))
    expect(module.spillWords).toBe(0)
    expect(module.workgroupBytes).toBeLessThan(2 * bytes)
  })
})
