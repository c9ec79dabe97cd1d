/** What the types know about copies. */
import type { Effect } from "effect"
import { describe, expectTypeOf, it } from "vitest"
import { Control, Copy, type Effects, i32, Kernel, MemRef, Scratch, Tile } from "../../src/index.ts"

declare const x: MemRef.MemRef<"x", "i32", [4], "in">
declare const o: MemRef.MemRef<"o", "i32", [4], "out">
declare const p: MemRef.MemRef<"p", "i32", [4], "out">
declare const f: MemRef.MemRef<"f", "f32", [4], "inout">
declare const b: MemRef.MemRef<"b", "bool", [4], "inout">
declare const three: MemRef.MemRef<"three", "i32", [3], "inout">
declare const any: MemRef.MemRef<"any", "i32", ReadonlyArray<number>, "inout">
declare const n: Tile.I32

type Token<R> = Copy.Token<"i32", [4], R>
describe("the type of a copy", () => {
  it("reads at the start, and lands with the effects of its wait", () => {
    const start = () => Copy.start(x, o)
    expectTypeOf(start).returns.toEqualTypeOf<
      Effect.Effect<Token<Effects.Write<"o">>, never, Effects.Read<"x"> | Effects.Memory>
    >()
    const wait = (t: Token<Effects.Write<"o">>) => Copy.wait(t)
    expectTypeOf(wait).returns.toEqualTypeOf<Effect.Effect<void, never, Effects.Write<"o"> | Effects.Memory>>()
    const add = () => Copy.start(x, o, { op: "add" })
    expectTypeOf(add).returns.toEqualTypeOf<
      Effect.Effect<Token<Effects.Accum<"o">>, never, Effects.Read<"x"> | Effects.Memory>
    >()
    const max = () => Copy.start(x, o, { op: "max", when: n.gt(0) })
    expectTypeOf(max).returns.toEqualTypeOf<
      Effect.Effect<Token<Effects.Read<"o"> | Effects.Write<"o">>, never, Effects.Read<"x"> | Effects.Memory>
    >()
  })
  it("of groups may write anything; commits and fences touch memory only", () => {
    type Any = Effects.Read<string> | Effects.Write<string> | Effects.Accum<string> | Effects.Memory
    expectTypeOf(Copy.waitGroups).returns.toEqualTypeOf<Effect.Effect<void, never, Any>>()
    expectTypeOf(Copy.commit).returns.toEqualTypeOf<Effect.Effect<void, never, Effects.Memory>>()
    expectTypeOf(Copy.fence).returns.toEqualTypeOf<Effect.Effect<void, never, Effects.Memory>>()
  })
  it("is what loops carry and branches give", () => {
    const k = Kernel.make(
      "k",
      {
        grid: [1],
        refs: { x: MemRef.in(i32, [4]), o: MemRef.out(i32, [4]) },
        scratch: { s: Scratch.workgroup(i32, [4]) }
      },
      function* ({ o, s, x }) {
        const last = yield* Control.fori(0, 3, { t: yield* Copy.start(x, o) }, function* (_, { t }) {
          yield* Copy.wait(t)
          return { t: yield* Copy.start(x, o) }
        })
        yield* Copy.wait(last.t)
        const either = yield* Control.cond(
          Tile.of(i32, 1).gt(0),
          () => Copy.start(s, s),
          () => Copy.start(x, s)
        )
        yield* Copy.wait(either)
      }
    )
    expectTypeOf<Kernel.Effects<typeof k>>().toEqualTypeOf<Effects.Read<"x"> | Effects.Write<"o"> | Effects.Memory>()
  })
  it("refuses what does not fit", () => {
    const mistakes = () => [
      // @ts-expect-error x is only read
      Copy.start(o, x),
      // @ts-expect-error another dtype
      Copy.start(x, f),
      // @ts-expect-error another shape
      Copy.start(x, three),
      // @ts-expect-error floats have no bits to combine
      Copy.start(f, f, { op: "and" }),
      // @ts-expect-error bool is not added
      Copy.start(b, b, { op: "add" }),
      // @ts-expect-error a tile of conditions is a mask
      Copy.start(x, o, { when: Tile.ones(i32, [4]).gt(0) }),
      // @ts-expect-error no token
      Copy.wait(n),
      // @ts-expect-error a copy to another ref
      Control.fori(0, 3, null as unknown as Token<Effects.Write<"o">>, function* () {
        return yield* Copy.start(x, p)
      }),
      // @ts-expect-error a token is no value
      MemRef.store(o, null as unknown as Token<Effects.Write<"o">>)
    ]
    expectTypeOf(mistakes).toBeFunction()
    const right = () => [Copy.start(any, o), Copy.start(x, any), Copy.start(f, f, { op: "min" }), Copy.start(b, b)]
    expectTypeOf(right).toBeFunction()
  })
})
