/** What the types know about the matrix pipeline. */
import { Effect } from "effect"
import { describe, expect, expectTypeOf, it } from "vitest"
import {
  Discharge,
  type Effects,
  f16,
  f32,
  i32,
  Interpreter,
  Kernel,
  type KernelError,
  MemRef,
  type NotImplemented,
  Pipeline,
  Scratch,
  type Tile
} from "../../src/index.ts"

declare const acc: Pipeline.Accumulator<"f32", [4, 5]>
declare const a: MemRef.MemRef<"a", "f32", [4, 3], "in">
declare const b: MemRef.MemRef<"b", "f32", [3, 5], "inout">
declare const n: MemRef.MemRef<"n", "i32", [3, 5], "in">
declare const h: MemRef.MemRef<"h", "f16", [4, 3], "in">
declare const unknown: MemRef.MemRef<"u", "f32", [number, number], "in">
declare const tile: Tile.Tile<"f32", [3, 5]>
declare const half: Tile.Tile<"f16", [3, 5]>
declare const narrow: MemRef.MemRef<"narrow", "i8", [4, 3], "in">
declare const words: Pipeline.Accumulator<"i32", [4, 5]>
declare const wide: Tile.Tile<"i32", [3, 5]>
declare const flag: Tile.Tile<"bool", [3, 5]>

describe("the type of", () => {
  it("a multiply-accumulate has the pipeline, and a read of each factor that is a ref", () => {
    type Work = Effects.Memory | Effects.Pipeline
    const both = () => Pipeline.multiplyAccumulate(acc, a, b)
    expectTypeOf(both).returns.toEqualTypeOf<Effect.Effect<void, never, Work | Effects.Read<"a"> | Effects.Read<"b">>>()
    const one = () => Pipeline.multiplyAccumulate(acc, a, tile)
    expectTypeOf(one).returns.toEqualTypeOf<Effect.Effect<void, never, Work | Effects.Read<"a">>>()
    const none = (x: Tile.Tile<"f32", [4, 3]>) => Pipeline.multiplyAccumulate(acc, x, tile)
    expectTypeOf(none).returns.toEqualTypeOf<Effect.Effect<void, never, Work>>()
  })
  it("the other operations", () => {
    const read = () => Pipeline.read(acc)
    expectTypeOf(read).returns.toEqualTypeOf<
      Effect.Effect<Tile.Tile<"f32", [4, 5]>, never, Effects.Memory | Effects.Pipeline>
    >()
    const wait = () => Pipeline.wait()
    expectTypeOf(wait).returns.toEqualTypeOf<Effect.Effect<void, never, Effects.Pipeline>>()
  })
  it("factors of halves, transposed ones and those of unknown size is right", () => {
    const right = () => [
      Pipeline.multiplyAccumulate(acc, h, half),
      Pipeline.multiplyAccumulate(acc, a, unknown),
      Pipeline.multiplyAccumulate(acc, unknown, tile),
      Pipeline.multiplyAccumulate(acc, a, MemRef.transpose(b), { transposeB: true }),
      Pipeline.multiplyAccumulate(acc, MemRef.transpose(a), b, { transposeA: true }),
      Pipeline.multiplyAccumulate(words, narrow, n),
      Pipeline.multiplyAccumulate(words, narrow, wide),
      Pipeline.set(acc, 1)
    ]
    expectTypeOf(right).toBeFunction()
  })
  it("what does not fit is an error", () => {
    const wrong = () => [
      // @ts-expect-error dimensions along k differ
      Pipeline.multiplyAccumulate(acc, a, a),
      // @ts-expect-error the product is [4, 4]
      Pipeline.multiplyAccumulate(acc, a, a, { transposeB: true }),
      // @ts-expect-error the factors have two dtypes
      Pipeline.multiplyAccumulate(acc, a, n),
      // @ts-expect-error an accumulator of f32 takes no i32
      Pipeline.multiplyAccumulate(acc, n, n, { transposeA: true }),
      // @ts-expect-error bytes are summed in i32
      Pipeline.multiplyAccumulate(acc, narrow, n),
      // @ts-expect-error bool has no products
      Pipeline.multiplyAccumulate(acc, flag, flag, { transposeA: true }),
      // @ts-expect-error a ref is no accumulator
      Pipeline.multiplyAccumulate(b, a, b),
      // @ts-expect-error a tile of another shape
      Pipeline.set(acc, tile),
      // @ts-expect-error how many is known when the kernel is traced
      Pipeline.wait(tile),
      // @ts-expect-error halves are summed in f32
      Pipeline.accumulator(f16, [4, 4]),
      // @ts-expect-error an accumulator holds matrices
      Pipeline.accumulator(f32, [4])
    ]
    expectTypeOf(wrong).toBeFunction()
  })
  it("an accumulator is no ref", () => {
    const wrong = () => [
      // @ts-expect-error read it with Pipeline.read
      MemRef.load(acc),
      // @ts-expect-error set it with Pipeline.set
      MemRef.store(acc, 1),
      // @ts-expect-error it is taken as a whole
      MemRef.at(acc, [0])
    ]
    expectTypeOf(wrong).toBeFunction()
  })
})

const kernel = Kernel.make(
  "k",
  {
    grid: [1],
    refs: { a: MemRef.in(f32, [2, 2]), o: MemRef.out(f32, [2, 2]) },
    scratch: { acc: Pipeline.accumulator(f32, [2, 2]), s: Scratch.workgroup(f32, [2, 2]) }
  },
  function* ({ a, acc, o, s }) {
    expectTypeOf(acc).toEqualTypeOf<Pipeline.Accumulator<"f32", [2, 2]>>()
    expectTypeOf(s).toEqualTypeOf<Scratch.Ref<"f32", [2, 2]>>()
    yield* Pipeline.multiplyAccumulate(acc, a, s)
    yield* Pipeline.wait()
    yield* MemRef.store(o, yield* Pipeline.read(acc))
  }
)
const scoped = Kernel.make("scoped", { grid: [1], refs: { o: MemRef.out(i32, [2, 2]) } }, function* ({ o }) {
  yield* Scratch.scoped(Pipeline.accumulator(i32, [2, 2]), function* (acc) {
    expectTypeOf(acc).toEqualTypeOf<Pipeline.Accumulator<"i32", [2, 2]>>()
    yield* MemRef.store(o, yield* Pipeline.read(acc))
  })
})

describe("the effects of a kernel", () => {
  it("contain Pipeline, and those on accumulators are Memory", async () => {
    expectTypeOf<Kernel.Effects<typeof kernel>>().toEqualTypeOf<
      Effects.Read<"a"> | Effects.Write<"o"> | Effects.Memory | Effects.Pipeline
    >()
    expectTypeOf<Kernel.Effects<typeof scoped>>().toEqualTypeOf<
      Effects.Write<"o"> | Effects.Memory | Effects.Pipeline
    >()
    expect(await Effect.runPromise(Kernel.effects(kernel))).toEqual(["Memory", "Pipeline", "Read(a)", "Write(o)"])
    expect(await Effect.runPromise(Kernel.effects(scoped))).toEqual(["Memory", "Pipeline", "Write(o)"])
  })
  it("are claimed by Discharge", () => {
    const run = Kernel.run(kernel, { a: new Float32Array(4) }).pipe(Effect.provide(Discharge.layer))
    expectTypeOf<Effect.Services<typeof run>>().toEqualTypeOf<never>()
  })
  it("are missing, by name, in a layer without the pipeline", () => {
    const core = Interpreter.layer<Effects.Core>(Discharge.make())
    const run = Kernel.run(kernel, { a: new Float32Array(4) })
    const strict = run.pipe(Effect.provide(core))
    expectTypeOf<Effect.Services<typeof strict>>().toEqualTypeOf<Effects.Pipeline>()
    const lenient = run.pipe(Interpreter.provide(core))
    expectTypeOf<Effect.Error<typeof lenient>>().toEqualTypeOf<KernelError | NotImplemented<"Pipeline">>()
  })
})
