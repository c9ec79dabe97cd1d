/** What the type checker knows of blocks, scans and calls. */
import { Effect } from "effect"
import { describe, expectTypeOf, it } from "vitest"
import {
  Block,
  Control,
  Discharge,
  type Effects,
  f32,
  i32,
  Kernel,
  type KernelError,
  MemRef,
  Tile
} from "../../src/index.ts"
import type { NotImplemented } from "../../src/index.ts"

/** Code that is checked and not run. */
const checked = (_: () => void) => undefined

describe("the types", () => {
  it("of bounded and gathered blocks are their sizes, and each takes its own kind of position", () => {
    checked(() => {
      const x = MemRef.in(f32, [8, 8, 8], {
        block: [Block.bounded(4), null, Block.gather(3)],
        index: (i) => [Block.span(i, 2), i, Tile.iota(i32, [3])]
      })
      expectTypeOf(x).toEqualTypeOf<MemRef.Spec<"f32", [4, 3], "in">>()
      // @ts-expect-error a bounded axis takes a span
      MemRef.in(f32, [8], { block: [Block.bounded(4)], index: (i) => [i] })
      // @ts-expect-error another axis takes none
      MemRef.in(f32, [8], { block: [4], index: (i) => [Block.span(i, 2)] })
      // @ts-expect-error a gathered axis takes a tile of its size
      MemRef.in(f32, [8], { block: [Block.gather(4)], index: () => [Tile.iota(i32, [3])] })
      // @ts-expect-error and no scalar
      MemRef.in(f32, [8], { block: [Block.gather(4)], index: (i) => [i] })
      // @ts-expect-error another axis takes no tile
      MemRef.in(f32, [8], { block: [4], index: () => [Tile.iota(i32, [4])] })
      // @ts-expect-error tables hold i32
      MemRef.table(f32, [4])
    })
  })
  it("of a kernel say that its index maps read tables", () => {
    const k = Kernel.make(
      "k",
      { grid: [1], refs: { t: MemRef.table(i32, [2]), o: MemRef.out(i32, [2]) } },
      function* ({ o, t }) {
        expectTypeOf(t).toEqualTypeOf<MemRef.MemRef<"t", "i32", [2], "in">>()
        yield* MemRef.store(o, 0)
      }
    )
    expectTypeOf<Kernel.Effects<typeof k>>().toEqualTypeOf<Effects.Read<"t"> | Effects.Write<"o">>()
  })
  it("refuse a call with another dtype, a ref that is only read for one that is written, or a ref that is not there", () => {
    const callee = Kernel.make(
      "callee",
      { grid: [1], refs: { n: MemRef.scalar(i32), x: MemRef.in(f32, [2]), o: MemRef.inout(f32, [2]) } },
      function* ({ n, o, x }) {
        yield* MemRef.accumulate(o, (yield* MemRef.load(x)).mul(n.convert(f32)))
      }
    )
    checked(() =>
      Kernel.make(
        "caller",
        { grid: [1], refs: { x: MemRef.in(f32, [2]), m: MemRef.in(i32, [2]), o: MemRef.out(f32, [2]) } },
        function* ({ m, o, x }) {
          const called = Kernel.call(callee, { n: 1, x, o })
          expectTypeOf(called).toEqualTypeOf<Effect.Effect<void, never, Effects.Read<"x"> | Effects.Accum<"o">>>()
          yield* called
          // @ts-expect-error another dtype
          yield* Kernel.call(callee, { n: 1, x: m, o })
          // @ts-expect-error "x" is only read
          yield* Kernel.call(callee, { n: 1, x, o: x })
          // @ts-expect-error "o" is missing
          yield* Kernel.call(callee, { n: 1, x })
          // @ts-expect-error a float for an integer
          yield* Kernel.call(callee, { n: Tile.of(f32, 1), x, o })
          // @ts-expect-error there is no body to call
          yield* Kernel.call(null as unknown as Kernel.Dynamic, {})
        }
      )
    )
  })
  it("refuse a scan whose body forgets a row, or gives one of another type", () => {
    checked(() =>
      Kernel.make(
        "k",
        { grid: [1], refs: { x: MemRef.in(f32, [4, 2]), o: MemRef.out(f32, [4, 2]), n: MemRef.in(i32, [4]) } },
        function* ({ n, o, x }) {
          const init = Tile.zeros(f32, [2])
          yield* Control.scan({ in: { x, n }, out: { o } }, init, function* (carry, { n, x }) {
            expectTypeOf(n).toEqualTypeOf<Tile.Tile<"i32", []>>()
            return { carry, out: { o: x } }
          })
          // @ts-expect-error no row for "o"
          yield* Control.scan({ in: { x }, out: { o } }, init, function* (carry) {
            return { carry }
          })
          // @ts-expect-error a row of i32 for a ref of f32
          yield* Control.scan({ in: { n }, out: { o } }, init, function* (carry, { n }) {
            return { carry, out: { o: n } }
          })
          // @ts-expect-error "x" is only read
          yield* Control.scan({ out: { x } }, init, function* (carry) {
            return { carry, out: { x: carry } }
          })
          // @ts-expect-error the body gives a value
          yield* Control.runState({ init }, function* () {
            return 1
          })
        }
      )
    )
  })
  it("of discharge keep what tracing needs and fails with", () => {
    checked(() => {
      const k = Kernel.make("k", { grid: [1], refs: {} }, function* () {
        yield* Effect.fail("no" as const)
      })
      expectTypeOf(Discharge.discharge(k, { only: [] })).toEqualTypeOf<
        Effect.Effect<Kernel.Program, "no" | KernelError | NotImplemented>
      >()
    })
  })
})
