/**
 * Bugs that others reported, which the Simulator finds: masks, identities and padding (1, 4).
 *
 * What a block shows beside its array is 0 everywhere, so that a maximum of negative numbers is 0, and a minimum of positive
 * ones; the finding says where the 0 was read, and where it reaches a result, a condition or an index.
 */
import { describe, it } from "vitest"
import { bf16, Control, DType, f16, f32, i32, i8, type Kernel, Scratch, Tile, u32, u8 } from "../../../src/index.ts"
import { type Expected, found, kernel, silent } from "../../support/simulated.ts"
import { M, T } from "../../support/dynamic.ts"

const negative = [-3, -1, -4, -1, -5]
/** Numbers as bf16, the upper half of their bits as f32. */
const Bits = {
  from: (xs: ReadonlyArray<number>) => Uint16Array.from(new Uint32Array(Float32Array.from(xs).buffer), (x) => x >>> 16)
}
const row = (size: number, dtype: any = f32) => M.in(dtype, [size], { block: [8], index: (i: any) => [i] } as any)
const inside = (size: number) => Tile.iota(i32, [8]).lt(size)
const padded = (at: ReadonlyArray<string>, rest: Partial<Expected> = {}): Expected => ({
  tag: "Uninitialised",
  ref: "x",
  at,
  ...rest,
  like: { origin: "padding", reaches: "result", ...rest.like }
})

describe("a reduction over padding is found, one over a masked load is not", () => {
  const cases = [
    ["max", f32, f32, -Infinity, Float32Array],
    ["max", i32, i32, -2147483648, Int32Array],
    ["max", i8, i32, -128, Int8Array],
    ["max", bf16, f32, -Infinity, Bits],
    ["argmax", f32, i32, -Infinity, Float32Array],
    ["sum", f32, f32, 0, Float32Array],
    ["prod", i32, i32, 1, Int32Array]
  ] as const
  it.each(cases)("1: %s", async (op, dtype, widened, identity, Host) => {
    const args = { x: Host.from(negative) }
    const refs = { x: row(5, dtype), o: M.out(widened as any, [1]) }
    const fault = kernel(refs, function* ({ o, x }) {
      const v = yield* M.load(x) // 1: row
      yield* M.store(o, T[op](v)) // 1: reduced
    })
    await found(fault, args, padded(["1: row", "1: reduced"], { element: [5] }))
    const masked = kernel(refs, function* ({ o, x }) {
      yield* M.store(o, T[op](yield* M.load(x, { mask: inside(5), other: identity } as any)))
    })
    await silent(masked, args)
    const selected = kernel(refs, function* ({ o, x }) {
      yield* M.store(o, T[op](T.select(inside(5), yield* M.load(x), identity)))
    })
    await silent(selected, args)
  })
  it.each([
    ["min", u32, u32, 4294967295, Uint32Array],
    ["min", u8, u32, 255, Uint8Array],
    ["argmin", f32, i32, Infinity, Float32Array]
  ] as const)("4: %s of positive numbers", async (op, dtype, widened, identity, Host) => {
    const args = { x: Host.from([7, 3, 9]) }
    const refs = { x: row(3, dtype), o: M.out(widened as any, [1]) }
    const fault = kernel(refs, function* ({ o, x }) {
      yield* M.store(o, T[op](yield* M.load(x))) // 4: reduced
    })
    await found(fault, args, padded(["4: reduced", "4: reduced"], { element: [3] }))
    const masked = kernel(refs, function* ({ o, x }) {
      yield* M.store(o, T[op](yield* M.load(x, { mask: inside(3), other: identity } as any)))
    })
    await silent(masked, args)
  })
})

describe("the least of each column, in blocks of rows that do not divide them", () => {
  const least = (length: number, block: number, isMasked: boolean): Kernel.Any => {
    const blocks = Math.ceil(length / block)
    const refs = {
      x: M.in(f32, [length, 3], { block: [block, 3], index: (i: any) => [i, 0] } as any),
      o: M.out(f32, [blocks, 3], { block: [null, 3], index: (i: any) => [i, 0] } as any)
    }
    return kernel(
      refs,
      function* ({ o, x }) {
        const first = (yield* Control.programId(0)).mul(block)
        const isThere = T.iota(i32, [block, 1], 0).add(first).lt(length)
        const v = yield* M.load(x, (isMasked ? { mask: isThere, other: Infinity } : {}) as any) // 4: rows
        yield* M.store(o, T.min(v, { axis: 0 })) // 4: columns
      },
      { grid: [blocks] }
    )
  }
  it.each([
    [10, 4],
    [5, 4],
    [1, 8]
  ])("4: %i rows, %i at a time", async (length, block) => {
    const args = { x: Float32Array.from({ length: length * 3 }, (_, i) => 5 + ((i * 7) % 11)) }
    await found(least(length, block, false), args, padded(["4: rows", "4: columns"]))
    await silent(least(length, block, true), args)
  })
  it.each([
    [8, 4],
    [4, 4]
  ])("4: nothing is found where %i rows are cut into blocks of %i", async (length, block) => {
    const args = { x: Float32Array.from({ length: length * 3 }, (_, i) => 1 + i) }
    await silent(least(length, block, false), args)
  })
})

describe("padding is followed on its way", () => {
  const args = { x: Float32Array.from(negative) }
  const refs = { x: row(5), o: M.out(f32, [1]) }
  const scratch = { s: Scratch.workgroup(f32, [8]) }
  const ways: ReadonlyArray<readonly [string, (isMasked: boolean) => (refs: any) => Generator<any, void, any>]> = [
    [
      "through scratch",
      (isMasked) =>
        function* ({ o, s, x }) {
          yield* M.store(s, yield* M.load(x, options(isMasked))) // 1: read
          yield* M.store(o, T.max(yield* M.load(s))) // 1: kept
        }
    ],
    [
      "through scratch that is reversed and stored again",
      (isMasked) =>
        function* ({ o, s, x }) {
          yield* M.store(s, yield* M.load(x, options(isMasked))) // 1: read
          yield* M.store(s, T.flip(yield* M.swap(s, 0)))
          yield* M.store(o, T.max(yield* M.load(s))) // 1: kept
        }
    ],
    [
      "through storage in bf16 and bits",
      (isMasked) =>
        function* ({ b, o, x }) {
          yield* M.store(b, (yield* M.load(x, options(isMasked))).add(0)) // 1: read
          yield* M.store(o, T.bitcast(T.bitcast(T.max(yield* M.load(b)), i32), f32)) // 1: kept
        }
    ],
    [
      "through state and a loop",
      (isMasked) =>
        function* ({ o, x }) {
          const v = yield* M.load(x, options(isMasked)) // 1: read
          const { most } = yield* Control.runState({ most: T.of(f32, -Infinity) }, function* ({ most }: any) {
            yield* Control.forEach(0, 8, function* (i) {
              yield* M.store(most, T.max(T.take(v, i)).max(yield* M.load(most)))
            })
          } as any)
          yield* M.store(o, most) // 1: kept
        }
    ],
    [
      "through a branch and a scope",
      (isMasked) =>
        function* ({ o, x }) {
          const most = yield* Control.cond(
            (yield* Control.programId(0)).eq(0),
            function* () {
              return T.max(yield* M.load(x, options(isMasked))) // 1: read
            },
            function* () {
              return T.of(f32, 0)
            }
          )
          yield* Scratch.scoped(Scratch.register(f32, []), function* (own) {
            yield* M.store(own, most)
            yield* M.store(o, yield* M.load(own)) // 1: kept
          })
        }
    ]
  ]
  const options = (isMasked: boolean): any => (isMasked ? { mask: inside(5), other: -Infinity } : {})
  it.each(ways)("1: %s", async (_, body) => {
    const rest = { scratch: { ...scratch, b: Scratch.workgroup(bf16, [8]) } }
    await found(kernel(refs, body(false), rest), args, padded(["1: read", "1: kept"], { element: [5] }))
    await silent(kernel(refs, body(true), rest), args)
  })

  const views: ReadonlyArray<readonly [string, (x: any) => any, ReadonlyArray<number>, any]> = [
    ["reshaped", (x) => M.reshape(x, [2, 4]), [2, 4], (v: any) => T.reshape(v, [2, 4])],
    ["strided", (x) => M.at(x, [M.slice(0, 4, 2)]), [4], (v: any) => T.slice(v, { starts: [0], sizes: [4], strides: [2] })], // prettier-ignore
    ["gathered", (x) => M.at(x, [T.iota(i32, [3]).mul(3)]), [3], (v: any) => T.take(v, T.iota(i32, [3]).mul(3))],
    ["in tiles, transposed", (x) => M.transpose(M.tile(x, [4])), [4, 2], (v: any) => T.transpose(T.reshape(v, [2, 4]))] // prettier-ignore
  ]
  it.each(views)("1: in a view, %s", async (_, view, __, same) => {
    const fault = kernel(refs, function* ({ o, x }) {
      yield* M.store(o, T.max(yield* M.load(view(x)))) // 1: viewed
    })
    await found(fault, args, padded(["1: viewed", "1: viewed"]))
    const right = kernel(refs, function* ({ o, x }) {
      const v: any = yield* M.load(view(x), { mask: same(inside(5)), other: -Infinity } as any)
      yield* M.store(o, T.max(v))
    })
    await silent(right, args)
  })

  it("1: along both axes of a matrix, of which one may be padded", async () => {
    const of = (cols: number) =>
      kernel(
        {
          x: M.in(f32, [3, 5], { block: [2, 8], index: (i: any) => [i, 0] } as any),
          o: M.out(f32, [3], { block: [2], index: (i: any) => [i] } as any)
        },
        function* ({ o, x }) {
          const mask = T.iota(i32, [1, 8], 1).lt(cols)
          const v = yield* M.load(x, { mask, other: -Infinity } as any) // 1: matrix
          yield* M.store(o, T.max(v, { axis: 1 })) // 1: of rows
        },
        { grid: [2] }
      )
    const matrix = { x: Float32Array.from({ length: 15 }, (_, i) => -1 - i) }
    await found(of(6), matrix, padded(["1: matrix", "1: of rows"]))
    await silent(of(5), matrix)
  })
  it("1: in a softmax over padded keys", async () => {
    const softmax = (isMasked: boolean) =>
      kernel({ x: row(5), o: M.out(f32, [5], { block: [8], index: (i: any) => [i] } as any) }, function* ({ o, x }) {
        const v: any = yield* M.load(x, options(isMasked)) // 1: keys
        const e = v.sub(T.max(v)).exp()
        yield* M.store(o, e.div(T.sum(e))) // 1: weights
      })
    await found(softmax(false), args, padded(["1: keys", "1: weights"], { element: [5] }))
    await silent(softmax(true), args)
  })
  it("1: to a condition, and to an index, once", async () => {
    const first = { x: row(5), y: M.in(f32, [8]), o: M.inout(f32, [1]) }
    const given = { ...args, y: new Float32Array(8), o: Float32Array.of(0) }
    const condition = (isMasked: boolean) =>
      kernel(first, function* ({ o, x }) {
        const most = T.max(yield* M.load(x, options(isMasked))) // 1: read
        yield* Control.when(most.gt(-1), () => M.store(o, 1)) // 1: asked
      })
    await found(condition(false), given, padded(["1: read", "1: asked"], { like: { reaches: "condition" } }))
    await silent(condition(true), given)
    const index = (isMasked: boolean) =>
      kernel(first, function* ({ o, x, y }) {
        const place = T.argmax(yield* M.load(x, options(isMasked))) // 1: read
        yield* M.store(o, yield* M.load(M.at(y, [place]))) // 1: picked
      })
    await found(index(false), given, padded(["1: read", "1: picked"], { like: { reaches: "index" } }))
    await silent(index(true), given)
  })
  it("1: not where every store keeps it out", async () => {
    const mapped = kernel(
      { x: row(5), o: M.out(f32, [5], { block: [8], index: (i: any) => [i] } as any) },
      function* ({ o, x }) {
        yield* M.store(o, (yield* M.load(x)).mul(2) as any)
      }
    )
    await silent(mapped, args)
    const half = kernel({ x: row(5, f16), o: M.out(f16, [5]) }, function* ({ o, x }) {
      yield* M.store(M.at(o, [T.iota(i32, [8])]), yield* M.load(x), { mask: inside(5) } as any)
    })
    const x = DType.hostArray("f16", 5)
    negative.forEach((v, k) => (x[k] = v))
    await silent(half, { x })
  })
})
