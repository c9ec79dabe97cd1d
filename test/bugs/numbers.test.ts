/**
 * Bugs that others reported: NaN, infinities and functions; integers, widths and conversions (28 to 56).
 *
 * | not here | why |
 * |---|---|
 * | the report of 55 | an endless loop is the simulator's to report; here is that an unsigned bound is refused |
 */
import { describe, expect, it } from "vitest"
import { Control, f32, i32, Kernel, MemRef, Tile, u32 } from "../../src/index.ts"
import { kernelError, mapping, onEach, single } from "../support/kernels.ts"

const MIN = -(2 ** 31)
const MAX = 2 ** 31 - 1
const floats = (...xs: ReadonlyArray<number>) => Float32Array.from(xs)
const ints = (...xs: ReadonlyArray<number>) => Int32Array.from(xs)
const words = (...xs: ReadonlyArray<number>) => Uint32Array.from(xs)

describe("special values", () => {
  // 28: saturates instead of overflowing on the way.
  it("28: tanh of large arguments is ±1", () =>
    onEach(
      mapping(f32, f32, 6, (x) => x.tanh()),
      { x: floats(0, 9.1, 45, 89, 1000, -1000) },
      { o: [0, 1, 1, 1, 1, -1] },
      { within: 1e-6 }
    ))
  // 29: one rule on both: the first NaN wins.
  it.each([
    [[NaN, 6, 8], 0],
    [[6, NaN, 8, NaN], 1],
    [[NaN, NaN], 0]
  ])("29: argmax and argmin of %j give the first NaN", async (x, at) => {
    for (const name of ["argmax", "argmin"] as const)
      await onEach(
        mapping(f32, i32, x.length, (v) => Tile[name](v, { axis: 0, keepDims: true }), 1),
        { x: floats(...x) },
        { o: [at] }
      )
  })
  // 31: no compiler folds the test away.
  it("31: a mean that skips NaN, tested with isNaN or with x ≠ x", async () => {
    for (const test of [(x: Tile.Tile<"f32", [number]>) => x.isNaN(), (x: Tile.Tile<"f32", [number]>) => x.ne(x)]) {
      const mean = mapping(
        f32,
        f32,
        3,
        (x) => {
          const nan = test(x)
          const count = Tile.sum(nan.not().convert(f32), { axis: 0, keepDims: true })
          return Tile.sum(Tile.select(nan, 0, x), { axis: 0, keepDims: true }).div(count)
        },
        1
      )
      await onEach(mean, { x: floats(NaN, 1, 3) }, { o: [2] }, { within: 1e-6 })
    }
  })
  // 32, 35: pow follows C: a negative base is fine where the exponent is whole, whether constant or not.
  it("32: pow of a negative base", () =>
    onEach(
      mapping(f32, f32, 3, (x) => x.pow(2)),
      { x: floats(-2, 3, 0) },
      { o: [4, 9, 0] },
      { within: 1e-5 }
    ))
  it("35: pow of a negative base by a loop variable", async () => {
    const k = single({ o: MemRef.out(f32, [4]) }, function* ({ o }) {
      yield* Control.forEach(1, 5, function* (i) {
        yield* MemRef.store(MemRef.at(o, [i.sub(1)]), Tile.of(f32, -1.5).pow(i.convert(f32)))
      })
    })
    await onEach(k, {}, { o: [-1.5, 2.25, -3.375, 5.0625] }, { within: 1e-5 })
  })
  // 34: negation flips the sign of zero.
  it("34: negating +0 gives -0", async () => {
    const zero = { x: floats(0) }
    await onEach(
      mapping(f32, f32, 1, (x) => Tile.div(1, x.neg())),
      zero,
      { o: [-Infinity] }
    )
    await onEach(
      mapping(f32, f32, 1, (x) => Tile.atan2(x, x.neg())),
      zero,
      { o: [Math.PI] },
      { within: 1e-6 }
    )
    await onEach(
      mapping(f32, u32, 1, (x) => x.neg().bitcast(u32)),
      zero,
      { o: [2 ** 31] }
    )
  })
  // 37: fused or not, the guarded root is near 0.
  it("37: a guarded square root of a rounding error is not NaN", () =>
    onEach(
      mapping(f32, f32, 1, (x) => x.div(0.75).fma(0.75, 0.25).max(0).sqrt()),
      { x: floats(-0.25) },
      { o: [0] },
      { within: 2e-4 }
    ))
  // 38, 42: arguments far beyond [-π, π] are reduced; sin and cos stay in [-1, 1] and square up to 1.
  it("38: sin of large arguments", () =>
    onEach(
      mapping(f32, f32, 4, (x) => x.sin()),
      { x: floats(1e3, 1e5, 1e6, 1e7) },
      { o: [0.82688, 0.03575, -0.34999, 0.42055] },
      { within: 1e-3 }
    ))
  it("42: sin and cos of position 500000", async () => {
    const k = mapping(f32, f32, 3, (x) => x.sin().mul(x.sin()).add(x.cos().mul(x.cos())))
    await onEach(k, { x: floats(500000, -500000, 123456) }, { o: [1, 1, 1] }, { within: 1e-3 })
    await onEach(
      mapping(f32, f32, 1, (x) => x.sin()),
      { x: floats(500000) },
      { o: [Math.sin(500000)] },
      { within: 1e-3 }
    )
  })
  // 40: words never travel as floats; sums of subnormals may flush.
  it("40: small integers survive two bit casts, and sums at the edge of the subnormals may flush", async () => {
    const cast = mapping(u32, u32, 2, (x) => x.bitcast(f32).bitcast(u32))
    await onEach(cast, { x: words(50, 0x7fc12345) }, { o: [50, 0x7fc12345] })
    await onEach(
      mapping(f32, f32, 1, (x) => x.add(-1.1754942e-38)),
      { x: floats(-1.1754944e-38) },
      { o: [-2.3509886e-38] },
      { within: 2.4e-38 }
    )
  })
})

/** `f` over two integer refs. */
const pair = (n: number, f: (a: any, b: any) => any) =>
  single({ a: MemRef.in(i32, [n]), b: MemRef.in(i32, [n]), o: MemRef.out(i32, [n]) }, function* ({ a, b, o }) {
    yield* MemRef.store(o, f(yield* MemRef.load(a), yield* MemRef.load(b)))
  })

describe("integers follow WGSL", () => {
  // 43: the edge set wraps around.
  it("43: MIN / -1, MIN % -1, |MIN|, -MIN, 7 / 0, 7 % 0", async () => {
    const args = { a: ints(MIN, 7), b: ints(-1, 0) }
    await onEach(
      pair(2, (a, b) => a.div(b)),
      args,
      { o: [MIN, 7] }
    )
    await onEach(
      pair(2, (a, b) => a.rem(b)),
      args,
      { o: [0, 0] }
    )
    await onEach(
      mapping(i32, i32, 1, (x) => x.abs()),
      { x: ints(MIN) },
      { o: [MIN] }
    )
    await onEach(
      mapping(i32, i32, 1, (x) => x.neg()),
      { x: ints(MIN) },
      { o: [MIN] }
    )
  })
  // 44: the remainder has the sign of the dividend, folded or not.
  it("44: signed remainders", async () => {
    await onEach(
      mapping(i32, i32, 8, (x) => x.rem(3)),
      { x: ints(-4, -3, -2, -1, 0, 1, 2, 3) },
      { o: [-1, 0, -2, -1, 0, 1, 2, 0] }
    )
    await onEach(
      pair(1, (a, b) => a.rem(b)),
      { a: ints(-1), b: ints(768) },
      { o: [-1] }
    )
  })
  // 46: out of range saturates to the last value, NaN gives 0.
  it("46: floats to integers out of range", async () => {
    await onEach(
      mapping(f32, i32, 6, (x) => x.convert(i32)),
      { x: floats(1e20, -1e20, 2147483648, 3.9, -3.9, NaN) },
      { o: [MAX, MIN, MAX, 3, -3, 0] }
    )
    await onEach(
      mapping(f32, u32, 4, (x) => x.convert(u32)),
      { x: floats(-1, 1e20, NaN, 4294967040) },
      { o: [0, 4294967295, 0, 4294967040] }
    )
  })
  // 47: integer division never goes through f32.
  it("47: division keeps all 32 bits", () =>
    onEach(
      mapping(u32, u32, 2, (x) => x.div(Tile.select(x.eq(16777217), 1, Tile.full(u32, [2], 3)))),
      { x: words(16777217, 4294967295) },
      { o: [16777217, 1431655765] }
    ))
  // 49: an array whose positions an i32 cannot hold is refused; the offset itself is exact in u32.
  it("49: an offset past 2^31", async () => {
    await onEach(
      mapping(u32, u32, 1, (x) => x.mul(7864320)),
      { x: words(319) },
      { o: [2508718080] }
    )
    const k = Kernel.make("huge", { grid: [1], refs: { o: MemRef.out(f32, [320, 7864320]) } }, function* ({ o }) {
      yield* MemRef.store(MemRef.at(o, [319, 0]), 1)
    })
    const { shown } = await kernelError("InvalidKernel", k)
    expect(shown).toContain("2516582400 elements")
    expect(shown).toContain("at most 2147483647")
  })
  // 50: indices are integers throughout.
  it("50: an index past 2^24", () =>
    onEach(
      mapping(i32, i32, 2, (row) => row.mul(4096).add(1)),
      { x: ints(4096, 4097) },
      { o: [16777217, 16781313] }
    ))
  // 52: shift amounts count modulo 32, constant or not.
  it("52: shifts by 32 and more", async () => {
    const by = { a: ints(0, 31, 32, 33) }
    const shifts = single({ a: MemRef.in(i32, [4]), l: MemRef.out(u32, [4]), r: MemRef.out(i32, [4]) }, function* (r) {
      const n = yield* MemRef.load(r.a)
      yield* MemRef.store(r.l, Tile.full(u32, [4], 1).shl(n.convert(u32)))
      yield* MemRef.store(r.r, Tile.full(i32, [4], -8).shr(n))
    })
    await onEach(shifts, by, { l: [1, 2 ** 31, 1, 2], r: [-8, -1, -8, -4] })
    await onEach(
      mapping(u32, u32, 1, (x) => x.shl(33)),
      { x: words(1) },
      { o: [2] }
    )
  })
  // 53: literals and loaded values follow one rule.
  it("53: a float remainder of literals and of loaded values", async () => {
    const k = single({ x: MemRef.in(f32, [1]), y: MemRef.in(f32, [1]), o: MemRef.out(f32, [2]) }, function* (r) {
      const loaded = (yield* MemRef.load(r.x)).rem(yield* MemRef.load(r.y))
      const literal = Tile.full(f32, [1], -5).rem(Tile.full(f32, [1], 3))
      yield* MemRef.store(r.o, Tile.concat([loaded, literal]))
    })
    await onEach(k, { x: floats(-5), y: floats(3) }, { o: [-2, -2] })
  })
  // 55: a loop bound is i32; an unsigned one that might have wrapped around is refused when the kernel is traced.
  it("55: an unsigned loop bound is a typed error, and a negative one runs nothing", async () => {
    const unsigned = single({ n: MemRef.scalar(u32), o: MemRef.out(i32, []) }, function* ({ n, o }) {
      yield* Control.forEach(0, n.sub(3) as any, function* () {
        yield* MemRef.accumulate(o, 1)
      })
    })
    const error = await kernelError("TypeMismatch", unsigned, { n: 2 })
    expect(error.shown).toContain("i32")
    const signed = single({ n: MemRef.scalar(i32), o: MemRef.out(i32, []) }, function* ({ n, o }) {
      yield* Control.forEach(0, n.sub(3), function* () {
        yield* MemRef.accumulate(o, 1)
      })
    })
    await onEach(signed, { n: 2 }, { o: [0] })
  })
  // 56: a remainder is the same beside a division.
  it("56: division and remainder by zero, alone and together", async () => {
    const x = { a: ints(2, -2, 0), b: ints(0, 0, 0) }
    await onEach(
      pair(3, (a, b) => a.div(b)),
      x,
      { o: [2, -2, 0] }
    )
    await onEach(
      pair(3, (a, b) => a.rem(b)),
      x,
      { o: [0, 0, 0] }
    )
    const both = single(
      { a: MemRef.in(i32, [3]), b: MemRef.in(i32, [3]), q: MemRef.out(i32, [3]), r: MemRef.out(i32, [3]) },
      function* ({ a, b, q, r }) {
        const [x, y] = [yield* MemRef.load(a), yield* MemRef.load(b)]
        yield* MemRef.store(q, x.div(y))
        yield* MemRef.store(r, x.rem(y))
      }
    )
    await onEach(both, x, { q: [2, -2, 0], r: [0, 0, 0] })
  })
})
