import { Effect } from "effect"
import {
  bool,
  Control,
  DType,
  type Effects,
  f16,
  f32,
  i32,
  Kernel,
  MemRef,
  Scratch,
  Tile,
  type Interpreter
} from "effect-kernels"
import { describe, expect, expectTypeOf, it } from "vitest"
import { activated, saxpy, sums } from "./kernels.ts"

/** What the trace found; it never says more than the type. */
const traced = (k: Kernel.Any) => Effect.runPromise(Kernel.effects(k) as Effect.Effect<ReadonlyArray<string>>)
const refs = { x: MemRef.in(f32, [8]), y: MemRef.inout(f32, [8]), o: MemRef.out(f32, [8]) }
type R<N extends string> = Effects.Read<N>
type W<N extends string> = Effects.Write<N>

describe("the effects of a kernel", () => {
  it("are the loads and stores of its body, and the scalars that it may read", async () => {
    expectTypeOf<Kernel.Effects<typeof saxpy>>().toEqualTypeOf<R<"a"> | R<"x"> | R<"y"> | W<"y">>()
    expect([...(await traced(saxpy))].sort()).toEqual(["Read(a)", "Read(x)", "Read(y)", "Write(y)"])
  })
  it("have scratch as Memory only, accumulation as Accum, and nothing for a ref that is not touched", async () => {
    expectTypeOf<Kernel.Effects<typeof sums>>().toEqualTypeOf<
      R<"x"> | Effects.Accum<"count"> | W<"total"> | Effects.Memory
    >()
    expect((await traced(sums)).filter((e) => !e.startsWith("Memory")).sort()).toEqual([
      "Accum(count)",
      "Read(x)",
      "Write(total)"
    ])
  })
  it("have the name of an inline without a discharge rule", async () => {
    expectTypeOf<Kernel.Effects<typeof activated>>().toEqualTypeOf<R<"x"> | W<"o"> | Effects.Inline<"gelu">>()
    expect(await traced(activated)).toContain("Inline(gelu)")
  })
  it("are none where the body does nothing", async () => {
    const idle = Kernel.make("idle", { grid: [1], refs }, function* () {})
    expectTypeOf<Kernel.Effects<typeof idle>>().toEqualTypeOf<never>()
    expect(await traced(idle)).toEqual([])
  })
})

describe("bodies of loops, branches and scratch", () => {
  const k = Kernel.make("k", { grid: [1], refs }, function* ({ x, y, o }) {
    const some = Tile.any((yield* MemRef.load(x)).gt(0))
    const counted = Control.fori(0, 4, { a: Tile.of(f32, 0), b: { c: Tile.zeros(i32, [2]) } }, function* (i, { a, b }) {
      yield* MemRef.store(o, a)
      return { a: a.add(i.convert(f32)), b: { c: b.c.add(i) } }
    })
    expectTypeOf(counted).toEqualTypeOf<
      Effect.Effect<{ a: Tile.Scalar<"f32">; b: { c: Tile.Tile<"i32", [2]> } }, never, W<"o">>
    >()
    const { a } = yield* counted
    const halved = Control.whileLoop(
      a,
      function* (v) {
        yield* MemRef.load(y)
        return v.gt(1)
      },
      function* (v) {
        yield* MemRef.accumulate(o, v)
        return v.mul(0.5)
      }
    )
    expectTypeOf(halved).toEqualTypeOf<Effect.Effect<Tile.Scalar<"f32">, never, R<"y"> | Effects.Accum<"o">>>()
    yield* halved
    const chosen = Control.cond(
      some,
      function* () {
        return yield* MemRef.load(x)
      },
      function* () {
        return yield* MemRef.load(y)
      }
    )
    expectTypeOf(chosen).toEqualTypeOf<Effect.Effect<Tile.Tile<"f32", [8]>, never, R<"x"> | R<"y">>>()
    const scoped = Scratch.scoped(Scratch.workgroup(f32, [8]), function* (s) {
      yield* MemRef.store(s, yield* chosen)
      return (yield* MemRef.load(s)).add(1)
    })
    expectTypeOf(scoped).toEqualTypeOf<Effect.Effect<Tile.Tile<"f32", [8]>, never, R<"x"> | R<"y"> | Effects.Memory>>()
    yield* MemRef.store(y, yield* scoped)
  })
  it("add their effects, whether generator functions", async () => {
    expectTypeOf<Kernel.Effects<typeof k>>().toEqualTypeOf<
      R<"x"> | R<"y"> | W<"y"> | W<"o"> | Effects.Accum<"o"> | Effects.Memory
    >()
    expect((await traced(k)).filter((e) => !e.startsWith("Memory")).sort()).toEqual([
      "Accum(o)",
      "Read(x)",
      "Read(y)",
      "Write(o)",
      "Write(y)"
    ])
  })
  it("or Effect.fnUntraced, or functions that return an effect", async () => {
    const e = Kernel.make("e", { grid: [1], refs }, function* ({ x, y, o }) {
      yield* Control.forEach(
        0,
        2,
        Effect.fnUntraced(function* (i) {
          expectTypeOf(i).toEqualTypeOf<Tile.I32>()
          yield* MemRef.accumulate(o, i.convert(f32))
        })
      )
      const summed = Control.fori(
        0,
        2,
        yield* MemRef.load(x),
        Effect.fnUntraced(function* (_, acc) {
          return acc.add(yield* MemRef.load(y))
        })
      )
      expectTypeOf(summed).toEqualTypeOf<Effect.Effect<Tile.Tile<"f32", [8]>, never, R<"y">>>()
      yield* summed
      yield* Control.when(Tile.of(bool, true), () => MemRef.store(y, 1))
      yield* Scratch.scoped(
        Scratch.register(f32, [8]),
        Effect.fnUntraced(function* (s) {
          yield* MemRef.store(s, 1)
        })
      )
    })
    expectTypeOf<Kernel.Effects<typeof e>>().toEqualTypeOf<
      R<"x"> | R<"y"> | W<"y"> | Effects.Accum<"o"> | Effects.Memory
    >()
    expect((await traced(e)).filter((s) => s.startsWith("Accum"))).toEqual(["Accum(o)"])
  })
})

describe("helpers", () => {
  const bump = Effect.fnUntraced(function* <N extends string>(
    ref: MemRef.MemRef<N, "f32", [8], "inout">,
    v: Tile.Tile<"f32", [8]>
  ) {
    yield* MemRef.store(ref, (yield* MemRef.load(ref)).add(v))
  })
  it("that are generic in a ref's name have the effects on the ref that they are given", async () => {
    const k = Kernel.make(
      "k",
      { grid: [1], refs: { x: MemRef.in(f32, [8]), s: MemRef.inout(f32, [8]), t: MemRef.inout(f32, [8]) } },
      function* ({ x, s, t }) {
        const v = yield* MemRef.load(x)
        yield* bump(s, v)
        yield* bump(t, v)
      }
    )
    expectTypeOf<Kernel.Effects<typeof k>>().toEqualTypeOf<R<"x"> | R<"s"> | R<"t"> | W<"s"> | W<"t">>()
    expect((await traced(k)).length).toBe(5)
  })
  it("that make kernels may be generic in dtype, with sizes that only the program knows", async () => {
    const scale = <D extends DType.Float>(dtype: DType.DType<D>, n: number, tile: number) =>
      Kernel.make(
        "scale",
        { grid: [n / tile], refs: { x: MemRef.in(dtype, [n]), o: MemRef.out(dtype, [n]) } },
        function* ({ x, o }) {
          const i = (yield* Control.programId(0)).mul(tile)
          let v = yield* MemRef.load(MemRef.at(x, [MemRef.slice(i, tile)]))
          for (let k = 0; k < 3; k++) v = v.mul(2).add(v)
          yield* MemRef.store(MemRef.at(o, [MemRef.slice(i, tile)]), Tile.exp(v))
        }
      )
    const k = scale(f16, 16, 4)
    expectTypeOf<Kernel.Effects<typeof k>>().toEqualTypeOf<R<"x"> | W<"o">>()
    const run = Kernel.run(k, { x: new DType.Float16Array(16) })
    expectTypeOf<Effect.Success<typeof run>>().toEqualTypeOf<{ readonly o: DType.Float16Array }>()
    expectTypeOf<Effect.Services<typeof run>>().toEqualTypeOf<Interpreter.Interpreter | R<"x"> | W<"o">>()
    expect([...(await traced(k))].sort()).toEqual(["Read(x)", "Write(o)"])
  })
  it("that loop over a carry of any type give that type", () => {
    const twice = <C extends Control.Carry>(init: C, f: (c: C) => C) =>
      Control.fori(0, 2, init, function* (_, c) {
        return f(c)
      })
    expectTypeOf(twice(Tile.of(f32, 1), (x) => x.mul(2))).toEqualTypeOf<Effect.Effect<Tile.Scalar<"f32">>>()
  })
})
