/** What the types know about barriers. */
import type { Effect } from "effect"
import { describe, expectTypeOf, it } from "vitest"
import { Atomic, Barrier, type Effects, i32, Kernel, MemRef, Scratch, type Tile } from "../../src/index.ts"

declare const one: Barrier.Ref<[]>
declare const three: Barrier.Ref<[3]>
declare const i: Tile.I32
declare const f: Tile.Scalar<"f32">
declare const memory: Scratch.Ref<"i32", []>

describe("the type of a barrier", () => {
  it("costs Memory, and its wait, which may fail, Debug", () => {
    const arrive = () => Barrier.arrive(one)
    expectTypeOf(arrive).returns.toEqualTypeOf<Effect.Effect<void, never, Effects.Memory>>()
    const wait = () => Barrier.wait(Barrier.at(three, i))
    expectTypeOf(wait).returns.toEqualTypeOf<Effect.Effect<void, never, Effects.Memory | Effects.Debug>>()
    const test = () => Barrier.test(Barrier.at(three, 1))
    expectTypeOf(test).returns.toEqualTypeOf<Effect.Effect<Tile.Scalar<"bool">, never, Effects.Memory>>()
    expectTypeOf<ReturnType<typeof Barrier.sync>>().toEqualTypeOf<Effect.Effect<void, never, Effects.Memory>>()
  })
  it("is no memory, and memory is no barrier", () => {
    const mistakes = () => [
      // @ts-expect-error a barrier is not loaded
      MemRef.load(one),
      // @ts-expect-error nor stored to
      MemRef.store(one, 1),
      // @ts-expect-error nor viewed
      MemRef.at(three, [0]),
      // @ts-expect-error nor changed
      Atomic.add(one, 1),
      // @ts-expect-error memory is not arrived at
      Barrier.arrive(memory),
      // @ts-expect-error one of several is picked first
      Barrier.wait(three),
      // @ts-expect-error of one, none is picked
      Barrier.at(one, 0),
      // @ts-expect-error by an i32
      Barrier.at(three, f),
      // @ts-expect-error arrivals are said
      Barrier.scratch({ barriers: 2 })
    ]
    expectTypeOf(mistakes).toBeFunction()
  })
  it("is known in the body of a kernel that declares it", () => {
    const k = Kernel.make(
      "k",
      {
        grid: [1],
        refs: { o: MemRef.out(i32, [1]) },
        scratch: {
          b: Barrier.scratch({ arrivals: 2 }),
          bs: Barrier.scratch({ arrivals: 2, barriers: 4 }),
          s: Scratch.workgroup(i32, [2])
        }
      },
      function* ({ b, bs, o, s }) {
        expectTypeOf(b).toEqualTypeOf<Barrier.Ref<[]>>()
        expectTypeOf(bs).toEqualTypeOf<Barrier.Ref<[4]>>()
        expectTypeOf(s).toEqualTypeOf<Scratch.Ref<"i32", [2]>>()
        yield* Barrier.arrive(b)
        yield* MemRef.store(o, (yield* Barrier.test(b)).convert(i32))
      }
    )
    expectTypeOf<Kernel.Effects<typeof k>>().toEqualTypeOf<Effects.Write<"o"> | Effects.Memory>()
    const scoped = () =>
      Scratch.scoped(Barrier.scratch({ arrivals: 1 }), function* (b) {
        yield* Barrier.wait(b)
        return i
      })
    expectTypeOf(scoped).returns.toEqualTypeOf<Effect.Effect<Tile.I32, never, Effects.Memory | Effects.Debug>>()
  })
})
