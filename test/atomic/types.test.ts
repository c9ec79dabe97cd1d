/** What the types know about atomics. */
import type { Effect } from "effect"
import { describe, expectTypeOf, it } from "vitest"
import { Atomic, type Effects, i32, Kernel, MemRef, Scratch, type Tile } from "../../src/index.ts"

declare const n: MemRef.MemRef<"n", "i32", [2, 3], "inout">
declare const u: MemRef.MemRef<"u", "u32", [4], "out">
declare const f: MemRef.MemRef<"f", "f32", [4], "inout">
declare const b: MemRef.MemRef<"b", "bool", [4], "inout">
declare const x: MemRef.MemRef<"x", "i32", [4], "in">
declare const row: Tile.Tile<"i32", [1, 3]>
declare const three: Tile.Tile<"u32", [3]>

describe("the type of an atomic", () => {
  it("has the old elements and both effects on its ref", () => {
    const add = () => Atomic.add(n, row)
    expectTypeOf(add).returns.toEqualTypeOf<
      Effect.Effect<Tile.Tile<"i32", [2, 3]>, never, Effects.Read<"n"> | Effects.Write<"n">>
    >()
    const exchange = () => Atomic.compareExchange(u, 0, 1)
    expectTypeOf(exchange).returns.toEqualTypeOf<
      Effect.Effect<Tile.Tile<"u32", [4]>, never, Effects.Read<"u"> | Effects.Write<"u">>
    >()
  })
  it("refuses a dtype without the operation, a ref that is only read, and a value that does not fit", () => {
    const mistakes = () => [
      // @ts-expect-error f32 has no bits to combine
      Atomic.and(f, 1),
      // @ts-expect-error f32 is not compared
      Atomic.compareExchange(f, 0, 1),
      // @ts-expect-error bool has no atomics
      Atomic.exchange(b, 1),
      // @ts-expect-error x is only read
      Atomic.max(x, 1),
      // @ts-expect-error a value of another dtype
      Atomic.add(f, row),
      // @ts-expect-error a value of another shape
      Atomic.add(u, three)
    ]
    expectTypeOf(mistakes).toBeFunction()
    const right = () => [Atomic.min(f, 1), Atomic.exchange(f, 1), Atomic.xor(u, 1)]
    expectTypeOf(right).toBeFunction()
  })
  it("of scratch is Memory; a kernel's effects name the others", () => {
    const k = Kernel.make(
      "k",
      { grid: [1], refs: { o: MemRef.inout(i32, [1]) }, scratch: { s: Scratch.workgroup(i32, [1]) } },
      function* ({ o, s }) {
        yield* Atomic.add(o, yield* Atomic.add(s, 1))
      }
    )
    expectTypeOf<Kernel.Effects<typeof k>>().toEqualTypeOf<Effects.Read<"o"> | Effects.Write<"o"> | Effects.Memory>()
  })
})
