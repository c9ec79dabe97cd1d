/** What the types know about operations of subgroups. */
import { Effect, Layer } from "effect"
import { describe, expectTypeOf, it } from "vitest"
import {
  Discharge,
  type Effects,
  f32,
  Gpu,
  GpuDevice,
  type GpuUnavailable,
  i32,
  Interpreter,
  Kernel,
  type KernelError,
  MemRef,
  type NotImplemented,
  Subgroup,
  type Tile
} from "../../src/index.ts"

declare const f: Tile.Tile<"f32", [2, 3]>
declare const n: Tile.Tile<"i32", [2, 3]>
declare const u: Tile.Tile<"u32", [4]>
declare const b: Tile.Tile<"bool", [4]>
declare const row: Tile.Tile<"i32", [1, 3]>
declare const four: Tile.Tile<"i32", [4]>
type Made<D extends "f32" | "i32" | "u32" | "bool", S extends ReadonlyArray<number>> = Effect.Effect<
  Tile.Tile<D, S>,
  never,
  Effects.Subgroup
>

describe("the type of an operation of subgroups", () => {
  it("has the operand's dtype and shape, and the effect", () => {
    const made = () => ({
      sum: Subgroup.sum(f),
      or: Subgroup.or(u),
      all: Subgroup.all(b),
      scan: Subgroup.exclusiveProd(n),
      first: Subgroup.broadcast(b, 0),
      moved: Subgroup.shuffle(f, row),
      up: Subgroup.shuffleUp(u, 1),
      ballot: Subgroup.ballot(b),
      size: Subgroup.size(),
      lane: Subgroup.lane([2, 3])
    })
    expectTypeOf(made).returns.toEqualTypeOf<{
      sum: Made<"f32", [2, 3]>
      or: Made<"u32", [4]>
      all: Made<"bool", [4]>
      scan: Made<"i32", [2, 3]>
      first: Made<"bool", [4]>
      moved: Made<"f32", [2, 3]>
      up: Made<"u32", [4]>
      ballot: Made<"u32", [4, 4]>
      size: Made<"i32", []>
      lane: Made<"i32", [2, 3]>
    }>()
  })
  it("refuses a dtype without the operation, lanes that are no integers, and those that do not fit", () => {
    const mistakes = () => [
      // @ts-expect-error f32 has no bits
      Subgroup.xor(f),
      // @ts-expect-error bool has no sum
      Subgroup.sum(b),
      // @ts-expect-error numbers do not hold or not
      Subgroup.any(n),
      // @ts-expect-error f32 does not hold or not
      Subgroup.ballot(f),
      // @ts-expect-error lanes are i32
      Subgroup.shuffle(u, u),
      // @ts-expect-error lanes of another shape
      Subgroup.shuffleXor(f, four),
      // @ts-expect-error the lane of a broadcast is a number
      Subgroup.broadcast(n, n)
    ]
    expectTypeOf(mistakes).toBeFunction()
  })
})

describe("a kernel with one", () => {
  const k = Kernel.make(
    "k",
    { grid: [1], refs: { x: MemRef.in(f32, [4]), o: MemRef.out(f32, [4]) } },
    function* ({ o, x }) {
      yield* MemRef.store(o, yield* Subgroup.max(yield* MemRef.load(x)))
    }
  )
  const run = Kernel.run(k, { x: new Float32Array(4) })
  const gpu = Gpu.layer.pipe(Layer.provide(GpuDevice.layer))
  type Run<E, R = never> = Effect.Effect<{ readonly o: Float32Array }, E, R>
  it("has its effect", () => {
    expectTypeOf<Kernel.Effects<typeof k>>().toEqualTypeOf<Effects.Read<"x"> | Effects.Write<"o"> | Effects.Subgroup>()
    const inLoop = Kernel.make("l", { grid: [1], refs: { o: MemRef.out(i32, []) } }, function* ({ o }) {
      yield* MemRef.store(o, yield* Subgroup.size())
    })
    expectTypeOf<Kernel.Effects<typeof inLoop>>().toEqualTypeOf<Effects.Write<"o"> | Effects.Subgroup>()
  })
  it("is interpreted by Gpu", () => {
    expectTypeOf(Effect.provide(run, gpu)).branded.toEqualTypeOf<Run<KernelError | GpuUnavailable>>()
  })
  it("is not by Discharge: provided strictly the effect stays, leniently it is a failure", () => {
    expectTypeOf(Effect.provide(run, Discharge.layer)).branded.toEqualTypeOf<Run<KernelError, Effects.Subgroup>>()
    expectTypeOf(run.pipe(Interpreter.provide(Discharge.layer))).branded.toEqualTypeOf<
      Run<KernelError | NotImplemented<"Subgroup">>
    >()
    const both = Interpreter.differential(gpu, Discharge.layer, { atol: 0, rtol: 0 })
    expectTypeOf<Effect.Services<ReturnType<typeof twice>>>().toEqualTypeOf<Effects.Subgroup>()
    const twice = () => Effect.provide(run, both)
  })
})
