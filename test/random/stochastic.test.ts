/** Stochastic rounding to f16 and bf16: to a neighbour, without a bias, and the same one everywhere. */
import { describe, expect, it } from "vitest"
import { bf16, DType, f16, f32, Kernel, MemRef, Random, Tile, u32 } from "../../src/index.ts"
import { toBf16, toF16 } from "../../src/random/stochastic.ts"
import { interpreters } from "../support/interpreters.ts"
import { onEach, results, single } from "../support/kernels.ts"
import { rounded, words } from "./reference.ts"

const key = Random.key(11)
const seed = [0, 11]

/** Every finite value of f16, in blocks of 512. */
const values = Float32Array.from({ length: 1 << 16 }, (_, bits) => halfOf(bits)).filter(Number.isFinite)
function halfOf(bits: number): number {
  const [sign, exponent, fraction] = [bits >>> 15 ? -1 : 1, (bits >>> 10) & 31, bits & 1023]
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25))
}
const block = 512
const roundingAll = (n: number) =>
  Kernel.make(
    "rounding",
    {
      grid: [n / block],
      refs: {
        x: MemRef.in(f32, [n], { block: [block], index: (i) => [i] }),
        o: MemRef.out(f16, [n], { block: [block], index: (i) => [i] })
      }
    },
    function* ({ x, o }) {
      yield* MemRef.store(o, Random.stochasticRound(yield* MemRef.load(x), key, f16))
    }
  )
/** `x` rounded by the words `w`. */
const roundedBy = (n: number) =>
  single({ x: MemRef.in(f32, [n]), w: MemRef.in(u32, [n]), o: MemRef.out(f16, [n]) }, function* ({ x, w, o }) {
    yield* MemRef.store(o, toF16(yield* MemRef.load(x), yield* MemRef.load(w)) as any)
  })
const draws = 8192
/** `draws` roundings of one number. */
const often = single({ x: MemRef.scalar(f32), o: MemRef.out(f16, [draws]) }, function* ({ x, o }) {
  const tile: Tile.Tile<"f32", [typeof draws]> = Tile.full(f32, [draws], x)
  yield* MemRef.store(o, Random.stochasticRound(tile, key, f16))
})

describe("stochastic rounding to f16", () => {
  it("leaves every value of f16 as it is, on every interpreter", () => {
    expect(values.length).toBe(63488)
    return onEach(roundingAll(values.length), { x: values }, { o: values })
  })
  it("rounds up where the word is below the fraction cut off, on every interpreter", async () => {
    const base = [1 / 3, -1 / 3, 1000.3, -2047.9, 65519, -65500, 6e-5, -6.1e-5, 3e-6, -1e-7, 2e-8, -1e-9, 1e-20, 2049]
    const x = base.flatMap((v) => new Array<number>(20).fill(Math.fround(v)))
    const w = words(seed, x.length)
    const expected = x.map((v, i) => rounded(v, w[i]!))
    expect(expected.filter((v, i) => Math.abs(v) > Math.abs(x[i]!)).length).toBeGreaterThan(x.length / 4)
    await onEach(roundedBy(x.length), { x: Float32Array.from(x), w: Uint32Array.from(w) }, { o: expected })
  })
  it("keeps infinities and NaN, takes what is far beyond the range to infinity, and carries into the next binade", () =>
    onEach(
      roundedBy(8),
      {
        x: Float32Array.of(Infinity, -Infinity, NaN, 1e6, -3e38, 2 - 2 ** -23, 2 - 2 ** -23, 2 ** -14 - 2 ** -38),
        w: Uint32Array.of(0, 0, 0, 0, 0, 0, 0xffffffff, 0)
      },
      { o: [Infinity, -Infinity, NaN, Infinity, -Infinity, 2, 2 - 2 ** -10, 2 ** -14] }
    ))
  it.each([1 / 3, -1 / 3, 0.7, 1234.567, -3e-6, 2e-8, 60000.1])("gives %s on average", async (value) => {
    const x = Math.fround(value)
    const found = Array.from((await results(often, { x }))["o"]!)
    const [low, high] = [Math.min(...found), Math.max(...found)]
    expect(found.every((v) => v === low || v === high)).toBe(true)
    const up = (x - low) / (high - low)
    const share = found.filter((v) => v === high).length / draws
    expect(Math.abs(share - up)).toBeLessThan(5 * Math.sqrt((up * (1 - up)) / draws))
  })
  it("does not depend on how the array is cut", async () => {
    const x = Float32Array.from({ length: 12 }, (_, i) => (i + 1) / 7)
    const halves = Kernel.make(
      "halves",
      {
        grid: [2],
        refs: {
          x: MemRef.in(f32, [12], { block: [6], index: (i) => [i] }),
          o: MemRef.out(f16, [12], { block: [6], index: (i) => [i] }),
          at: MemRef.in(u32, [2], { block: [null], index: (i) => [i] })
        }
      },
      function* ({ x, o, at }) {
        const offset = yield* MemRef.load(at)
        yield* MemRef.store(o, Random.stochasticRound(yield* MemRef.load(x), key, f16, { offset }))
      }
    )
    const w = words(seed, 12)
    await onEach(halves, { x, at: Uint32Array.of(0, 6) }, { o: Array.from(x, (v, i) => rounded(v, w[i]!)) })
  })
})

describe("stochastic rounding to bf16", () => {
  const patterns = Uint32Array.from({ length: 1 << 16 }, (_, bits) => bits * 2 ** 16)
  const finite = patterns.filter((w) => (w & 0x7f800000) !== 0x7f800000)
  /** The bits of `x`, rounded by the words `w`, in f32. */
  const roundedBits = (n: number, by = Math.min(n, block)) => {
    const cut = { block: [by] as [number], index: (i: Tile.I32) => [i] as const }
    const refs = { x: MemRef.in(u32, [n], cut), w: MemRef.in(u32, [n], cut), o: MemRef.out(f32, [n], cut) }
    return Kernel.make("bits", { grid: [n / by], refs }, function* ({ o, w, x }) {
      const value = (yield* MemRef.load(x)).bitcast(f32)
      yield* MemRef.store(o, toBf16(value as any, (yield* MemRef.load(w)) as any) as any)
    })
  }
  const bitsOf = (o: ArrayLike<number>) =>
    new Uint32Array((o as Float32Array).buffer, (o as Float32Array).byteOffset, o.length)

  it("leaves every value of bf16 as it is, subnormals and signs of zero included, on every interpreter", async () => {
    expect(finite.length).toBe(2 * 255 * 128)
    const n = finite.length
    for (const on of interpreters) {
      const { o } = await results(roundedBits(n, 256), { x: finite, w: Uint32Array.from(words(seed, n)) }, on)
      expect(
        bitsOf(o!).findIndex((b, k) => b !== finite[k]),
        on.name
      ).toBe(-1)
    }
  })
  it("rounds up where the word is below the fraction cut off, keeps infinities and NaN, and carries", async () => {
    const cases = [
      [0x3f800001, 0x0000ffff, 0x3f810000],
      [0x3f800001, 0x00010000, 0x3f800000],
      [0x3f80ffff, 0xfffeffff, 0x3f810000],
      [0x3f80ffff, 0xffff0000, 0x3f800000],
      [0xbf808000, 0x7fffffff, 0xbf810000],
      [0xbf808000, 0x80000000, 0xbf800000],
      [0x3fffc000, 0x00000000, 0x40000000],
      [0x7f7fc000, 0x00000000, 0x7f800000],
      [0x00008000, 0x00000000, 0x00010000],
      [0x7f800000, 0x00000000, 0x7f800000],
      [0xff800000, 0x00000000, 0xff800000],
      [0x7fc00000, 0x00000000, 0x7fc00000]
    ] as const
    const args = { x: Uint32Array.from(cases, ([x]) => x), w: Uint32Array.from(cases, ([, w]) => w) }
    for (const on of interpreters) {
      const { o } = await results(roundedBits(12), args, on)
      expect(Array.from(bitsOf(o!)), on.name).toEqual(cases.map(([, , b]) => b))
    }
  })
  it.each([1 / 3, -1234.567, 3e-39, 3.3e38])(
    "gives %s on average, and storing it to bf16 changes nothing",
    async (value) => {
      const refs = { x: MemRef.scalar(f32), o: MemRef.out(f32, [draws]), b: MemRef.out(bf16, [draws]) }
      const often = single(refs, function* ({ b, o, x }) {
        const tile: Tile.Tile<"f32", [typeof draws]> = Tile.full(f32, [draws], x)
        const drawn = Random.stochasticRound(tile, key, bf16)
        yield* MemRef.store(o, drawn)
        yield* MemRef.store(b, drawn)
      })
      const x = Math.fround(value)
      const { b, o } = await results(often, { x })
      expect(Array.from(bitsOf(o!), (w) => w >>> 16)).toEqual(Array.from(b!))
      const found = Array.from(o!)
      const [low, high] = [Math.min(...found), Math.max(...found)]
      expect(found.every((v) => v === low || v === high)).toBe(true)
      expect(DType.round("bf16")(low)).toBe(low)
      const up = (x - low) / (high - low)
      const share = found.filter((v) => v === high).length / draws
      expect(Math.abs(share - up)).toBeLessThan(5 * Math.sqrt((up * (1 - up)) / draws))
    }
  )
})
