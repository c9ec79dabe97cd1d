/**
 * Grid and blocks: cases 47, 48, 50, 51, 53, 55, 56, 58, 59, 60, 62, 64, 65, 66, 67.
 *
 * | not here | why |
 * |---|---|
 * | 64 as an in-out in two refs | refs never alias: it is one in-out ref here, whose blocks are reached by `at` |
 * | 65 as a compile error | it stands with the types; here is what an untyped caller gets |
 * | i16 of 66 | not a dtype of the library |
 * | the reports of 53, 55, 56, 60, 64, 66 | reports come with the simulator |
 */
import { describe, expect, it } from "vitest"
import { Block, Control, DType, f32, i32, Kernel, MemRef, Scratch, Tile } from "../../src/index.ts"
import { gives } from "../storage/support.ts"
import { kernelError, onEach, pointedAt, single } from "../support/kernels.ts"

const range = (n: number, from = 0) => Int32Array.from({ length: n }, (_, i) => from + i)
/** Copies each block of `x` to the block of `o` with the number of its program. */
const copy = (grid: number, from: any, to: any) =>
  Kernel.make("copy", { grid: [grid], refs: { x: from, o: to } }, function* ({ o, x }: any) {
    yield* MemRef.store(o, yield* MemRef.load(x))
  } as any) as Kernel.Any

describe("partial blocks", () => {
  it("47: input and output blocks of 3 over 8 elements", async () => {
    const k = Kernel.make(
      "plusOne",
      {
        grid: [3],
        refs: {
          x: MemRef.in(i32, [8], { block: [3], index: (i) => [i!] }),
          o: MemRef.out(i32, [8], { block: [3], index: (i) => [i!] })
        }
      },
      function* ({ o, x }) {
        yield* MemRef.store(o, (yield* MemRef.load(x)).add(1))
      }
    )
    await onEach(k, { x: range(8) }, { o: range(8, 1) })
  })
  it("48: the sum over a partial block counts its padding as 0", async () => {
    const k = Kernel.make(
      "blockSums",
      {
        grid: [3],
        refs: {
          x: MemRef.in(f32, [8], { block: [3], index: (i) => [i!] }),
          o: MemRef.out(f32, [3], { block: [1], index: (i) => [i!] })
        }
      },
      function* ({ o, x }) {
        yield* MemRef.store(o, Tile.sum(yield* MemRef.load(x)))
      }
    )
    await onEach(k, { x: Float32Array.from(range(8)) }, { o: [3, 12, 13] })
  })
  it("50: a block larger than its array is padded with 0", async () => {
    const k = copy(1, MemRef.in(i32, [3], { block: [6] }), MemRef.out(i32, [6]))
    await onEach(k, { x: Int32Array.of(42, 42, 42) }, { o: [42, 42, 42, 0, 0, 0] })
  })
  it.each([false, true])("51: a matrix product whose k is no multiple of its block (masked: %s)", async (masked) => {
    const [m, n, size, block] = [5, 6, 7, 3]
    const k = Kernel.make(
      "matmul",
      {
        grid: [Kernel.sequential(Math.ceil(size / block))],
        refs: {
          a: MemRef.in(f32, [m, size], { block: [m, block], index: (k) => [0, k!] }),
          b: MemRef.in(f32, [size, n], { block: [block, n], index: (k) => [k!, 0] }),
          o: MemRef.out(f32, [m, n])
        }
      },
      function* ({ a, b, o }) {
        const k = Tile.iota(i32, [1, block], 1).add((yield* Control.programId(0)).mul(block))
        const x = yield* MemRef.load(a, masked ? { mask: k.lt(size) as any } : {})
        yield* MemRef.accumulate(o, Tile.dot(x, yield* MemRef.load(b)))
      }
    )
    const a = Float32Array.from({ length: m * size }, (_, i) => Math.sin(i))
    const b = Float32Array.from({ length: size * n }, (_, i) => Math.cos(i))
    const expected = Array.from({ length: m * n }, (_, i) => {
      let sum = 0
      for (let l = 0; l < size; l++) sum += a[Math.floor(i / n) * size + l]! * b[l * n + (i % n)]!
      return sum
    })
    await onEach(k, { a, b }, { o: expected }, { within: 1e-5 })
  })
})

describe("blocks outside the array", () => {
  it("53: a block that lies before the array reads 0", async () => {
    const k = copy(
      2,
      MemRef.in(i32, [4], { block: [2], index: (i) => [i!.sub(1)] }),
      MemRef.out(i32, [4], { block: [2], index: (i) => [i!] })
    )
    await onEach(k, { x: range(4) }, { o: [0, 0, 0, 1] })
  })
  it("55: a window that starts behind the array reads 0", async () => {
    const k = copy(1, MemRef.in(i32, [6], { block: [Block.element(4)], index: () => [7] }), MemRef.out(i32, [4]))
    await onEach(k, { x: range(6, 1) }, { o: [0, 0, 0, 0] })
  })
  it.each([5, -1])("56: row %d of 3 rows reads 0", async (row) => {
    const k = copy(1, MemRef.in(i32, [3, 2], { block: [null, 2], index: () => [row, 0] }), MemRef.out(i32, [2]))
    await onEach(k, { x: range(6, 1) }, { o: [0, 0] })
  })
})

describe("the grid", () => {
  it("58: an empty grid runs nothing; the output is 0", async () => {
    const k = Kernel.make("never", { grid: [0], refs: { o: MemRef.out(f32, [3]) } }, function* ({ o }) {
      yield* MemRef.store(o, 7)
    })
    await onEach(k, {}, { o: [0, 0, 0] })
  })
  it("59: an output block that the sequential axis visits again accumulates over it", async () => {
    const k = Kernel.make(
      "sumOverK",
      {
        grid: [2, Kernel.sequential(3)],
        refs: {
          x: MemRef.in(i32, [4, 3], { block: [2, 1], index: (i, k) => [i!, k!] }),
          o: MemRef.out(i32, [4, 1], { block: [2, 1], index: (i) => [i!, 0] })
        }
      },
      function* ({ o, x }) {
        yield* Control.when((yield* Control.programId(1)).eq(0), function* () {
          yield* MemRef.store(o, 0)
        })
        yield* MemRef.store(o, (yield* MemRef.load(o)).add(yield* MemRef.load(x)))
      }
    )
    await onEach(k, { x: range(12) }, { o: [3, 12, 21, 30] })
  })
  it("60: output blocks that are visited again in turn keep what they held", async () => {
    const k = Kernel.make(
      "revisited",
      {
        grid: [Kernel.sequential(4)],
        refs: {
          x: MemRef.in(i32, [4], { block: [1], index: (i) => [i!] }),
          o: MemRef.out(i32, [2], { block: [1], index: (i) => [i!.rem(2)] })
        }
      },
      function* ({ o, x }) {
        yield* MemRef.store(o, (yield* MemRef.load(o)).mul(10).add(yield* MemRef.load(x)))
      }
    )
    await onEach(k, { x: range(4, 1) }, { o: [13, 24] })
  })
  it("62: an in-out ref is one buffer: reads after writes see the writes", async () => {
    const k = single({ x: MemRef.inout(i32, [3]) }, function* ({ x }) {
      yield* MemRef.store(x, (yield* MemRef.load(x)).add(1))
      const now = yield* MemRef.load(x)
      yield* MemRef.store(x, now.add(now.mul(10)))
    })
    await onEach(k, { x: range(3, 1) }, { x: [22, 33, 44] })
  })
  it("64: a sequential grid reads block (i, j), adds a counter kept in scratch and writes block (j, i)", async () => {
    const k = Kernel.make(
      "transposing",
      {
        grid: [Kernel.sequential(4), Kernel.sequential(4)],
        refs: { o: MemRef.inout(i32, [32, 512]) },
        scratch: { counter: Scratch.workgroup(i32, []) }
      },
      function* ({ counter, o }) {
        const [i, j] = [yield* Control.programId(0), yield* Control.programId(1)]
        const block = (r: Tile.I32, c: Tile.I32) =>
          MemRef.at(o, [MemRef.slice(r.mul(8), 8), MemRef.slice(c.mul(128), 128)])
        const step = yield* MemRef.load(counter)
        yield* MemRef.store(block(j, i), (yield* MemRef.load(block(i, j))).add(step))
        yield* MemRef.store(counter, step.add(1))
      }
    )
    const blocks = [
      [0, 5, 10, 15],
      [1, 5, 15, 20],
      [2, 6, 10, 25],
      [3, 7, 11, 15]
    ]
    const expected = Int32Array.from({ length: 32 * 512 }, (_, e) => blocks[e >> 12]![(e >> 7) & 3]!)
    await onEach(k, { o: new Int32Array(32 * 512) }, { o: expected })
  })
  it("67: each program writes its id + 1", async () => {
    const k = Kernel.make(
      "ids",
      { grid: [3], refs: { o: MemRef.out(i32, [3], { block: [1], index: (i) => [i!] }) } },
      function* ({ o }) {
        yield* MemRef.store(o, (yield* Control.programId(0)).add(1))
      }
    )
    await onEach(k, {}, { o: [1, 2, 3] })
  })
})

describe("memory", () => {
  it("65: a store to an in ref is a typed error where the types were told wrong", async () => {
    const k = single({ x: MemRef.in(f32, [2]), o: MemRef.out(f32, [2]) }, function* ({ o, x }) {
      yield* MemRef.store(o, 1)
      yield* MemRef.store(x as any, 1)
    })
    const error = await kernelError("AccessViolation", k, { x: new Float32Array(2) })
    expect(error.ref).toBe("x")
    expect(pointedAt(error)).toBe("yield* MemRef.store(x as any, 1)")
  })
  it.each(DType.names)("66: fresh %s memory reads as 0", async (name) => {
    const dtype: any = DType.of(name)
    const outs = { a: MemRef.out(dtype, [5]), b: MemRef.out(dtype, [5]), c: MemRef.out(dtype, [5]) }
    const scratch = { w: Scratch.workgroup(dtype, [5]), r: Scratch.register(dtype, [5]) }
    const k = Kernel.make(
      "fresh",
      { grid: [1], refs: { ...outs, d: MemRef.out(dtype, [5]) }, scratch },
      function* ({ a, b, c, d, r, w }: any): Generator<any, void, any> {
        yield* MemRef.store(b, yield* MemRef.load(a))
        yield* MemRef.store(c, yield* MemRef.load(w))
        yield* MemRef.store(d, yield* MemRef.load(r))
      }
    )
    const zeros = [0, 0, 0, 0, 0]
    await gives(k as Kernel.Any, {}, { a: zeros, b: zeros, c: zeros, d: zeros })
  })
})
