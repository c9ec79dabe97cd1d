/** What the types know about prints and assertions. */
import { Effect, type Layer } from "effect"
import { describe, expectTypeOf, it } from "vitest"
import {
  Control,
  Debug,
  Discharge,
  type Effects,
  f32,
  type Gpu,
  type Interpreter,
  Kernel,
  MemRef,
  type Tile
} from "../../src/index.ts"

declare const v: Tile.Tile<"f32", [4]>
declare const n: Tile.Scalar<"i32">
declare const holds: Tile.Tile<"bool", [4]>
declare const x: MemRef.MemRef<"x", "f32", [4], "in">

describe("the type of a print or assertion", () => {
  it("has the effect Debug and gives nothing", () => {
    const print = () => Debug.print("x", v, n, holds)
    expectTypeOf(print).returns.toEqualTypeOf<Effect.Effect<void, never, Effects.Debug>>()
    const assert = () => Debug.assert(holds, "x", n)
    expectTypeOf(assert).returns.toEqualTypeOf<Effect.Effect<void, never, Effects.Debug>>()
  })
  it("is an effect of the kernel, which every interpreter has", () => {
    const k = Kernel.make("k", { grid: [1], refs: { x: MemRef.in(f32, [4]) } }, function* ({ x }) {
      const v = yield* MemRef.load(x)
      yield* Control.forEach(0, 2, (i) => Debug.print("x", { v, i }))
      yield* Debug.assert(v.gt(0), "positive")
    })
    expectTypeOf<Kernel.Effects<typeof k>>().toEqualTypeOf<Effects.Read<"x"> | Effects.Debug>()
    expectTypeOf<Effects.NameOf<Effects.Debug>>().toEqualTypeOf<"Debug">()
    const run = () => Kernel.run(k, { x: new Float32Array(4) }).pipe(Effect.provide(Discharge.layer))
    expectTypeOf<Effect.Services<ReturnType<typeof run>>>().toEqualTypeOf<never>()
    expectTypeOf<Layer.Success<typeof Gpu.layer>>().toEqualTypeOf<Interpreter.Interpreter | Gpu.Claims>()
    expectTypeOf<Effects.Debug>().toExtend<Gpu.Claims>()
  })
  it("refuses refs, numbers, conditions that are not bool, and tiles to show", () => {
    const mistakes = () => [
      // @ts-expect-error a ref is not its value
      Debug.print("x", x),
      // @ts-expect-error nor by name
      Debug.print("x", { x }),
      // @ts-expect-error a number has no dtype
      Debug.print("x", 3),
      // @ts-expect-error no label
      Debug.print(v),
      // @ts-expect-error a condition of numbers
      Debug.assert(v, "x"),
      // @ts-expect-error no message
      Debug.assert(holds),
      // @ts-expect-error only scalars are shown
      Debug.assert(holds, "x", v)
    ]
    expectTypeOf(mistakes).toBeFunction()
  })
})
