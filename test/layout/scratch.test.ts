/** Scratch with a layout: every access goes to the cells that the layout says, and no result tells. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import {
  Atomic,
  bool,
  Control,
  type DType,
  f16,
  f32,
  i32,
  Inline,
  Kernel,
  MemRef,
  Scratch,
  Tile,
  u32
} from "../../src/index.ts"
import * as Hosts from "../../src/DType.ts"
import { interpreters } from "../support/interpreters.ts"
import { onEach, results } from "../support/kernels.ts"

const range = (n: number) => Array.from({ length: n }, (_, k) => k)
const [m, n] = [8, 32]
/** All swizzles, and tilings that they fit: that every placement is a permutation is another test's. */
const layouts: ReadonlyArray<Scratch.Layout> = [
  {},
  { swizzle: 128 },
  { tiling: [4] },
  { tiling: [4, 8], swizzle: 32 },
  { tiling: [2, 16], swizzle: 64 },
  { tiling: [8, 32], swizzle: 128 }
]

/** The transpose through scratch of each layout, and a product with it. */
const through = (dtype: DType.DType<DType.Name>): Kernel.Any => {
  const product = dtype.name === "f16" ? f32 : dtype
  const scratch = Object.fromEntries(layouts.map((layout, k) => [`s${k}`, Scratch.workgroup(dtype, [m, n], layout)]))
  const refs = {
    x: MemRef.in(dtype, [m, n]),
    t: MemRef.out(dtype, [layouts.length, n, m]),
    p: MemRef.out(product, [layouts.length, m, m])
  }
  return Kernel.make("through", { grid: [1], refs, scratch }, function* (all): Generator<any, void, any> {
    const { p, t, x } = all as any
    for (const k of layouts.keys()) {
      const s = (all as any)[`s${k}`] as MemRef.Any
      yield* MemRef.store(s as any, yield* MemRef.load(x))
      const turned = yield* MemRef.load(MemRef.transpose(s as any))
      yield* MemRef.store(MemRef.at(t, [k]), turned as any)
      if (dtype.name !== "bool")
        yield* MemRef.store(MemRef.at(p, [k]), Tile.dot((yield* MemRef.load(s)) as any, turned as any) as any)
    }
  }) as any
}

const dtypes: ReadonlyArray<DType.DType<DType.Compute>> = [f32, i32, u32, f16, bool]
describe.each(dtypes)("scratch of $name", (dtype) => {
  it("gives the transpose and the product that plain scratch gives, bit for bit, with any layout", async () => {
    const value = (k: number) => ((k * 7919) % 1009) / (dtype.name[0] === "f" ? 16 : 1)
    const x = Hosts.hostArray(dtype.name, m * n)
    range(m * n).forEach((k) => (x[k] = dtype.name === "bool" ? Number(k % 3 === 1) : value(k)))
    const transposed = range(m * n).map((k) => x[(k % m) * n + Math.floor(k / m)]!)
    for (const subject of interpreters) {
      const { p, t } = await results(through(dtype), { x }, subject)
      const product = (k: number) => Array.from(p!).slice(k * m * m, (k + 1) * m * m)
      for (const [k, layout] of layouts.entries()) {
        const what = `${JSON.stringify(layout)} on ${subject.name}`
        expect(Array.from(t!).slice(k * m * n, (k + 1) * m * n), what).toEqual(transposed)
        expect(product(k), what).toEqual(product(0))
      }
    }
  })
})

const addOne = Inline.block("addOne", {
  operands: { r: Inline.readwrite(i32, [8]) },
  results: {},
  wgsl: "for (var k = i32(lane); k < 8; k += i32(lanes)) { r_store(k, r_load(k) + 1); }",
  discharge: function* ({ r }) {
    yield* MemRef.store(r, (yield* MemRef.load(r)).add(1))
    return {}
  }
})
/** Every way to reach scratch, through views of several kinds; `o` gets what it holds in the end. */
const everyWay = (layout: Scratch.Layout) =>
  Kernel.make(
    "everyWay",
    {
      grid: [2],
      refs: {
        x: MemRef.in(i32, [8, 32]),
        few: MemRef.in(i32, [20]),
        o: MemRef.out(i32, [2, 8, 32], { block: [null, 8, 32], index: (p) => [p, 0, 0] }),
        old: MemRef.out(i32, [2, 20], { block: [null, 20], index: (p) => [p, 0] })
      },
      scratch: { s: Scratch.workgroup(i32, [8, 32], layout) }
    },
    function* ({ few, o, old, s, x }) {
      const at = yield* MemRef.load(few)
      yield* MemRef.store(s, yield* MemRef.load(x))
      yield* MemRef.accumulate(MemRef.at(s, [MemRef.slice(0, 4, 2), MemRef.slice(3, 5, 6)]), Tile.iota(i32, [4, 5]))
      yield* MemRef.accumulate(MemRef.at(s, [at, 3]), at)
      yield* MemRef.store(MemRef.reshape(MemRef.transpose(s), [16, 16]), Tile.iota(i32, [16, 16], 1), {
        mask: Tile.iota(i32, [16, 16]).rem(3).eq(1)
      })
      const before = yield* MemRef.swap(MemRef.at(s, [5, MemRef.slice(6, 20)]), at.mul(100))
      yield* addOne({ r: MemRef.at(s, [MemRef.all, 31]) })
      const seen = yield* Atomic.compareExchange(MemRef.at(s, [1, at]), 5, 77)
      yield* Control.forEach(0, 3, function* (k) {
        yield* MemRef.accumulate(MemRef.at(s, [k, MemRef.slice(k, 8)]), k.add(1))
      })
      yield* MemRef.store(old, before.add(seen.mul(1000)))
      yield* MemRef.store(o, yield* MemRef.load(s))
    }
  )
const plainWays = (x: Int32Array, few: Int32Array) => {
  const s = x.slice()
  range(4).forEach((r) => range(5).forEach((c) => (s[2 * r * 32 + 3 + 6 * c]! += r)))
  few.forEach((v) => (s[v * 32 + 3]! += v))
  range(256).forEach((k) => {
    if (Math.floor(k / 16) % 3 === 1) s[(k % 8) * 32 + Math.floor(k / 8)] = k % 16
  })
  const old = range(20).map((k) => s[5 * 32 + 6 + k]!)
  few.forEach((v, k) => (s[5 * 32 + 6 + k] = v * 100))
  range(8).forEach((r) => s[r * 32 + 31]!++)
  few.forEach((v, k) => {
    old[k]! += 1000 * s[32 + v]!
    if (s[32 + v] === 5) s[32 + v] = 77
  })
  range(3).forEach((r) => range(8).forEach((c) => (s[r * 32 + r + c]! += r + 1)))
  return { o: [...s, ...s], old: [...old, ...old] }
}

describe("loads, stores, masks, swaps, accumulations, atomics and inlines", () => {
  const x = Int32Array.from(range(256), (k) => (k * 37) % 101)
  x.set([5, 5, 9, 5, 1, 5, 5, 5], 32)
  // Cells that several elements compare are all 5, or none is.
  const few = Int32Array.from(range(20), (k) => (k * 3) % 8)
  const tried: ReadonlyArray<Scratch.Layout> = [{ swizzle: 128 }, { tiling: [2, 8], swizzle: 32 }]
  it.each(tried)("reach the same elements through %j", async (layout) => {
    await onEach(everyWay(layout), { x, few }, plainWays(x, few))
  })
})

describe("the WGSL of scratch with a layout", () => {
  const wgsl = (layout: Scratch.Layout) =>
    Effect.runPromise(
      Kernel.wgsl(
        Kernel.make(
          "placed",
          {
            grid: [1],
            refs: { x: MemRef.in(f32, [16, 32]), o: MemRef.out(f32, [32, 16]) },
            scratch: { s: Scratch.workgroup(f32, [16, 32], layout) }
          },
          function* ({ o, s, x }) {
            yield* MemRef.store(s, yield* MemRef.load(x))
            yield* MemRef.store(o, yield* MemRef.load(MemRef.transpose(s)))
          }
        )
      )
    )
  it("computes where an element lies from its row-major position, in one function that every access calls", async () => {
    const code = await wgsl({ tiling: [8, 16], swizzle: 64 })
    expect(code).toContain(`fn ek_at_s(index: i32) -> i32 {
  let i = u32(index);
  let word = (((((i / 32u) / 8u) * 256u) + (((i % 32u) / 16u) * 128u)) + (((i / 32u) % 8u) * 16u)) + ((i % 32u) % 16u);
  return i32(word ^ (((word / 32u) % 4u) * 4u));
}`)
    expect(code.match(/\bs\[[^\]]*\]/g)).toEqual(["s[ek_at_s(el)]", "s[ek_at_s(((el % 16) * 32) + (el / 16))]"])
  })
  it("needs no tiling for a swizzle, and has no function without a layout", async () => {
    expect(await wgsl({ swizzle: 128 })).toContain(`fn ek_at_s(index: i32) -> i32 {
  let i = u32(index);
  return i32(i ^ (((i / 32u) % 8u) * 4u));
}`)
    expect(await wgsl({})).not.toContain("ek_at_")
  })
})

describe("scratch that is not in workgroup memory", () => {
  it("has no layout in registers, and none in a buffer", async () => {
    const k = Kernel.make(
      "elsewhere",
      {
        grid: [2],
        refs: { o: MemRef.out(f32, [2, 40, 128], { block: [null, 40, 128], index: (p) => [p, 0, 0] }) },
        scratch: {
          large: Scratch.workgroup(f32, [128, 40], { tiling: [16, 8], swizzle: 32 }),
          own: Scratch.workgroup(f32, [2, 8], { swizzle: 32 }),
          none: Scratch.workgroup(f32, [0, 8], { swizzle: 32 })
        }
      },
      function* ({ large, none, o, own }) {
        yield* MemRef.store(large, Tile.iota(f32, [128, 40]).add(0.5))
        yield* MemRef.store(own, 1)
        yield* MemRef.accumulate(MemRef.at(large, [MemRef.slice(0, 2), MemRef.slice(0, 8)]), yield* MemRef.load(own))
        yield* MemRef.accumulate(MemRef.at(none, [":", MemRef.slice(0, 8)]), 1)
        yield* MemRef.store(o, yield* MemRef.load(MemRef.transpose(large)))
      }
    )
    expect(await Effect.runPromise(Kernel.wgsl(k))).not.toContain("ek_at_")
    const o = range(40 * 128).map((k) => {
      const [c, r] = [Math.floor(k / 128), k % 128]
      return r + 0.5 + (r < 2 && c < 8 ? 1 : 0)
    })
    await onEach(k, {}, { o: [...o, ...o] })
  })
})
