import { Effect, Layer } from "effect"
import {
  Discharge,
  type Effects,
  Gpu,
  GpuDevice,
  type GpuUnavailable,
  Interpreter,
  Kernel,
  type KernelError,
  type NotImplemented
} from "effect-kernels"
import { describe, expect, expectTypeOf, it } from "vitest"
import { activated, gelu, saxpy } from "./kernels.ts"

const x = Float32Array.from({ length: 8 }, (_, i) => i - 4)
const run = Kernel.run(activated, { x })
const plain = Kernel.run(saxpy, { a: 2, x, y: x })
const gpu = Gpu.layer.pipe(Layer.provide(GpuDevice.layer))
const taught = Layer.merge(
  Discharge.layer,
  Discharge.rule(gelu, ({ x }) => x.mul(x.mul(1.702).neg().exp().add(1).pow(-1)))
)
const tolerance = { atol: 1e-6, rtol: 1e-5 }
interface Made {
  readonly o: Float32Array
}
type Run<E, R = never> = Effect.Effect<Made, E, R>

describe("Effect.provide, the strict provider", () => {
  it("leaves in the requirements what the layer does not interpret", () => {
    expectTypeOf(Effect.provide(run, Discharge.layer)).branded.toEqualTypeOf<Run<KernelError, Effects.Inline<"gelu">>>()
    expectTypeOf(Effect.provide(run, gpu)).branded.toEqualTypeOf<Run<KernelError | GpuUnavailable>>()
    expectTypeOf(Effect.provide(plain, Discharge.layer)).branded.toEqualTypeOf<
      Effect.Effect<{ readonly y: Float32Array }, KernelError>
    >()
  })
  it("takes a rule that is merged with the layer", async () => {
    expectTypeOf(Effect.provide(run, taught)).branded.toEqualTypeOf<Run<KernelError>>()
    expect((await Effect.runPromise(Effect.provide(run, taught))).o[4]).toBe(0)
  })
})

describe("Interpreter.provide, the lenient provider", () => {
  it("moves into the errors, by name, what the layer does not interpret", async () => {
    const lenient = run.pipe(Interpreter.provide(Discharge.layer))
    expectTypeOf(lenient).branded.toEqualTypeOf<Run<KernelError | NotImplemented<"gelu">>>()
    const caught = Effect.catchTag(lenient, "NotImplemented", (e) => {
      expectTypeOf(e).toEqualTypeOf<NotImplemented<"gelu">>()
      return Effect.succeed(e.primitive)
    })
    expectTypeOf<Effect.Error<typeof caught>>().toEqualTypeOf<KernelError>()
    expect(await Effect.runPromise(caught)).toBe("gelu")
  })
  it("adds nothing where nothing is missing", () => {
    expectTypeOf(run.pipe(Interpreter.provide(taught))).branded.toEqualTypeOf<Run<KernelError>>()
    expectTypeOf(run.pipe(Interpreter.provide(gpu))).branded.toEqualTypeOf<Run<KernelError | GpuUnavailable>>()
    const lenient = plain.pipe(Interpreter.provide(Discharge.layer))
    expectTypeOf<Effect.Error<typeof lenient>>().toEqualTypeOf<KernelError>()
  })
  it("works on whole programs, and leaves other requirements as they are", () => {
    const both = Effect.all([run, plain, GpuDevice.GpuDevice]).pipe(Interpreter.provide(Discharge.layer))
    expectTypeOf<Effect.Error<typeof both>>().toEqualTypeOf<KernelError | NotImplemented<"gelu">>()
    expectTypeOf<Effect.Services<typeof both>>().toEqualTypeOf<GpuDevice.GpuDevice>()
  })
  it("leaves falling back to catching what is missing", () => {
    const fallback = run.pipe(
      Interpreter.provide(Discharge.layer),
      Effect.catchTag("NotImplemented", () => Effect.provide(run, gpu))
    )
    expectTypeOf(fallback).branded.toEqualTypeOf<Run<KernelError | GpuUnavailable>>()
  })
})

type Claims<L> = L extends Layer.Layer<infer Out, any, any> ? Extract<Out, Effects.Any> : never
const layer = <C extends Effects.Any>() => undefined as unknown as Interpreter.InterpreterLayer<C>

describe("composed interpreters", () => {
  it("orElse claims the larger set of effects if one contains the other", async () => {
    const either = Interpreter.orElse(Discharge.layer, gpu)
    expectTypeOf<Claims<typeof either>>().toEqualTypeOf<Gpu.Claims>()
    const turned = Interpreter.orElse(gpu, Discharge.layer)
    expectTypeOf<Claims<typeof turned>>().toEqualTypeOf<Discharge.Claims>()
    expectTypeOf(Effect.provide(run, either)).branded.toEqualTypeOf<Run<KernelError | GpuUnavailable>>()
    const safe = Interpreter.orElse(Discharge.layer, taught)
    expectTypeOf(Effect.provide(run, safe)).branded.toEqualTypeOf<Run<KernelError>>()
    expect((await Effect.runPromise(Effect.provide(run, safe))).o[4]).toBe(0)
  })
  it("and else those of the second, which runs what the first cannot", () => {
    const partial = <A extends Effects.Any, B extends Effects.Any>() => Interpreter.orElse(layer<A>(), layer<B>())
    type A = Effects.Core | Effects.Inline<"a">
    type B = Effects.Core | Effects.Inline<"b">
    expectTypeOf<Claims<ReturnType<typeof partial<A, B>>>>().toEqualTypeOf<B>()
    expectTypeOf<Claims<ReturnType<typeof partial<Effects.Core, B>>>>().toEqualTypeOf<B>()
    expectTypeOf<Claims<ReturnType<typeof partial<A, Effects.Core>>>>().toEqualTypeOf<A>()
  })
  it("differential claims what both have", () => {
    const checked = Interpreter.differential(gpu, Discharge.layer, tolerance)
    expectTypeOf(run.pipe(Interpreter.provide(checked))).branded.toEqualTypeOf<
      Run<KernelError | GpuUnavailable | NotImplemented<"gelu">>
    >()
    const both = Interpreter.differential(gpu, taught, tolerance)
    expectTypeOf(run.pipe(Interpreter.provide(both))).branded.toEqualTypeOf<Run<KernelError | GpuUnavailable>>()
    expectTypeOf(Effect.provide(run, both)).branded.toEqualTypeOf<Run<KernelError | GpuUnavailable>>()
  })
  it("cached claims what it caches", () => {
    const cached = gpu.pipe(Interpreter.cached({ capacity: 8 }))
    expectTypeOf(cached).toEqualTypeOf<Interpreter.InterpreterLayer<Gpu.Claims, GpuUnavailable>>()
    expectTypeOf(Effect.provide(run, cached)).branded.toEqualTypeOf<Run<KernelError | GpuUnavailable>>()
    const small = taught.pipe(Interpreter.cached({ capacity: 8 }))
    expectTypeOf(Effect.provide(run, small)).branded.toEqualTypeOf<Run<KernelError>>()
  })
})

describe("a kernel that was parsed or built from data", () => {
  const parsed = Effect.flatMap(Kernel.print(saxpy), Kernel.parse)
  const dynamic = Effect.flatMap(parsed, (k) => Kernel.run(k, { a: 2, x, y: x }))
  it("has effects that are known as data only", () => {
    expectTypeOf(parsed).toEqualTypeOf<Effect.Effect<Kernel.Dynamic, KernelError>>()
    expectTypeOf<Kernel.Effects<Kernel.Dynamic>>().toEqualTypeOf<Effects.Dynamic>()
  })
  it("may fail with NotImplemented of any name, on every interpreter, provided leniently", async () => {
    const onCpu = dynamic.pipe(Interpreter.provide(Discharge.layer))
    expectTypeOf<Effect.Error<typeof onCpu>>().toEqualTypeOf<KernelError | NotImplemented<string>>()
    expectTypeOf<Effect.Services<typeof onCpu>>().toEqualTypeOf<never>()
    const onGpu = dynamic.pipe(Interpreter.provide(gpu))
    expectTypeOf<Effect.Error<typeof onGpu>>().toEqualTypeOf<KernelError | GpuUnavailable | NotImplemented<string>>()
    expect((await Effect.runPromise(onCpu))["y"]![7]).toBe(9)
  })
  it("is a compile error provided strictly: its effects stay in the requirements", () => {
    const onCpu = Effect.provide(dynamic, Discharge.layer)
    const onGpu = Effect.provide(dynamic, gpu)
    expectTypeOf<Effect.Services<typeof onCpu>>().toEqualTypeOf<Effects.Dynamic>()
    expectTypeOf<Effect.Services<typeof onGpu>>().toEqualTypeOf<Effects.Dynamic>()
  })
})
