/** Every function and method of `Tile`, once, with the result that its documentation promises. */
import { describe, expect, it } from "vitest"
import { bool, type DType, f16, f32, i32, MemRef, Tile, u32 } from "../../src/index.ts"
import { methodNames } from "../../src/trace/tile.ts"
import { onEach, single } from "../support/kernels.ts"

type Data = readonly [dtype: DType.DType<DType.Name>, shape: ReadonlyArray<number>, values: ReadonlyArray<number>]
const F = (...values: ReadonlyArray<number>): Data => [f32, [values.length], values]
const I = (...values: ReadonlyArray<number>): Data => [i32, [values.length], values]
const U = (...values: ReadonlyArray<number>): Data => [u32, [values.length], values]
const B = (...values: ReadonlyArray<number>): Data => [bool, [values.length], values]
const of = (dtype: DType.DType<DType.Name>, shape: ReadonlyArray<number>, ...values: ReadonlyArray<number>): Data => [
  dtype,
  shape,
  values
]
const hosts = { f32: Float32Array, i32: Int32Array, u32: Uint32Array, bool: Uint8Array } as const
const host = ([dtype, , values]: Data) => hosts[dtype.name as keyof typeof hosts].from(values)

/** `f` of tiles with these values, on every interpreter. */
const gives = async (inputs: ReadonlyArray<Data>, f: (...tiles: Array<any>) => any, result: Data, within = 2e-6) => {
  const names = inputs.map((_, k) => `x${k}`)
  const ins = Object.fromEntries(inputs.map(([dtype, shape], k) => [names[k]!, MemRef.in(dtype, shape)]))
  const refs = { ...ins, o: MemRef.out(result[0], result[1]) }
  const k = single(refs, function* (r: any) {
    const tiles: Array<any> = []
    for (const name of names) tiles.push(yield* MemRef.load(r[name]))
    const made = f(...tiles)
    expect([made.dtype, made.shape]).toEqual([result[0].name, result[1]])
    yield* MemRef.store(r.o, made)
  } as any)
  const args = Object.fromEntries(inputs.map((data, i) => [names[i]!, host(data)]))
  await onEach(k, args, { o: result[2] }, { within: result[0].name === "f32" ? within : 0 })
}
const T = Tile as any
const PI = Math.PI

const unary: ReadonlyArray<readonly [name: string, x: Data, y: Data]> = [
  ["neg", F(1, -2, 0), F(-1, 2, -0)],
  ["neg", I(1, -2), I(-1, 2)],
  ["abs", F(-1.5, 2, -Infinity), F(1.5, 2, Infinity)],
  ["abs", I(-3, 3), I(3, 3)],
  ["sign", F(-2, 0, 5, NaN), F(-1, 0, 1, NaN)],
  ["sign", I(-7, 0, 7), I(-1, 0, 1)],
  ["exp", F(0, 1, -Infinity, Infinity), F(1, Math.E, 0, Infinity)],
  ["exp2", F(0, 3, -1), F(1, 8, 0.5)],
  ["log", F(1, Math.E, 0, -1, Infinity), F(0, 1, -Infinity, NaN, Infinity)],
  ["log2", F(8, 0.5, 0), F(3, -1, -Infinity)],
  ["sqrt", F(4, 2, 0, -1), F(2, Math.SQRT2, 0, NaN)],
  ["rsqrt", F(4, 0.25), F(0.5, 2)],
  ["sin", F(0, PI / 2, -PI / 6), F(0, 1, -0.5)],
  ["cos", F(0, PI / 3), F(1, 0.5)],
  ["tan", F(0, PI / 4), F(0, 1)],
  ["asin", F(0, 1, -0.5), F(0, PI / 2, -PI / 6)],
  ["acos", F(1, 0, -1), F(0, PI / 2, PI)],
  ["atan", F(0, 1, -Infinity), F(0, PI / 4, -PI / 2)],
  ["sinh", F(0, 1), F(0, Math.sinh(1))],
  ["cosh", F(0, 1), F(1, Math.cosh(1))],
  ["tanh", F(0, 1, 100), F(0, Math.tanh(1), 1)],
  ["erf", F(0, 1, -1, 5), F(0, 0.8427007929, -0.8427007929, 1)],
  ["floor", F(1.5, -1.5, 2), F(1, -2, 2)],
  ["ceil", F(1.5, -1.5, 2), F(2, -1, 2)],
  ["round", F(0.5, 1.5, 2.5, -0.5, 1.4), F(0, 2, 2, 0, 1)],
  ["trunc", F(1.7, -1.7), F(1, -1)],
  ["fract", F(1.25, -1.25), F(0.25, 0.75)],
  ["not", B(1, 0), B(0, 1)],
  ["not", I(0, -1, 5), I(-1, 0, -6)],
  ["not", U(0, 1), U(4294967295, 4294967294)],
  ["isNaN", F(NaN, 1, Infinity), B(1, 0, 0)],
  ["isFinite", F(NaN, 1, -Infinity), B(0, 1, 0)]
]
describe("a function of one tile, and the method of its name", () => {
  it.each(unary)("%s", async (name, x, y) => {
    await gives([x], (a) => T[name](a), y, 1e-5)
    await gives([x], (a) => a[name](), y, 1e-5)
  })
})

const binary: ReadonlyArray<readonly [name: string, a: Data, b: Data, y: Data]> = [
  ["add", F(1, 2), F(0.5, -2), F(1.5, 0)],
  ["add", U(4294967295), U(2), U(1)],
  ["sub", I(1, -2147483648), I(3, 1), I(-2, 2147483647)],
  ["mul", I(65536, -3), I(65536, 5), I(0, -15)],
  ["div", F(1, -1, 0), F(4, 0, 0), F(0.25, -Infinity, NaN)],
  ["div", I(7, -7, 7, -2147483648), I(2, 2, 0, -1), I(3, -3, 7, -2147483648)],
  ["div", U(7, 7), U(2, 0), U(3, 7)],
  ["rem", F(5.5, -5.5), F(2, 2), F(1.5, -1.5)],
  ["rem", I(-7, 7, 5), I(3, -3, 0), I(-1, 1, 0)],
  ["min", F(1, NaN, 2), F(2, 1, NaN), F(1, NaN, NaN)],
  ["min", I(-1, 3), I(2, 2), I(-1, 2)],
  ["max", F(1, NaN, -Infinity), F(2, 1, 0), F(2, NaN, 0)],
  ["max", U(1, 4294967295), U(2, 0), U(2, 4294967295)],
  ["pow", F(2, -2, 9, 5), F(10, 3, 0.5, 0), F(1024, -8, 3, 1)],
  ["atan2", F(1, -1, 0), F(1, -1, -1), F(PI / 4, (-3 * PI) / 4, PI)],
  ["lt", F(1, 2, NaN), F(2, 2, 1), B(1, 0, 0)],
  ["le", I(1, 2, 3), I(2, 2, 2), B(1, 1, 0)],
  ["gt", U(4294967295, 0), U(1, 1), B(1, 0)],
  ["ge", F(1, 2, NaN), F(2, 2, NaN), B(0, 1, 0)],
  ["eq", F(1, NaN, 0), F(1, NaN, -0), B(1, 0, 1)],
  ["eq", B(1, 0), B(1, 1), B(1, 0)],
  ["ne", F(1, NaN), F(1, NaN), B(0, 1)],
  ["and", B(1, 1, 0), B(1, 0, 0), B(1, 0, 0)],
  ["and", I(12, -1), I(10, 7), I(8, 7)],
  ["or", B(1, 0, 0), B(0, 1, 0), B(1, 1, 0)],
  ["or", U(12), U(10), U(14)],
  ["xor", B(1, 1, 0), B(1, 0, 1), B(0, 1, 1)],
  ["xor", I(12), I(10), I(6)],
  ["shl", I(1, 1), I(4, 33), I(16, 2)],
  ["shr", I(-8, 8), I(1, 33), I(-4, 4)],
  ["shr", U(4294967288), U(1), U(2147483644)]
]
const functions: { readonly [method: string]: string } = { min: "minimum", max: "maximum" }
describe("a function of two tiles, and the method of its name", () => {
  it.each(binary)("%s", async (name, a, b, y) => {
    await gives([a, b], (p, q) => T[functions[name] ?? name](p, q), y)
    await gives([a, b], (p, q) => p[name](q), y)
  })
  it("takes a number on either side", async () => {
    await gives([I(1, 2)], (a) => Tile.sub(10, a), I(9, 8))
    await gives([I(1, 2)], (a) => Tile.sub(a, 10), I(-9, -8))
    await gives([F(1, 2)], (a) => a.div(4), F(0.25, 0.5))
    await gives([F(1, 2)], (a) => Tile.lt(1.5, a), B(0, 1))
  })
  it("broadcasts scalars, and dimensions of 1", async () => {
    const column = of(f32, [2, 1], 10, 20)
    await gives([column, of(f32, [1, 3], 1, 2, 3)], (a, b) => a.add(b), of(f32, [2, 3], 11, 12, 13, 21, 22, 23))
    await gives([column], (a) => a.mul(Tile.of(f32, 3)), of(f32, [2, 1], 30, 60))
    await gives([column], (a) => Tile.of(f32, 3).sub(a), of(f32, [2, 1], -7, -17))
  })
})

describe("other elementwise functions", () => {
  it("clamp, also as a method; NaN stays", async () => {
    await gives([F(-5, 0.5, 5, NaN)], (x) => Tile.clamp(x, -1, 1), F(-1, 0.5, 1, NaN))
    await gives([I(-5, 0, 5)], (x) => x.clamp(-1, Tile.of(i32, 3)), I(-1, 0, 3))
  })
  it("fma, also as a method", async () => {
    await gives([F(2, 3), F(4, 5)], (a, b) => Tile.fma(a, b, 1), F(9, 16))
    await gives([I(2, 3)], (a) => a.fma(a, a), I(6, 12))
  })
  it("select, also as a method, with a number on one side", async () => {
    await gives([B(1, 0), F(1, 2), F(3, 4)], (c, a, b) => Tile.select(c, a, b), F(1, 4))
    await gives([B(1, 0), F(1, 2)], (c, a) => c.select(a, -1), F(1, -1))
    await gives([B(1, 0), F(1, 2)], (c, a) => Tile.select(c, -1, a), F(-1, 2))
    await gives([B(1, 0)], (c) => Tile.select(c, Tile.of(i32, 7), 8), I(7, 8))
  })
  it("convert, also as a method, between all dtypes", async () => {
    await gives([F(1.9, -1.9, 1e20, NaN)], (x) => Tile.convert(x, i32), I(1, -1, 2147483647, 0))
    await gives([F(1.9, -1.9, 1e20)], (x) => x.convert(u32), U(1, 0, 4294967295))
    await gives([F(0, 0.5, NaN)], (x) => x.convert(bool), B(0, 1, 1))
    await gives([I(-1, 5)], (x) => x.convert(u32), U(4294967295, 5))
    await gives([I(-1, 16777217)], (x) => x.convert(f32), F(-1, 16777216))
    await gives([U(4294967295)], (x) => x.convert(i32), I(-1))
    await gives([U(0, 7)], (x) => x.convert(bool), B(0, 1))
    await gives([B(0, 1)], (x) => x.convert(f32), F(0, 1))
    await gives([B(0, 1)], (x) => x.convert(i32), I(0, 1))
    await gives([F(1 + 1 / 2048, 65520, 1e-8)], (x) => x.convert(f16).convert(f32), F(1, Infinity, 0))
  })
  it("bitcast, also as a method", async () => {
    await gives([F(1, -2)], (x) => Tile.bitcast(x, u32), U(0x3f800000, 0xc0000000))
    await gives([I(0x40490fdb)], (x) => x.bitcast(f32), F(PI))
    await gives([U(4294967295)], (x) => x.bitcast(i32), I(-1))
  })
  it("are pipeable", () => gives([F(4)], (x) => x.pipe(Tile.sqrt, Tile.neg), F(-2)))
})

describe("making tiles", () => {
  it("of, full, zeros, ones", async () => {
    await gives([], () => Tile.of(f32, 2.5), of(f32, [], 2.5))
    await gives([], () => Tile.of(bool, true), of(bool, [], 1))
    await gives([], () => Tile.full(i32, [2, 2], 7), of(i32, [2, 2], 7, 7, 7, 7))
    await gives([], () => Tile.full(bool, [2], true), B(1, 1))
    await gives([of(f32, [], 3)], (s) => Tile.full(f32, [2], s), F(3, 3))
    await gives([], () => Tile.zeros(u32, [2]), U(0, 0))
    await gives([], () => Tile.ones(f32, [1, 2]), of(f32, [1, 2], 1, 1))
  })
  it("iota along each axis", async () => {
    await gives([], () => Tile.iota(i32, [3]), I(0, 1, 2))
    await gives([], () => Tile.iota(f32, [2, 3], 1), of(f32, [2, 3], 0, 1, 2, 0, 1, 2))
    await gives([], () => Tile.iota(u32, [2, 3], -2), of(u32, [2, 3], 0, 0, 0, 1, 1, 1))
  })
  it("isTile tells a tile from all else", () => {
    expect([Tile.isTile(Tile.of(f32, 1)), Tile.isTile(1), Tile.isTile(null), Tile.isTile({})]).toEqual([
      true,
      false,
      false,
      false
    ])
  })
})

const grid = of(i32, [2, 3], 1, 2, 3, 4, 5, 6)
describe("shapes", () => {
  it("broadcast", async () => {
    await gives([of(i32, [1, 3], 1, 2, 3)], (x) => Tile.broadcast(x, [2, 3]), of(i32, [2, 3], 1, 2, 3, 1, 2, 3))
    await gives([of(i32, [], 5)], (x) => Tile.broadcast(x, [2]), I(5, 5))
  })
  it("reshape", () => gives([grid], (x) => Tile.reshape(x, [3, 2]), of(i32, [3, 2], 1, 2, 3, 4, 5, 6)))
  it("transpose, reversed and by a permutation", async () => {
    await gives([grid], (x) => Tile.transpose(x), of(i32, [3, 2], 1, 4, 2, 5, 3, 6))
    const cube = of(i32, [2, 1, 3], 1, 2, 3, 4, 5, 6)
    await gives([cube], (x) => Tile.transpose(x, [1, 2, 0]), of(i32, [1, 3, 2], 1, 4, 2, 5, 3, 6))
  })
  it("expandDims and squeeze", async () => {
    await gives([I(1, 2)], (x) => Tile.expandDims(x, 0), of(i32, [1, 2], 1, 2))
    await gives([I(1, 2)], (x) => Tile.expandDims(x, -1), of(i32, [2, 1], 1, 2))
    await gives([of(i32, [1, 2, 1], 1, 2)], (x) => Tile.squeeze(x), I(1, 2))
    await gives([of(i32, [1, 2, 1], 1, 2)], (x) => Tile.squeeze(x, -1), of(i32, [1, 2], 1, 2))
  })
  it("concat along each axis, of two and of three", async () => {
    await gives([I(1), I(2, 3), I(4)], (a, b, c) => Tile.concat([a, b, c]), I(1, 2, 3, 4))
    const wide = of(i32, [2, 1], 7, 8)
    await gives([grid, wide], (a, b) => Tile.concat([a, b], 1), of(i32, [2, 4], 1, 2, 3, 7, 4, 5, 6, 8))
    await gives([grid, wide], (a, b) => Tile.concat([b, a], -1), of(i32, [2, 4], 7, 1, 2, 3, 8, 4, 5, 6))
  })
  it("slice, with strides, from the end, and of nothing", async () => {
    await gives([grid], (x) => Tile.slice(x, { starts: [1, 0], sizes: [1, 2] }), of(i32, [1, 2], 4, 5))
    await gives([I(0, 1, 2, 3, 4)], (x) => Tile.slice(x, { starts: [0], sizes: [3], strides: [2] }), I(0, 2, 4))
    await gives([I(0, 1, 2, 3, 4)], (x) => Tile.slice(x, { starts: [-2], sizes: [2] }), I(3, 4))
    await gives([I(0, 1)], (x) => Tile.slice(x, { starts: [1], sizes: [0] }), I())
  })
  it("take along each axis; 0 out of range", async () => {
    await gives([I(10, 20, 30), I(2, 0, 3, -1)], (x, i) => Tile.take(x, i), I(30, 10, 0, 0))
    await gives([grid, I(2, 0)], (x, i) => Tile.take(x, i, { axis: 1 }), of(i32, [2, 2], 3, 1, 6, 4))
    await gives([I(10, 20), of(i32, [2, 1], 1, 0)], (x, i) => Tile.take(x, i), of(i32, [2, 1], 20, 10))
  })
  it("pad with 0, a number, a truth value and a scalar", async () => {
    await gives([I(1, 2)], (x) => Tile.pad(x, { low: [1], high: [2] }), I(0, 1, 2, 0, 0))
    await gives([F(1)], (x) => Tile.pad(x, { low: [0], high: [1], value: -Infinity }), F(1, -Infinity))
    await gives([B(0)], (x) => Tile.pad(x, { low: [1], high: [0], value: true }), B(1, 0))
    await gives([I(1)], (x) => Tile.pad(x, { low: [1], high: [0], value: Tile.of(i32, 9) }), I(9, 1))
  })
  it("flip all axes, one, and several", async () => {
    await gives([grid], (x) => Tile.flip(x), of(i32, [2, 3], 6, 5, 4, 3, 2, 1))
    await gives([grid], (x) => Tile.flip(x, { axis: 1 }), of(i32, [2, 3], 3, 2, 1, 6, 5, 4))
    await gives([grid], (x) => Tile.flip(x, { axis: [0, -1] }), of(i32, [2, 3], 6, 5, 4, 3, 2, 1))
  })
})

const reductions: ReadonlyArray<readonly [name: string, x: Data, all: number, rows: ReadonlyArray<number>, out?: any]> =
  [
    ["sum", grid, 21, [6, 15]],
    ["prod", grid, 720, [6, 120]],
    ["max", grid, 6, [3, 6]],
    ["min", grid, 1, [1, 4]],
    ["max", of(f32, [2, 3], 1, NaN, 2, -Infinity, -1, -2), NaN, [NaN, -1]],
    ["any", of(bool, [2, 3], 0, 0, 0, 0, 1, 0), 1, [0, 1]],
    ["all", of(bool, [2, 3], 1, 1, 1, 0, 1, 1), 0, [1, 0]],
    ["argmax", of(f32, [2, 3], 1, 5, 5, 2, 0, 1), 1, [1, 0], i32],
    ["argmin", of(f32, [2, 3], 1, 5, 5, 2, 0, 1), 4, [0, 1], i32],
    ["argmax", of(f32, [2, 3], 1, 5, NaN, 2, 0, 1), 2, [2, 0], i32]
  ]
describe("reductions", () => {
  it.each(reductions)("%s over all axes, one, and with the axis kept", async (name, x, all, rows, out = x[0]) => {
    await gives([x], (t) => T[name](t), of(out, [], all))
    await gives([x], (t) => T[name](t, { axis: -1 }), of(out, [2], ...rows))
    await gives([x], (t) => T[name](t, { axis: 1, keepDims: true }), of(out, [2, 1], ...rows))
    await gives([x], (t) => T[name](t, { axis: [0, 1], keepDims: true }), of(out, [1, 1], all))
  })
  it("over no axis leave the tile; its positions are 0", async () => {
    await gives([grid], (t) => Tile.sum(t, { axis: [] }), grid)
    await gives([I(4, 5)], (t) => Tile.argmax(t, { axis: [] }), I(0, 0))
  })
  it("cumsum and cummax, forwards and in reverse", async () => {
    await gives([I(1, 2, 3)], (x) => Tile.cumsum(x), I(1, 3, 6))
    await gives([I(1, 2, 3)], (x) => Tile.cumsum(x, { reverse: true }), I(6, 5, 3))
    await gives([grid], (x) => Tile.cumsum(x, { axis: -1 }), of(i32, [2, 3], 1, 3, 6, 4, 9, 15))
    await gives([F(1, 3, 2, NaN, 5)], (x) => Tile.cummax(x), F(1, 3, 3, NaN, NaN))
    await gives([I(1, 3, 2)], (x) => Tile.cummax(x, { reverse: true }), I(3, 3, 2))
  })
})

describe("dot", () => {
  const a = of(i32, [2, 3], 1, 2, 3, 4, 5, 6)
  const b = of(i32, [3, 2], 1, 0, 0, 1, 1, 1)
  const product = of(i32, [2, 2], 4, 5, 10, 11)
  it("of matrices, with either or both transposed", async () => {
    const [at, bt] = [of(i32, [3, 2], 1, 4, 2, 5, 3, 6), of(i32, [2, 3], 1, 0, 1, 0, 1, 1)]
    await gives([a, b], (x, y) => Tile.dot(x, y), product)
    await gives([at, b], (x, y) => Tile.dot(x, y, { transposeA: true }), product)
    await gives([a, bt], (x, y) => Tile.dot(x, y, { transposeB: true }), product)
    await gives([at, bt], (x, y) => Tile.dot(x, y, { transposeA: true, transposeB: true }), product)
  })
  it("of batches", () =>
    gives(
      [of(f32, [2, 1, 2], 1, 2, 3, 4), of(f32, [2, 2, 1], 1, 1, 2, 2)],
      (x, y) => Tile.dot(x, y),
      of(f32, [2, 1, 1], 3, 14)
    ))
  it("of f16 accumulates in f32", () =>
    gives(
      [of(f32, [1, 2], 2048, 1), of(f32, [2, 1], 1, 1)],
      (x, y) => Tile.dot(x.convert(f16), y.convert(f16)),
      of(f32, [1, 1], 2049)
    ))
})

it("all functions of the module are here, or come from records, whose contract tests them", () => {
  const others =
    "convert bitcast of full zeros ones iota isTile broadcast reshape transpose expandDims squeeze concat slice take pad flip cumsum cummax dot"
  const tested = new Set([
    "TypeId",
    ...methodNames.map((name) => functions[name] ?? name),
    ...reductions.map(([name]) => name),
    ...others.split(" ")
  ])
  expect(Object.keys(Tile).filter((name) => !tested.has(name))).toEqual([])
})
