/** What the types know about semaphores. */
import { Effect } from "effect"
import { describe, expectTypeOf, it } from "vitest"
import {
  Control,
  Discharge,
  type Effects,
  type Gpu,
  i32,
  Interpreter,
  Kernel,
  type KernelError,
  MemRef,
  type NotImplemented,
  type Scratch,
  Semaphore,
  type Tile
} from "../../src/index.ts"

declare const shared: MemRef.MemRef<"s", "i32", [2], "inout">
declare const own: Scratch.Ref<"i32", []>
declare const x: MemRef.MemRef<"x", "i32", [2], "in">
declare const u: MemRef.MemRef<"u", "u32", [2], "out">
declare const n: Tile.I32
type Changes<N extends string> = Effects.Read<N> | Effects.Write<N>

describe("the type of a semaphore", () => {
  it("has its effects; a wait on a shared ref is up to others, and any may fail", () => {
    const signal = () => Semaphore.signal(shared, 2)
    expectTypeOf(signal).returns.toEqualTypeOf<Effect.Effect<void, never, Changes<"s">>>()
    const one = () => Semaphore.signal(shared)
    expectTypeOf(one).returns.toEqualTypeOf<Effect.Effect<void, never, Changes<"s">>>()
    const checked = () => Semaphore.signal(shared, n)
    expectTypeOf(checked).returns.toEqualTypeOf<Effect.Effect<void, never, Changes<"s"> | Effects.Debug>>()
    const read = () => Semaphore.read(x)
    expectTypeOf(read).returns.toEqualTypeOf<Effect.Effect<Tile.Tile<"i32", [2]>, never, Effects.Read<"x">>>()
    const wait = () => Semaphore.wait(shared, 1, { decrement: false })
    expectTypeOf(wait).returns.toEqualTypeOf<
      Effect.Effect<void, never, Changes<"s"> | Effects.Semaphore | Effects.Debug>
    >()
    const local = () => Semaphore.wait(own, n)
    expectTypeOf(local).returns.toEqualTypeOf<
      Effect.Effect<void, never, Changes<Effects.ScratchName> | Effects.Debug>
    >()
  })
  it("121: has no device; and is a writable i32", () => {
    const mistakes = () => [
      // @ts-expect-error there is no other device to signal
      Semaphore.signal(shared, 1, { device: 1 }),
      // @ts-expect-error a semaphore is i32
      Semaphore.signal(u),
      // @ts-expect-error it is read only
      Semaphore.signal(x),
      // @ts-expect-error a wait takes from it
      Semaphore.wait(x),
      // @ts-expect-error one number for all
      Semaphore.signal(shared, read)
    ]
    expectTypeOf(mistakes).toBeFunction()
  })
})
declare const read: Tile.Tile<"i32", [2]>

describe("the effects of a kernel", () => {
  const waits = Kernel.make("waits", { grid: [2], refs: { s: MemRef.out(i32, [2]) } }, function* ({ s }) {
    yield* Control.when((yield* Control.programId(0)).eq(1), () => Semaphore.wait(s))
  })
  const local = Kernel.make(
    "local",
    { grid: [2], refs: { o: MemRef.out(i32, []) }, scratch: { s: Semaphore.scratch([]) } },
    function* ({ o, s }) {
      yield* Semaphore.signal(s, 2)
      yield* Semaphore.wait(s)
      yield* MemRef.store(o, yield* Semaphore.read(s))
    }
  )
  it("hold Semaphore where it waits on what is shared, not for scratch", () => {
    expectTypeOf<Kernel.Effects<typeof waits>>().toEqualTypeOf<Changes<"s"> | Effects.Semaphore | Effects.Debug>()
    expectTypeOf<Kernel.Effects<typeof local>>().toEqualTypeOf<Effects.Write<"o"> | Effects.Memory | Effects.Debug>()
  })
  it("are claimed by Discharge; by Gpu without Semaphore, which then is an error that may happen", () => {
    const run = Kernel.run(waits, {})
    const strict = () => run.pipe(Effect.provide(Discharge.layer))
    expectTypeOf<Effect.Services<ReturnType<typeof strict>>>().toEqualTypeOf<never>()
    const lenient = () => run.pipe(Interpreter.provide(Discharge.layer))
    expectTypeOf<Effect.Error<ReturnType<typeof lenient>>>().toEqualTypeOf<KernelError>()
    const gpu = Interpreter.layer<Gpu.Claims>(Discharge.make())
    const onGpu = () => run.pipe(Interpreter.provide(gpu))
    expectTypeOf<Effect.Error<ReturnType<typeof onGpu>>>().toEqualTypeOf<KernelError | NotImplemented<"Semaphore">>()
    const missing = () => run.pipe(Effect.provide(gpu))
    expectTypeOf<Effect.Services<ReturnType<typeof missing>>>().toEqualTypeOf<Effects.Semaphore>()
    const scratch = () => Kernel.run(local, {}).pipe(Effect.provide(gpu))
    expectTypeOf<Effect.Services<ReturnType<typeof scratch>>>().toEqualTypeOf<never>()
  })
})
