/** Kernels that together use every construct of the lowering. */
import { Control, f16, f32, i32, Inline, Kernel, MemRef, Scratch, Tile } from "../../src/index.ts"

/** A tile that other invocations need, too large for workgroup memory. */
export const large = (n: number) =>
  Kernel.make(
    "large",
    { grid: [2], refs: { x: MemRef.in(f32, [2, n, n]), o: MemRef.out(f32, [2, n, n]) } },
    function* ({ x, o }) {
      const i = yield* Control.programId(0)
      const e = (yield* MemRef.load(MemRef.at(x, [i]))).exp()
      yield* MemRef.store(MemRef.at(o, [i]), e.add(Tile.transpose(e)))
    }
  )

/** Loops whose carries are single values and tiles, with bounds that memory gives; a branch; a loop with a condition. */
export const control = Kernel.make(
  "control",
  { grid: [1], refs: { x: MemRef.inout(f32, [100]), n: MemRef.scalar(i32), steps: MemRef.inout(i32, [1]) } },
  function* ({ n, steps, x }) {
    const init = { s: Tile.full(f32, [], 0), t: yield* MemRef.load(x) }
    const { s: sum, t: flipped } = yield* Control.fori(0, n, init, function* (_, { s, t }) {
      return { s: s.add(Tile.sum(t)), t: Tile.flip(t) }
    })
    yield* Control.when(sum.gt(0), function* () {
      yield* MemRef.store(x, flipped)
    })
    const turns = yield* Control.whileLoop(
      Tile.full(i32, [], 0),
      function* (i) {
        return i.lt(Tile.reshape(yield* MemRef.load(steps), []))
      },
      function* (i) {
        yield* MemRef.accumulate(x, Tile.full(f32, [100], 1))
        return i.add(1)
      }
    )
    yield* MemRef.store(steps, Tile.reshape(turns, [1]))
  }
)

/** Scratch that must be shared, scratch that need not be, and f16. */
export const scratch = Kernel.make(
  "scratch",
  {
    grid: [Kernel.sequential(3)],
    refs: { x: MemRef.in(f16, [3, 40], { block: [1, 40], index: (i) => [i, 0] }), o: MemRef.out(f16, [40]) },
    scratch: { sum: Scratch.register(f16, [40]) }
  },
  function* ({ o, sum, x }) {
    yield* MemRef.accumulate(sum, Tile.reshape(yield* MemRef.load(x), [40]))
    yield* Scratch.scoped(Scratch.workgroup(f16, [5, 8]), function* (turned) {
      yield* MemRef.store(turned, Tile.reshape(yield* MemRef.load(sum), [5, 8]))
      yield* MemRef.store(o, Tile.reshape(Tile.transpose(yield* MemRef.load(turned)), [40]))
    })
  }
)

const swish = Inline.elementwise("swish", { args: { x: f32 }, result: f32, wgsl: "return x / (1.0 + exp(-x));" })
const backwards = Inline.block("backwards", {
  operands: { from: Inline.tile(f32, [100]) },
  results: { to: Inline.tile(f32, [100]) },
  wgsl: "for (var i = i32(lane); i < 100; i += i32(lanes)) {\n  to_store(i, from_load(99 - i));\n}"
})
export const inlines = Kernel.make(
  "inlines",
  { grid: [1], refs: { x: MemRef.in(f32, [100]), o: MemRef.out(f32, [100]) } },
  function* ({ o, x }) {
    const { to } = yield* backwards({ from: yield* swish(yield* MemRef.load(x)) })
    yield* MemRef.store(o, to)
  }
)
