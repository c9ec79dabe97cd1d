import { Effect, Layer } from "effect"
import { Discharge, type Effects, f32, i32, Inline, Kernel, type KernelError, MemRef, Tile } from "effect-kernels"
import { describe, expect, expectTypeOf, it } from "vitest"
import { gelu } from "./kernels.ts"

type CostOf<I> =
  I extends Inline.Elementwise<any, any, any, infer C>
    ? C
    : I extends Inline.Block<any, any, any, infer C>
      ? C
      : "no inline"

const half = Inline.elementwise("half", {
  args: { x: f32 },
  result: f32,
  wgsl: "return x * 0.5;",
  discharge: ({ x }) => x.mul(0.5)
})
const mix = Inline.elementwise("mix", { args: { x: f32, n: i32 }, result: f32, wgsl: "return x + f32(n);" })
const scaled = {
  operands: {
    x: Inline.read(f32, [8]),
    y: Inline.readwrite(f32, [8]),
    o: Inline.write(f32, [8]),
    a: Inline.tile(f32, [])
  },
  results: { r: Inline.tile(f32, [8]) },
  wgsl: "for (var i = lane; i < 8u; i += lanes) { let v = x_load(i) * a_load(0u); y_store(i, v); o_store(i, v); r_store(i, v); }"
} as const
const without = Inline.block("without", scaled)
const withRule = Inline.block("withRule", {
  ...scaled,
  discharge: function* ({ x, y, o, a }) {
    const v = (yield* MemRef.load(x)).mul(a)
    yield* MemRef.store(y, v.add(yield* MemRef.load(y)))
    yield* MemRef.store(o, v)
    return { r: v }
  }
})

describe("an inline over scalars", () => {
  it("costs its name without a discharge rule, and nothing with one", () => {
    expectTypeOf<CostOf<typeof gelu>>().toEqualTypeOf<Effects.Inline<"gelu">>()
    expectTypeOf<CostOf<typeof half>>().toEqualTypeOf<never>()
    const generator = Inline.elementwise("g", {
      args: { x: f32 },
      result: i32,
      wgsl: "return i32(x);",
      discharge: function* ({ x }) {
        return x.convert(i32)
      }
    })
    expectTypeOf<CostOf<typeof generator>>().toEqualTypeOf<never>()
  })
  it("is lifted over tiles, given by name or as the only one, and numbers", () => {
    const v = Tile.zeros(f32, [4, 2])
    expectTypeOf(gelu(v)).toEqualTypeOf<Effect.Effect<Tile.Tile<"f32", [4, 2]>, never, Effects.Inline<"gelu">>>()
    expectTypeOf(half({ x: v })).toEqualTypeOf<Effect.Effect<Tile.Tile<"f32", [4, 2]>>>()
    type Mixed = Effect.Effect<Tile.Tile<"f32", [4, 2]>, never, Effects.Inline<"mix">>
    expectTypeOf(mix({ x: v, n: 1 })).toEqualTypeOf<Mixed>()
    expectTypeOf(mix({ x: v, n: Tile.zeros(i32, [4, 2]) })).toEqualTypeOf<Mixed>()
  })
})

const refs = { x: MemRef.in(f32, [8]), y: MemRef.inout(f32, [8]), o: MemRef.out(f32, [8]), p: MemRef.out(f32, [8]) }
const on = (x: Float32Array) => ({ x, y: new Float32Array(8).fill(1) })

describe("an inline over whole tiles and refs", () => {
  it("reads and writes the refs that it is given, as declared, and costs its name without a discharge rule", () => {
    const k = Kernel.make("k", { grid: [1], refs }, function* ({ x, y, o, p }) {
      const { r } = yield* without({ x, y, o, a: Tile.of(f32, 2) })
      expectTypeOf(r).toEqualTypeOf<Tile.Tile<"f32", [8]>>()
      yield* MemRef.store(p, r)
    })
    expectTypeOf<Kernel.Effects<typeof k>>().toEqualTypeOf<
      | Effects.Inline<"without">
      | Effects.Read<"x">
      | Effects.Read<"y">
      | Effects.Write<"y">
      | Effects.Write<"o">
      | Effects.Write<"p">
    >()
  })
  it("costs no name with one", async () => {
    const k = Kernel.make("k", { grid: [1], refs }, function* ({ x, y, o, p }) {
      const { r } = yield* withRule({ x, y, o, a: Tile.of(f32, 2) })
      yield* MemRef.store(p, r)
    })
    expectTypeOf<Extract<Kernel.Effects<typeof k>, Effects.Inline<string>>>().toEqualTypeOf<never>()
    const made = await Effect.runPromise(
      Kernel.run(k, on(Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8))).pipe(Effect.provide(Discharge.layer))
    )
    expect(made.y[1]).toBe(5)
    expect(made.p[7]).toBe(16)
  })
  it("takes inout and out refs where it writes, of the shape that it declares", () => {
    const fill = Inline.block("fill", { operands: { o: Inline.write(f32) }, results: {}, wgsl: "o_store(lane, 1.0);" })
    const k = Kernel.make("k", { grid: [1], refs }, function* ({ y, o }) {
      yield* fill({ o: y })
      yield* fill({ o: MemRef.at(o, [MemRef.slice(0, 4)]) })
    })
    expectTypeOf<Kernel.Effects<typeof k>>().toEqualTypeOf<
      Effects.Inline<"fill"> | Effects.Write<"y"> | Effects.Write<"o">
    >()
  })
})

describe("a rule given by a layer", () => {
  it("provides the inline's effect, over tiles or over refs", async () => {
    expectTypeOf(Discharge.rule(gelu, ({ x }) => x)).toEqualTypeOf<Layer.Layer<Effects.Inline<"gelu">>>()
    const rule = Discharge.rule(without, function* ({ x, y, o, a }) {
      expectTypeOf(x).toEqualTypeOf<MemRef.MemRef<string, "f32", [8], MemRef.Access>>()
      expectTypeOf(a).toEqualTypeOf<Tile.Scalar<"f32">>()
      const v = (yield* MemRef.load(x)).mul(a)
      yield* MemRef.store(y, v)
      yield* MemRef.store(o, v)
      return { r: v }
    })
    expectTypeOf(rule).toEqualTypeOf<Layer.Layer<Effects.Inline<"without">>>()
    const k = Kernel.make("k", { grid: [1], refs }, function* ({ x, y, o, p }) {
      yield* MemRef.store(p, (yield* without({ x, y, o, a: Tile.of(f32, 3) })).r)
    })
    const run = Kernel.run(k, on(new Float32Array(8).fill(2))).pipe(Effect.provide(Layer.merge(Discharge.layer, rule)))
    expectTypeOf<Effect.Error<typeof run>>().toEqualTypeOf<KernelError>()
    expectTypeOf<Effect.Services<typeof run>>().toEqualTypeOf<never>()
    expect((await Effect.runPromise(run)).p[3]).toBe(6)
  })
  it("covers one inline of several", () => {
    const k = Kernel.make("k", { grid: [1], refs: { y: MemRef.inout(f32, [8]) } }, function* ({ y }) {
      yield* MemRef.store(y, yield* mix({ x: yield* gelu(yield* MemRef.load(y)), n: 1 }))
    })
    const taught = Layer.merge(
      Discharge.layer,
      Discharge.rule(gelu, ({ x }) => x)
    )
    const run = Kernel.run(k, { y: new Float32Array(8) }).pipe(Effect.provide(taught))
    expectTypeOf<Effect.Services<typeof run>>().toEqualTypeOf<Effects.Inline<"mix">>()
  })
})
