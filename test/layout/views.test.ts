/** Views and chains of views: each reads, writes, adds, swaps and takes atomics, on refs, blocks and scratch. */
import { describe, it } from "vitest"
import { Atomic, type DType, f32, i32, Kernel, MemRef, Scratch, Tile, u32 } from "../../src/index.ts"
import { onEach, refused, single } from "../support/kernels.ts"

const range = (n: number) => Array.from({ length: n }, (_, k) => k)
const size = (shape: ReadonlyArray<number>) => shape.reduce((a, b) => a * b, 1)

/** What a view shows: for each element its cell of the ref, or -1 outside. */
interface Shown {
  readonly shape: ReadonlyArray<number>
  readonly cells: ReadonlyArray<number>
}
const coordinates = (shape: ReadonlyArray<number>, k: number) =>
  shape.map((n, d) => Math.floor(k / size(shape.slice(d + 1))) % n)
const cellAt = (v: Shown, coords: ReadonlyArray<number>): number =>
  coords.some((c, d) => c < 0 || c >= v.shape[d]!) ? -1 : v.cells[coords.reduce((at, c, d) => at * v.shape[d]! + c, 0)]!
const from = (
  shape: ReadonlyArray<number>,
  v: Shown,
  of: (c: ReadonlyArray<number>) => ReadonlyArray<number>
): Shown => ({
  shape,
  cells: range(size(shape)).map((k) => cellAt(v, of(coordinates(shape, k))))
})
const whole = (shape: ReadonlyArray<number>): Shown => ({ shape, cells: range(size(shape)) })
/** Each axis at these positions. */
const box = (v: Shown, ...at: ReadonlyArray<ReadonlyArray<number>>): Shown =>
  from(
    at.map((p) => p.length),
    v,
    (c) => c.map((k, d) => at[d]![k]!)
  )
const reshape = (v: Shown, shape: ReadonlyArray<number>): Shown => ({ ...v, shape })
const transpose = (v: Shown, perm: ReadonlyArray<number>): Shown =>
  from(
    perm.map((p) => v.shape[p]!),
    v,
    (c) => v.shape.map((_, d) => c[perm.indexOf(d)]!)
  )
const step = (start: number, n: number, stride = 1) => range(n).map((k) => start + k * stride)

/** A mask, a value per element, and others, for the operations that are tried one after the other. */
const wanted = (k: number) => k % 3 !== 1
const added = (k: number) => k + 1
const swapped = (k: number) => 1000 + k
const raised = (k: number) => 1010 - k
const stored = (k: number) => -k
/** What they make of the words, and what they find. */
const tried = (words: Int32Array, { cells }: Shown) => {
  const found: Array<Array<number>> = []
  const each = (of: (cell: number, k: number) => void) => cells.forEach((cell, k) => cell >= 0 && of(cell, k))
  const read = (other: number) => cells.map((cell, k) => (!wanted(k) ? other : cell < 0 ? 0 : words[cell]!))
  found.push(read(-7))
  each((cell, k) => wanted(k) && (words[cell]! += added(k)))
  found.push(cells.map((cell) => (cell < 0 ? 0 : words[cell]!)))
  each((cell, k) => (words[cell] = swapped(k)))
  found.push(read(0))
  each((cell, k) => wanted(k) && (words[cell] = Math.max(words[cell]!, raised(k))))
  found.push(cells.map((cell) => (cell < 0 ? 0 : words[cell]!)))
  each((cell) => words[cell] === 1001 && (words[cell] = 5))
  each((cell, k) => wanted(k + 1) && (words[cell] = stored(k)))
  return found
}
const operations = function* (view: MemRef.MemRef<any, "i32", any, "inout">): Generator<any, ReadonlyArray<any>, any> {
  const { shape } = view as { shape: ReadonlyArray<number> }
  const linear = Tile.reshape(Tile.iota(i32, [size(shape)]), shape) as Tile.Tile<"i32", any>
  const mask = linear.rem(3).ne(1) as any
  const found: Array<unknown> = [yield* MemRef.load(view, { mask, other: -7 })]
  yield* MemRef.accumulate(view, linear.add(1), { mask })
  found.push(yield* MemRef.swap(view, linear.add(1000)))
  found.push(yield* Atomic.max(view, linear.neg().add(1010), { mask }))
  found.push(yield* Atomic.compareExchange(view, 1001, 5))
  yield* MemRef.store(view, linear.neg(), { mask: linear.add(1).rem(3).ne(1) as any })
  return found
}

interface Case {
  readonly dtype: DType.DType<"f32" | "i32">
  readonly view: (ref: any, at: Tile.Tile<"i32", [3]>, start: Tile.I32) => MemRef.MemRef<any, "i32", any, "inout">
  readonly shown: (ref: Shown) => Shown
}
/** Rows that are gathered, and a start that only the run knows. */
const rows = [6, 0, 5]
const start = 4
const base = [8, 12]
const cases: { readonly [what: string]: Case } = {
  "a strided slice, reshaped and transposed": {
    dtype: i32,
    view: (r) =>
      MemRef.transpose(MemRef.reshape(MemRef.at(r, [MemRef.slice(1, 3, 2), MemRef.slice(0, 6, 2)]), [9, 2])) as any,
    shown: (r) => transpose(reshape(box(r, step(1, 3, 2), step(0, 6, 2)), [9, 2]), [1, 0])
  },
  "floats as u32, flat, every other one, as i32, in rows": {
    dtype: f32,
    view: (r) => {
      const flat = MemRef.reshape(MemRef.bitcast(r, u32), [96])
      return MemRef.reshape(MemRef.bitcast(MemRef.at(flat, [MemRef.slice(5, 40, 2)]), i32), [4, 10]) as any
    },
    shown: (r) => reshape(box(reshape(r, [96]), step(5, 40, 2)), [4, 10])
  },
  "gathered rows of floats, reshaped, beyond the end of an axis, as i32": {
    dtype: f32,
    view: (r: MemRef.MemRef<"r", "f32", [8, 12], "inout">, at, first) => {
      const part = MemRef.at(MemRef.reshape(MemRef.at(r, [at]), [6, 6]), [":", MemRef.slice(first, 3)])
      return MemRef.bitcast(part, i32)
    },
    shown: (r) => box(reshape(box(r, rows, step(0, 12)), [6, 6]), step(0, 6), step(start, 3))
  },
  "a slice beyond the end, reshaped, transposed and sliced": {
    dtype: i32,
    view: (r, _, first) => {
      const slice = MemRef.at(r, [MemRef.slice(first, 6), MemRef.slice(first, 6, 2)])
      return MemRef.at(MemRef.transpose(MemRef.reshape(slice, [4, 3, 3]), [2, 0, 1]), [
        ":",
        MemRef.slice(1, 2),
        2
      ]) as any
    },
    shown: (r) => {
      const slice = reshape(box(r, step(start, 6), step(start, 6, 2)), [4, 3, 3])
      const part = box(transpose(slice, [2, 0, 1]), step(0, 3), step(1, 2), [2])
      return reshape(part, [3, 2])
    }
  },
  "tiles, a row of them": {
    dtype: i32,
    view: (r) => MemRef.at(MemRef.tile(r, [4, 6]) as any, [":", 1, MemRef.slice(0, 2, 2)] as any) as any,
    shown: (r) => {
      const tiles = transpose(reshape(r, [2, 4, 2, 6]), [0, 2, 1, 3])
      return reshape(box(tiles, [0, 1], [1], [0, 2], step(0, 6)), [2, 2, 6])
    }
  },
  "tiles of gathered numbers, bit-cast": {
    dtype: f32,
    view: (r, at) => MemRef.at(MemRef.tile(MemRef.bitcast(r, i32), [3]) as any, [at, 2] as any) as any,
    shown: (r) => reshape(box(reshape(r, [8, 4, 3]), rows, [2], [0, 1, 2]), [3, 3])
  },
  "an array that lies in tiles": {
    dtype: i32,
    view: (r) =>
      MemRef.at(MemRef.untile(MemRef.reshape(r, [2, 3, 4, 4])), [MemRef.slice(1, 5), MemRef.slice(2, 9)]) as any,
    shown: (r) => box(reshape(transpose(reshape(r, [2, 3, 4, 4]), [0, 2, 1, 3]), [8, 12]), step(1, 5), step(2, 9))
  },
  "tiles put together again": {
    dtype: f32,
    view: (r) => MemRef.bitcast(MemRef.untile(MemRef.tile(MemRef.bitcast(r, u32), [2, 3])), i32) as any,
    shown: (r) => r
  },
  "a squeezed and a dropped axis": {
    dtype: i32,
    view: (r) => MemRef.at(MemRef.squeeze(MemRef.reshape(r, [8, 1, 3, 4, 1])), [":", -1]) as any,
    shown: (r) => reshape(box(reshape(r, [8, 3, 4]), step(0, 8), [2], step(0, 4)), [8, 4])
  }
}
/** Words of the array, which are no ordinary numbers as floats. */
const words = Int32Array.from(range(96), (k) => (k * 37) % 101)
const hostOf = (dtype: string, of: Int32Array) => (dtype === "f32" ? new Float32Array(of.slice().buffer) : of.slice())

describe.each(Object.entries(cases))("%s", (_, { dtype, shown, view }) => {
  const seen = shown(whole(base))
  const refs = {
    r: MemRef.inout(i32, base),
    at: MemRef.in(i32, [3]),
    first: MemRef.scalar(i32),
    ...Object.fromEntries(range(4).map((k) => [`o${k}`, MemRef.out(i32, seen.shape)]))
  }
  const expected = () => {
    const after = words.slice()
    const found = tried(after, seen)
    return { r: after, ...Object.fromEntries(found.map((values, k) => [`o${k}`, values])) }
  }
  const args = { r: words, at: Int32Array.from(rows), first: start }
  const outlets = function* (all: any, found: ReadonlyArray<any>): Generator<any, void, any> {
    for (const [k, tile] of found.entries()) yield* MemRef.store(all[`o${k}`], tile)
  }
  it("is read, written, added to, swapped and changed atomically in a ref", async () => {
    const own = { ...refs, r: MemRef.inout(dtype, base), bits: MemRef.out(i32, base) }
    const k = Kernel.make("ref", { grid: [1], refs: own }, function* (all: any): Generator<any, void, any> {
      yield* outlets(all, yield* operations(view(all.r, yield* MemRef.load(all.at as MemRef.Any) as any, all.first)))
      yield* MemRef.store(all.bits, yield* MemRef.load(dtype === i32 ? all.r : MemRef.bitcast(all.r, i32)))
    } as any)
    const { r, ...found } = expected()
    await onEach(k as any, { ...args, r: hostOf(dtype.name, words) }, { ...found, bits: r })
  })
  it("and in scratch, whose layout does not matter", async () => {
    const scratch = { s: Scratch.workgroup(dtype, base, { tiling: [2, 4] }) }
    const k = Kernel.make("scratch", { grid: [1], refs, scratch }, function* (all: any): Generator<any, void, any> {
      const s = dtype === i32 ? all.s : MemRef.bitcast(all.s, i32)
      yield* MemRef.store(s, yield* MemRef.load(all.r as MemRef.Any) as any)
      yield* outlets(all, yield* operations(view(all.s, yield* MemRef.load(all.at as MemRef.Any) as any, all.first)))
      yield* MemRef.store(all.r, yield* MemRef.load(s as MemRef.Any) as any)
    } as any)
    await onEach(k as any, args, expected())
  })
})

describe("a view of a padded block", () => {
  it("reads 0 and drops what is written outside the array, through a reshape of its transpose", async () => {
    const block = { block: [3, 5], index: (i: Tile.I32, j: Tile.I32) => [i, j] } as const
    const grid = [3, 3] as const
    const outlet = { block: [null, null, 7], index: (i: Tile.I32, j: Tile.I32) => [i, j, 0] } as const
    const outs = Object.fromEntries(range(4).map((k) => [`o${k}`, MemRef.out(i32, [3, 3, 7], outlet as any)]))
    const refs = { r: MemRef.inout(i32, [8, 12], block as any), ...outs }
    const k = Kernel.make("padded", { grid, refs }, function* (all: any): Generator<any, void, any> {
      const flat = MemRef.reshape(MemRef.transpose(all.r), [15])
      const found = yield* operations(MemRef.at(flat, [MemRef.slice(1, 7, 2)]) as any)
      for (const [n, tile] of found.entries()) yield* MemRef.store(all[`o${n}`], tile)
    } as any)
    const r = words.slice()
    const found = range(9).map((p) => {
      const [i, j] = [Math.floor(p / 3), p % 3]
      const part = box(whole([8, 12]), step(3 * i, 3), step(5 * j, 5))
      return tried(r, box(reshape(transpose(part, [1, 0]), [15]), step(1, 7, 2)))
    })
    const o = Object.fromEntries(range(4).map((n) => [`o${n}`, found.flatMap((f) => f[n]!)]))
    await onEach(k as any, { r: words }, { r, ...o })
  })
})

describe("tiles", () => {
  const x = { x: MemRef.inout(f32, [8, 10]) }
  const refuses = (says: string, view: (ref: any) => unknown) =>
    refused(
      "InvalidIndex",
      single(x, function* (r) {
        view(r.x)
      }) as any,
      { x: new Float32Array(80) },
      { says: ['index of "x" of shape [8, 10]', says] }
    )
  it("that do not divide are refused with the ref, the axis and the sizes", async () => {
    await refuses("axis 1 of the ref has size 10, which tiles of 4 do not divide", (r) => MemRef.tile(r, [4, 4]))
    await refuses("axis 0 of the ref has size 8, which tiles of 3 do not divide", (r) => MemRef.tile(r, [3, 5]))
    await refuses("the ref has 2 axes and a tiling of 3", (r) => MemRef.tile(r, [1, 2, 2]))
    await refuses("the ref has the tiling 0", (r) => MemRef.tile(r, [0]))
  })
  it("cannot be put together where there are none", async () => {
    await refuses("2 tiled axes of 2", (r) => MemRef.untile(r))
    await refuses("-1 tiled axes of 2", (r) => MemRef.untile(r, -1))
  })
  it("of no axes are the ref", async () => {
    const k = single({ x: MemRef.in(i32, [2]), o: MemRef.out(i32, [2]) }, function* ({ o, x }) {
      yield* MemRef.store(MemRef.untile(MemRef.tile(o, []), 0), yield* MemRef.load(x))
    })
    await onEach(k, { x: Int32Array.of(3, 4) }, { o: [3, 4] })
  })
})
