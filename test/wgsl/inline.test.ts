/** Inline WGSL in lowered kernels. */
import { describe, it } from "vitest"
import { Control, f16, f32, i32, Inline, Kernel, MemRef } from "../../src/index.ts"
import { gpu } from "../support/interpreters.ts"
import { onEach } from "../support/kernels.ts"

const range = (n: number, first = 0) => Float32Array.from({ length: n }, (_, i) => i + first)

describe("an elementwise inline", () => {
  it("is called with the scalars of each element, numbers and scalars stretched", async () => {
    const poly = Inline.elementwise("poly", {
      args: { x: f32, k: f32 },
      result: f32,
      wgsl: "let y = x * x;\nreturn y * k;"
    })
    const kernel = Kernel.make(
      "polynomial",
      { grid: [1], refs: { x: MemRef.in(f32, [100]), o: MemRef.out(f32, [100]) } },
      function* ({ o, x }) {
        yield* MemRef.store(o, yield* poly({ x: yield* MemRef.load(x), k: 3 }))
      }
    )
    await onEach(kernel, { x: range(100) }, { o: range(100).map((x) => x * x * 3) }, { on: [gpu] })
  })

  it("may give another dtype, and f16 is rounded", async () => {
    const half = Inline.elementwise("half", {
      args: { x: i32 },
      result: f16,
      wgsl: "return f32(x) / 3.0;"
    })
    const kernel = Kernel.make(
      "halves",
      { grid: [1], refs: { x: MemRef.in(i32, [5]), o: MemRef.out(f16, [5]) } },
      function* ({ o, x }) {
        yield* MemRef.store(o, yield* half(yield* MemRef.load(x)))
      }
    )
    const x = Int32Array.from([1, 2, 3, 4, 100])
    await onEach(
      kernel,
      { x },
      { o: Float32Array.from([0.333251953125, 0.66650390625, 1, 1.3330078125, 33.34375]) },
      { on: [gpu] }
    )
  })

  it("keeps its own names apart from the kernel's", async () => {
    const take = Inline.elementwise("max", {
      args: { o: f32 },
      result: f32,
      wgsl: "let lane = o; return lane + 1.0;"
    })
    const kernel = Kernel.make(
      "fn",
      { grid: [1], refs: { lane: MemRef.in(f32, [3]), o: MemRef.out(f32, [3]) } },
      function* ({ lane, o }) {
        yield* MemRef.store(o, yield* take(yield* MemRef.load(lane)))
      }
    )
    await onEach(kernel, { lane: range(3) }, { o: [1, 2, 3] }, { on: [gpu] })
  })
})

describe("a block inline", () => {
  const reversed = Inline.block("reversed", {
    operands: { x: Inline.tile(f32, [100]) },
    results: { y: Inline.tile(f32, [100]) },
    wgsl: `for (var i = i32(lane); i < 100; i += i32(lanes)) {
  y_store(i, x_load(99 - i));
}`
  })

  it("reaches tiles and results element by element", async () => {
    const kernel = Kernel.make(
      "reversal",
      { grid: [2], refs: { x: MemRef.in(f32, [2, 100]), o: MemRef.out(f32, [2, 100]) } },
      function* ({ o, x }) {
        const i = yield* Control.programId(0)
        const { y } = yield* reversed({ x: (yield* MemRef.load(MemRef.at(x, [i]))).mul(2) })
        const again = yield* reversed({ x: y.add(1) })
        yield* MemRef.store(MemRef.at(o, [i]), again.y)
      }
    )
    await onEach(kernel, { x: range(200) }, { o: range(200).map((x) => x * 2 + 1) }, { on: [gpu] })
  })

  it("reaches refs through their views, with the guards of their bounds", async () => {
    const shift = Inline.block("shift", {
      operands: { from: Inline.read(f32), to: Inline.readwrite(f32) },
      results: {},
      wgsl: `for (var i = i32(lane); i < 8; i += i32(lanes)) {
  to_store(i, to_load(i) + from_load(i));
}`
    })
    const kernel = Kernel.make(
      "shifted",
      { grid: [3], refs: { x: MemRef.in(f32, [20]), o: MemRef.inout(f32, [20]) } },
      function* ({ o, x }) {
        const i = yield* Control.programId(0)
        yield* shift({ from: MemRef.at(x, [MemRef.slice(i.mul(8), 8)]), to: MemRef.at(o, [MemRef.slice(i.mul(8), 8)]) })
      }
    )
    await onEach(kernel, { x: range(20), o: range(20, 100) }, { o: range(20).map((x) => 2 * x + 100) }, { on: [gpu] })
  })
})
