import { Effect } from "effect"
import { Block, Control, Errors, f32, i32, Kernel, KernelError, MemRef, Tile } from "effect-kernels"
import { type Example, runIfMain, samples } from "./support/example.ts"

/** Sizes: `m` rows in `groups` groups, of which `local` have their matrix here; `tile` rows and columns at a time. */
export interface Sizes {
  readonly m: number
  readonly k: number
  readonly n: number
  readonly groups: number
  readonly local: number
  readonly tile: { readonly m: number; readonly n: number }
}
/** What the index maps look at: where each group starts (and the last one ends), and the first group that is here. */
type Known = { readonly starts: Block.Table; readonly groupOffset: Tile.I32 }

/** The `i`-th `size` rows of the `g`-th group that is here: as many as there are, so that no group reaches the next. */
const rows = ({ groupOffset, starts }: Known, g: Tile.I32, i: Tile.I32, size: number) => {
  const group = g.add(groupOffset)
  const from = starts.at(group).add(i.mul(size))
  return Block.span(from, starts.at(group.add(1)).sub(from))
}

/**
 * `o = x·w`, with another matrix `w[g]` for each group of rows; rows of groups that are not here stay as they are.
 *
 * With `transposed`, each matrix is given as its transpose.
 */
export const raggedMatmul = ({ groups, k, local, m, n, tile }: Sizes, { transposed = false } = {}) =>
  Kernel.make(
    "raggedMatmul",
    {
      grid: [local, Math.ceil(m / tile.m), Math.ceil(n / tile.n)],
      refs: {
        groupOffset: MemRef.scalar(i32),
        starts: MemRef.table(i32, [groups + 1]),
        x: MemRef.in(f32, [m, k], {
          block: [Block.bounded(tile.m), k],
          indexWith: (known: Known, g, i) => [rows(known, g, i, tile.m), 0]
        }),
        w: MemRef.in(f32, transposed ? [local, n, k] : [local, k, n], {
          block: transposed ? [null, tile.n, k] : [null, k, tile.n],
          index: (g, _, j) => (transposed ? [g, j, 0] : [g, 0, j])
        }),
        o: MemRef.inout(f32, [m, n], {
          block: [Block.bounded(tile.m), tile.n],
          indexWith: (known: Known, g, i, j) => [rows(known, g, i, tile.m), j]
        })
      }
    },
    function* ({ groupOffset, o, starts, w, x }) {
      const group = (yield* Control.programId(0)).add(groupOffset)
      const from = (yield* MemRef.load(MemRef.at(starts, [group]))).add((yield* Control.programId(1)).mul(tile.m))
      const end = yield* MemRef.load(MemRef.at(starts, [group.add(1)]))
      yield* Control.when(from.lt(end), function* () {
        const matrix = yield* MemRef.load(transposed ? MemRef.transpose(w) : w)
        yield* MemRef.store(o, Tile.dot(yield* MemRef.load(x), matrix))
      })
    }
  )

/** `o[g] = x[rows of g]ᵀ·y[rows of g]`, as the gradient of the matrices needs it; 0 for a group without rows. */
export const raggedGradient = ({ groups, k, local, m, n, tile }: Sizes) =>
  Kernel.make(
    "raggedGradient",
    {
      grid: [local, Math.ceil(n / tile.n), Kernel.sequential(Math.ceil(m / tile.m))],
      refs: {
        groupOffset: MemRef.scalar(i32),
        starts: MemRef.table(i32, [groups + 1]),
        x: MemRef.in(f32, [m, k], {
          block: [Block.bounded(tile.m), k],
          indexWith: (known: Known, g, _, i) => [rows(known, g, i, tile.m), 0]
        }),
        y: MemRef.in(f32, [m, n], {
          block: [Block.bounded(tile.m), tile.n],
          indexWith: (known: Known, g, j, i) => [rows(known, g, i, tile.m), j]
        }),
        o: MemRef.out(f32, [local, k, n], { block: [null, k, tile.n], index: (g, j) => [g, 0, j] })
      }
    },
    function* ({ groupOffset, o, starts, x, y }) {
      const step = yield* Control.programId(2)
      yield* Control.when(step.eq(0), () => MemRef.store(o, 0))
      const group = (yield* Control.programId(0)).add(groupOffset)
      const from = (yield* MemRef.load(MemRef.at(starts, [group]))).add(step.mul(tile.m))
      const end = yield* MemRef.load(MemRef.at(starts, [group.add(1)]))
      // What a block has behind the end of its group adds nothing.
      const inside = Tile.iota(i32, [tile.m]).add(from).lt(end)
      const columns = yield* MemRef.load(MemRef.transpose(x), { mask: Tile.expandDims(inside, 0) })
      const rows = yield* MemRef.load(y, { mask: Tile.expandDims(inside, 1) })
      yield* MemRef.accumulate(o, Tile.dot(columns, rows))
    }
  )

/** Where each group starts, and where the last one ends; fails if the sizes are not those of groups of `m` rows. */
export const startsOf = (sizes: Int32Array, m: number): Effect.Effect<Int32Array<ArrayBuffer>, KernelError> => {
  const refuse = (expected: string, actual: string) =>
    Effect.fail(
      new KernelError({
        kernel: "raggedMatmul",
        reason: new Errors.InvalidArgument({ ref: "groupSizes", expected, actual })
      })
    )
  const negative = sizes.findIndex((size) => size < 0)
  if (negative >= 0) return refuse("sizes of at least 0", `${sizes[negative]} for group ${negative}`)
  const starts = new Int32Array(sizes.length + 1)
  const total = sizes.reduce((at, size, g) => (starts[g + 1] = at + size), 0)
  return total === m ? Effect.succeed(starts) : refuse(`sizes that add up to ${m}`, `sizes that add up to ${total}`)
}

const sizes: Sizes = { m: 21, k: 12, n: 10, groups: 5, local: 3, tile: { m: 4, n: 8 } }
const groupSizes = Int32Array.of(4, 9, 0, 1, 7)
const groupOffset = 1
const { k, local, m, n } = sizes
const x = samples(m * k, 1)
const y = samples(m * n, 2)
const w = samples(local * k * n, 3)
const flipped = Float32Array.from({ length: w.length }, (_, at) => {
  const [g, j, l] = [Math.floor(at / (n * k)), Math.floor(at / k) % n, at % k]
  return w[(g * k + l) * n + j]!
})

const product = new Float32Array(m * n)
const gradient = new Float32Array(local * k * n)
const groupOf = Array.from(groupSizes).flatMap((size, g) => new Array<number>(size).fill(g))
for (let row = 0; row < m; row++) {
  const g = groupOf[row]! - groupOffset
  if (g < 0 || g >= local) continue
  for (let l = 0; l < k; l++)
    for (let j = 0; j < n; j++) {
      product[row * n + j]! += x[row * k + l]! * w[(g * k + l) * n + j]!
      gradient[(g * k + l) * n + j]! += x[row * k + l]! * y[row * n + j]!
    }
}

export const example: Example = {
  name: "ragged matmul",
  about: "a matrix for each group of rows: bounded blocks whose start and length come from a table",
  main: Effect.gen(function* () {
    const starts = yield* startsOf(groupSizes, m)
    const rest = { groupOffset, starts, x, o: new Float32Array(m * n) }
    const { o } = yield* Kernel.run(raggedMatmul(sizes), { ...rest, w })
    const same = yield* Kernel.run(raggedMatmul(sizes, { transposed: true }), { ...rest, w: flipped })
    const dw = yield* Kernel.run(raggedGradient(sizes), { groupOffset, starts, x, y })
    return { o, transposed: same.o, gradient: dw.o }
  }),
  expected: { o: product, transposed: product, gradient },
  tolerance: 0
}
runIfMain(import.meta.url, example)
