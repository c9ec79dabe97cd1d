/**
 * The kernels of the demo, each a family over the size of the picture. A program instance makes one block of `rows` by
 * `columns` pixels. Blocks at the right and lower edge may stand out over the picture, where reads give 0 and writes are
 * dropped.
 */
import { Effect } from "effect"
import { Block, Control, f32, i32, Inline, Kernel, MemRef, Scratch, type Shape, Tile, u32 } from "effect-kernels"

const rows = 16
const columns = 64
const levels = 256

const gridOver = (height: number, width: number) => [Math.ceil(height / rows), Math.ceil(width / columns)] as const
/** Blocks side by side. */
const blocked = { block: [rows, columns], index: (i: Tile.I32, j: Tile.I32) => [i, j] } as const
/** Blocks that reach `margin` pixels further on each side, and so overlap. */
const overlapping = (margin: number) => {
  const pad = [margin, margin] as const
  return {
    block: [Block.element(rows + 2 * margin, { pad }), Block.element(columns + 2 * margin, { pad })],
    index: (i: Tile.I32, j: Tile.I32) => [i.mul(rows), j.mul(columns)]
  } as const
}

/** Where the pixels of this program's block are in the picture. */
const positions = Effect.gen(function* () {
  const top = (yield* Control.programId(0)).mul(rows)
  const left = (yield* Control.programId(1)).mul(columns)
  return { row: Tile.iota(i32, [rows, 1]).add(top), column: Tile.iota(i32, [1, columns], 1).add(left) }
})

type Grey = Tile.Tile<"f32", Shape.Shape>
/** Sum of tiles of one shape, each times its weight. */
const weighted = (tiles: ReadonlyArray<Grey>, weights: ReadonlyArray<number>): Grey =>
  tiles.map((tile, k) => tile.mul(weights[k]!)).reduce((sum, term) => sum.add(term))

/** Brightness, from 0 to 255, of pixels that hold red, green and blue in their lowest three bytes. */
export const greyscale = (height: number, width: number) =>
  Kernel.make(
    "greyscale",
    {
      grid: gridOver(height, width),
      refs: { pixels: MemRef.in(u32, [height, width], blocked), grey: MemRef.out(f32, [height, width], blocked) }
    },
    function* ({ grey, pixels }) {
      const pixel = yield* MemRef.load(pixels)
      const channel = (shift: number) => pixel.shr(shift).and(255).convert(f32)
      yield* MemRef.store(grey, weighted([channel(0), channel(8), channel(16)], [0.299, 0.587, 0.114]))
    }
  )

const radius = 4
const sigma = 2
const bell = Array.from({ length: 2 * radius + 1 }, (_, k) => Math.exp(-((k - radius) ** 2) / (2 * sigma ** 2)))
const taps = bell.map((b) => b / bell.reduce((x, y) => x + y))

/** How much of the bell around each position lies between 0 and `size`. */
const share = (position: Tile.Tile<"i32", Shape.Shape>, size: number): Grey => {
  const inside = taps.map((_, k) => position.add(k - radius)).map((p) => p.ge(0).and(p.lt(size)).convert(f32))
  return weighted(inside, taps)
}

/** Gaussian blur, first down the columns, then along the rows; at the edges the mean of what is there. */
export const blur = (height: number, width: number) =>
  Kernel.make(
    "blur",
    {
      grid: gridOver(height, width),
      refs: { x: MemRef.in(f32, [height, width], overlapping(radius)), o: MemRef.out(f32, [height, width], blocked) },
      scratch: { down: Scratch.workgroup(f32, [rows, columns + 2 * radius]) }
    },
    function* ({ down, o, x }) {
      const above = yield* Effect.forEach(taps, (_, k) => MemRef.load(MemRef.at(x, [MemRef.slice(k, rows)])))
      yield* MemRef.store(down, weighted(above, taps))
      const beside = yield* Effect.forEach(taps, (_, k) =>
        MemRef.load(MemRef.at(down, [MemRef.all, MemRef.slice(k, columns)]))
      )
      const { column, row } = yield* positions
      yield* MemRef.store(o, weighted(beside, taps).div(share(row, height)).div(share(column, width)))
    }
  )

/** Length of the gradient by Sobel's operator, at most 255; 0 at the edges, where there is no gradient. */
export const sobel = (height: number, width: number) =>
  Kernel.make(
    "sobel",
    {
      grid: gridOver(height, width),
      refs: { x: MemRef.in(f32, [height, width], overlapping(1)), o: MemRef.out(f32, [height, width], blocked) }
    },
    function* ({ o, x }) {
      const pixel = (i: number, j: number) =>
        MemRef.load(MemRef.at(x, [MemRef.slice(i, rows), MemRef.slice(j, columns)]))
      const across = []
      const down = []
      for (const k of [0, 1, 2]) {
        across.push((yield* pixel(k, 2)).sub(yield* pixel(k, 0)))
        down.push((yield* pixel(2, k)).sub(yield* pixel(0, k)))
      }
      const [gx, gy] = [weighted(across, [1, 2, 1]), weighted(down, [1, 2, 1])]
      const { column, row } = yield* positions
      const mask = row
        .gt(0)
        .and(row.lt(height - 1))
        .and(column.gt(0))
        .and(column.lt(width - 1))
      yield* MemRef.store(o, gx.mul(gx).add(gy.mul(gy)).sqrt().min(255), { mask })
    }
  )

const levelOf = (grey: Grey) => grey.clamp(0, levels - 1).convert(i32)

/** How many pixels have each level of grey; the program instances add into the same bins. */
export const histogram = (height: number, width: number) =>
  Kernel.make(
    "histogram",
    {
      grid: gridOver(height, width),
      refs: { x: MemRef.in(f32, [height, width], blocked), bins: MemRef.out(i32, [levels]) }
    },
    function* ({ bins, x }) {
      const level = levelOf(yield* MemRef.load(x))
      const { column, row } = yield* positions
      const mask = row.lt(height).and(column.lt(width))
      yield* MemRef.accumulate(MemRef.at(bins, [level]), 1, { mask })
    }
  )

/** From a histogram, the new level of each level, so that all levels become equally frequent. */
export const equalisation = Kernel.make(
  "equalisation",
  { grid: [1], refs: { bins: MemRef.in(i32, [levels]), table: MemRef.out(f32, [levels]) } },
  function* ({ bins, table }) {
    const count = yield* MemRef.load(bins)
    const upTo = Tile.cumsum(count)
    const darkest = Tile.min(count.gt(0).select(upTo, 2 ** 31 - 1))
    const others = Tile.sum(count).sub(darkest).max(1)
    yield* MemRef.store(table, upTo.sub(darkest).max(0).convert(f32).mul(255).div(others.convert(f32)))
  }
)

/** Replaces each level by what the table says. */
export const equalise = (height: number, width: number) =>
  Kernel.make(
    "equalise",
    {
      grid: gridOver(height, width),
      refs: {
        x: MemRef.in(f32, [height, width], blocked),
        table: MemRef.in(f32, [levels]),
        o: MemRef.out(f32, [height, width], blocked)
      }
    },
    function* ({ o, table, x }) {
      yield* MemRef.store(o, Tile.take(yield* MemRef.load(table), levelOf(yield* MemRef.load(x))))
    }
  )

/** An S-shaped curve, written in WGSL and without a discharge rule: only a GPU can run it. */
export const curve = Inline.elementwise("curve", {
  args: { x: f32 },
  result: f32,
  wgsl: "return 255.0 / (1.0 + exp((127.5 - x) / 32.0));"
})

/** More contrast, by the inline curve. */
export const contrast = (height: number, width: number) =>
  Kernel.make(
    "contrast",
    {
      grid: gridOver(height, width),
      refs: { x: MemRef.in(f32, [height, width], blocked), o: MemRef.out(f32, [height, width], blocked) }
    },
    function* ({ o, x }) {
      yield* MemRef.store(o, yield* curve(yield* MemRef.load(x)))
    }
  )
