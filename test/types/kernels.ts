/** Kernels that the type tests and the mistakes share. */
import { Control, f32, i32, Inline, Kernel, MemRef, Scratch } from "effect-kernels"

/** A scalar parameter, blocks, one ref that changes. */
export const saxpy = Kernel.make(
  "saxpy",
  {
    grid: [2],
    refs: {
      a: MemRef.scalar(f32),
      x: MemRef.in(f32, [8], { block: [4], index: (i) => [i] }),
      y: MemRef.inout(f32, [8], { block: [4], index: (i) => [i] })
    }
  },
  function* ({ a, x, y }) {
    const v = yield* MemRef.load(x)
    yield* MemRef.store(y, v.mul(a).add(yield* MemRef.load(y)))
  }
)

/** An inline without a discharge rule: only a GPU interprets it. */
export const gelu = Inline.elementwise("gelu", {
  args: { x: f32 },
  result: f32,
  wgsl: "return 0.5 * x * (1.0 + tanh(0.7978845608 * (x + 0.044715 * x * x * x)));"
})

/** A kernel that costs `Inline<"gelu">`. */
export const activated = Kernel.make(
  "activated",
  { grid: [1], refs: { x: MemRef.in(f32, [8]), o: MemRef.out(f32, [8]) } },
  function* ({ x, o }) {
    yield* MemRef.store(o, yield* gelu(yield* MemRef.load(x)))
  }
)

/** Loops, branches, scratch on the kernel and scoped, accumulation, and a ref that is never touched. */
export const sums = Kernel.make(
  "sums",
  {
    grid: [Kernel.sequential(2)],
    refs: {
      x: MemRef.in(f32, [8], { block: [4], index: (k) => [k] }),
      total: MemRef.out(f32, [4]),
      count: MemRef.inout(i32, [1]),
      unused: MemRef.in(i32, [2])
    },
    scratch: { acc: Scratch.workgroup(f32, [4]) }
  },
  function* ({ x, total, count, acc }) {
    const last = (yield* Control.programId(0)).eq(1)
    yield* Control.forEach(0, 3, function* () {
      yield* MemRef.accumulate(acc, yield* MemRef.load(x))
    })
    yield* MemRef.accumulate(count, 1)
    yield* Scratch.scoped(Scratch.register(f32, [4]), function* (copy) {
      yield* MemRef.store(copy, yield* MemRef.load(acc))
      yield* Control.when(last, function* () {
        yield* MemRef.store(total, yield* MemRef.load(copy))
      })
    })
  }
)
