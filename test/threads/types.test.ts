/** What the types know about threads. */
import type { Effect } from "effect"
import { describe, expectTypeOf, it } from "vitest"
import {
  Barrier,
  Control,
  Copy,
  Discharge,
  type Effects,
  i32,
  Interpreter,
  Kernel,
  MemRef,
  type NotImplemented,
  Scratch,
  type Tile
} from "../../src/index.ts"

const refs = { o: MemRef.out(i32, [4]) }
type Of<K extends Kernel.Any> = Kernel.Effects<K>
const plain = Kernel.make("plain", { grid: [1], refs }, function* ({ o }) {
  yield* MemRef.store(o, 1)
})
const several = Kernel.make("several", { grid: [1], refs, threads: 4 }, function* ({ o }) {
  yield* MemRef.store(o, 1)
})

describe("the type of a kernel", () => {
  it("says that it declares threads", () => {
    expectTypeOf<Of<typeof several>>().toEqualTypeOf<Effects.Write<"o"> | Effects.Threads>()
    expectTypeOf<Of<typeof plain>>().toEqualTypeOf<Effects.Write<"o">>()
  })
  it("says so of one thread, and of a number that is not known", () => {
    const of = (n: number) =>
      Kernel.make("n", { grid: [1], refs, threads: n }, function* ({ o }) {
        yield* MemRef.store(o, 1)
      })
    expectTypeOf<Of<ReturnType<typeof of>>>().toEqualTypeOf<Effects.Write<"o"> | Effects.Threads>()
    const one = Kernel.make("one", { grid: [1], refs, threads: 1 }, function* ({ o }) {
      yield* MemRef.store(o, 1)
    })
    expectTypeOf<Of<typeof one>>().toEqualTypeOf<Effects.Write<"o"> | Effects.Threads>()
  })
  it("takes a number of threads only", () => {
    const mistakes = () => [
      // @ts-expect-error a text is no number
      Kernel.make("text", { grid: [1], refs, threads: "4" }, function* () {}),
      // @ts-expect-error threads are not several axes
      Kernel.make("axes", { grid: [1], refs, threads: [2, 2] }, function* () {})
    ]
    expectTypeOf(mistakes).toBeFunction()
  })
  it("knows its scratch beside its threads", () => {
    const k = Kernel.make(
      "k",
      { grid: [1], refs, threads: 2, scratch: { s: Scratch.workgroup(i32, [4]), b: Barrier.scratch({ arrivals: 1 }) } },
      function* ({ b, o, s }) {
        expectTypeOf(s).toEqualTypeOf<Scratch.Ref<"i32", [4]>>()
        const none = yield* Copy.start(s, o, { barrier: b })
        expectTypeOf(none).toEqualTypeOf<void>()
      }
    )
    expectTypeOf<Of<typeof k>>().toEqualTypeOf<Effects.Write<"o"> | Effects.Memory | Effects.Threads>()
  })
  it("has them where it calls a kernel with threads", () => {
    const callee = Kernel.make(
      "callee",
      { grid: [1], refs: { o: MemRef.inout(i32, [4]) }, threads: 4 },
      function* ({ o }) {
        yield* MemRef.store(o, 1)
      }
    )
    const caller = Kernel.make("caller", { grid: [1], refs: { p: MemRef.inout(i32, [4]) } }, function* ({ p }) {
      yield* Kernel.call(callee, { o: p })
    })
    expectTypeOf<Of<typeof caller>>().toEqualTypeOf<Effects.Write<"p"> | Effects.Threads>()
  })
})

describe("threadId", () => {
  it("is an i32 that costs Threads", () => {
    expectTypeOf(Control.threadId).returns.toEqualTypeOf<Effect.Effect<Tile.I32, never, Effects.Threads>>()
  })
})

describe("Scratch.scoped", () => {
  it("costs the same if it is collective", () => {
    const scoped = () =>
      Scratch.scoped(
        Scratch.workgroup(i32, [4]),
        function* (s) {
          return yield* MemRef.load(s)
        },
        { collective: true }
      )
    expectTypeOf(scoped).returns.toEqualTypeOf<Effect.Effect<Tile.Tile<"i32", [4]>, never, Effects.Memory>>()
    // @ts-expect-error it is true or false
    const mistake: Scratch.ScopeOptions = { collective: 2 }
    expectTypeOf(mistake).toEqualTypeOf<Scratch.ScopeOptions>()
  })
})

describe("an interpreter without threads", () => {
  it("is no layer for a kernel with threads, and its run may be NotImplemented", () => {
    const strict = () => Kernel.run(several, {})
    expectTypeOf(strict).returns.toExtend<
      Effect.Effect<unknown, unknown, Interpreter.Interpreter | Effects.Threads | Effects.Write<"o">>
    >()
    type R = Effect.Services<ReturnType<typeof strict>>
    expectTypeOf<Effects.Threads>().toExtend<R>()
    const lenient = () => Kernel.run(several, {}).pipe(Interpreter.provide(Discharge.layer))
    type E = Extract<Effect.Error<ReturnType<typeof lenient>>, { readonly _tag: "NotImplemented" }>
    expectTypeOf<E>().toEqualTypeOf<NotImplemented<"Threads">>()
  })
})
