import { Context, Effect } from "effect"
import {
  bool,
  Discharge,
  DType,
  type Effects,
  f16,
  f32,
  i32,
  type Interpreter,
  Kernel,
  type KernelError,
  MemRef,
  u32
} from "effect-kernels"
import { describe, expect, expectTypeOf, it } from "vitest"
import { activated, saxpy, type sums } from "./kernels.ts"

const all = Kernel.make(
  "all",
  {
    grid: [1],
    refs: {
      a: MemRef.inout(f32, [2]),
      b: MemRef.inout(f16, [2]),
      c: MemRef.inout(i32, [2]),
      d: MemRef.inout(u32, [2]),
      e: MemRef.inout(bool, [2]),
      s: MemRef.scalar(i32),
      t: MemRef.scalar(bool)
    }
  },
  function* ({ c, s, e, t }) {
    yield* MemRef.store(c, s)
    yield* MemRef.store(e, t)
  }
)
interface Arrays {
  readonly a: Float32Array
  readonly b: DType.Float16Array
  readonly c: Int32Array
  readonly d: Uint32Array
  readonly e: Uint8Array
}
type ArgsOf<K> = K extends Kernel.Kernel<any, infer S, any, any> ? Kernel.Args<S> : never

describe("Kernel.run", () => {
  it("takes the host array of each in and inout ref and a number for each scalar, and nothing for out refs", () => {
    expectTypeOf<ArgsOf<typeof saxpy>>().toEqualTypeOf<{
      readonly a: number
      readonly x: Float32Array
      readonly y: Float32Array
    }>()
    expectTypeOf<ArgsOf<typeof sums>>().toEqualTypeOf<{
      readonly x: Float32Array
      readonly count: Int32Array
      readonly unused: Int32Array
    }>()
    expectTypeOf<ArgsOf<typeof activated>>().toEqualTypeOf<{ readonly x: Float32Array }>()
    expectTypeOf<ArgsOf<typeof all>>().branded.toEqualTypeOf<
      Arrays & { readonly s: number; readonly t: number | boolean }
    >()
  })
  it("gives the host array of each out and inout ref", async () => {
    const run = Kernel.run(all, {
      a: Float32Array.of(1, 2),
      b: new DType.Float16Array(2),
      c: Int32Array.of(3, 4),
      d: Uint32Array.of(5, 6),
      e: Uint8Array.of(0, 0),
      s: 7,
      t: true
    })
    expectTypeOf<Effect.Success<typeof run>>().branded.toEqualTypeOf<Arrays>()
    const made = await Effect.runPromise(run.pipe(Effect.provide(Discharge.layer)))
    expect(made.a).toBeInstanceOf(Float32Array)
    expect([...made.c]).toEqual([7, 7])
    expect([...made.d]).toEqual([5, 6])
    expect(made.d).toBeInstanceOf(Uint32Array)
    expect(made.e).toEqual(Uint8Array.of(1, 1))
  })
  it("needs an interpreter and whatever claims the kernel's effects", () => {
    const run = Kernel.run(saxpy, { a: 1, x: new Float32Array(8), y: new Float32Array(8) })
    expectTypeOf(run).toEqualTypeOf<
      Effect.Effect<{ readonly y: Float32Array }, KernelError, Interpreter.Interpreter | Kernel.Effects<typeof saxpy>>
    >()
  })
  it("fails as the body fails, and needs what services the body needs", async () => {
    class Size extends Context.Service<Size, number>()("test/types/Size") {}
    class Refused {
      readonly _tag = "Refused"
    }
    const k = Kernel.make("k", { grid: [1], refs: { o: MemRef.out(i32, [1]) } }, function* ({ o }) {
      const size = yield* Size
      if (size > 9) return yield* Effect.fail(new Refused())
      yield* MemRef.store(o, size)
    })
    expectTypeOf<Kernel.Effects<typeof k>>().toEqualTypeOf<Effects.Write<"o">>()
    expectTypeOf<Kernel.Services<typeof k>>().toEqualTypeOf<Size>()
    const run = Kernel.run(k, {}).pipe(Effect.provide(Discharge.layer))
    expectTypeOf(run).toEqualTypeOf<Effect.Effect<{ readonly o: Int32Array }, KernelError | Refused, Size>>()
    expect((await Effect.runPromise(Effect.provideService(run, Size, 5))).o).toEqual(Int32Array.of(5))
    const refused = run.pipe(
      Effect.provideService(Size, 10),
      Effect.catchTag("Refused", () => Effect.succeed("refused"))
    )
    expect(await Effect.runPromise(refused)).toBe("refused")
  })
})

describe("looking at a kernel", () => {
  it("needs no interpreter", async () => {
    const printed = Kernel.print(saxpy)
    expectTypeOf(printed).toEqualTypeOf<Effect.Effect<string, KernelError>>()
    expect(await Effect.runPromise(printed)).toContain("saxpy")
    expectTypeOf(Kernel.effects(saxpy)).toEqualTypeOf<Effect.Effect<ReadonlyArray<string>, KernelError>>()
  })
  it("compiling it needs what running it needs, but no arguments", () => {
    expectTypeOf(Kernel.compile(activated)).toEqualTypeOf<
      Effect.Effect<void, KernelError, Interpreter.Interpreter | Kernel.Effects<typeof activated>>
    >()
  })
})
