import { Effect, Layer } from "effect"
import { type Effects, Interpreter, Kernel, type KernelError, type NotImplemented, Simulator } from "effect-kernels"
import { describe, expectTypeOf, it } from "vitest"
import { activated, gelu, saxpy } from "./kernels.ts"

const x = new Float32Array(8)
const run = Kernel.run(activated, { x })
const plain = Kernel.run(saxpy, { a: 2, x, y: x })
const rule = Simulator.rule(gelu, ({ x }) => x)
type Run<E, R = never> = Effect.Effect<{ readonly o: Float32Array }, E, R>

describe("the Simulator as a layer", () => {
  it("provided strictly, leaves inlines without a rule in the requirements", () => {
    expectTypeOf(Effect.provide(run, Simulator.layer())).branded.toEqualTypeOf<
      Run<KernelError, Effects.Inline<"gelu">>
    >()
    expectTypeOf(Effect.provide(plain, Simulator.layer())).branded.toEqualTypeOf<
      Effect.Effect<{ readonly y: Float32Array }, KernelError>
    >()
  })
  it("provided leniently, moves them into the errors by name", () => {
    expectTypeOf(run.pipe(Interpreter.provide(Simulator.layer()))).branded.toEqualTypeOf<
      Run<KernelError | NotImplemented<"gelu">>
    >()
    expectTypeOf(plain.pipe(Interpreter.provide(Simulator.layer()))).branded.toEqualTypeOf<
      Effect.Effect<{ readonly y: Float32Array }, KernelError>
    >()
  })
  it("with a rule, needs no more", () => {
    const taught = Layer.merge(Simulator.layer(), rule)
    expectTypeOf(Effect.provide(run, taught)).branded.toEqualTypeOf<Run<KernelError>>()
    expectTypeOf(run.pipe(Interpreter.provide(taught))).branded.toEqualTypeOf<Run<KernelError>>()
  })
})

describe("a check", () => {
  it("gives a report, needs no interpreter, and may miss a rule", () => {
    expectTypeOf(Simulator.check(saxpy, { a: 2, x, y: x })).branded.toEqualTypeOf<
      Effect.Effect<Simulator.Report, KernelError | NotImplemented>
    >()
  })
})
