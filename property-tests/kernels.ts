/** Kernels written by hand, each with the effects that its type has. */
import { bool, Control, type Effects, f32, i32, Inline, Kernel, MemRef, Scratch, Tile } from "effect-kernels"

type Names<K extends Kernel.Any> = Effects.NameOf<Kernel.Effects<K>>
/** A kernel with arguments, and the names of the effects in its type; a name that is not in the type does not compile. */
const entry = <K extends Kernel.Any>(
  kernel: K,
  args: { readonly [ref: string]: unknown },
  typed: ReadonlyArray<Names<K>>
) => ({ kernel: kernel as unknown as Kernel.Dynamic, args, typed: typed as ReadonlyArray<string> })

const rows = { block: [4] as const, index: (i: Tile.I32) => [i] as const }

const saxpy = Kernel.make(
  "saxpy",
  { grid: [3], refs: { a: MemRef.scalar(f32), x: MemRef.in(f32, [11], rows), y: MemRef.inout(f32, [11], rows) } },
  function* ({ a, x, y }) {
    const v = yield* MemRef.load(x)
    yield* MemRef.store(y, v.mul(a).add(yield* MemRef.load(y)))
  }
)

const histogram = Kernel.make(
  "histogram",
  { grid: [3], refs: { x: MemRef.in(i32, [12], rows), o: MemRef.out(i32, [8]) } },
  function* ({ o, x }) {
    yield* MemRef.accumulate(MemRef.at(o, [yield* MemRef.load(x)]), 1)
  }
)

const swapped = Kernel.make(
  "swapped",
  { grid: [3], refs: { a: MemRef.inout(i32, [12], rows), b: MemRef.inout(i32, [12], rows) } },
  function* ({ a, b }) {
    yield* MemRef.store(b, yield* MemRef.swap(a, yield* MemRef.load(b)))
  }
)

const total = Kernel.make(
  "total",
  {
    grid: [Kernel.sequential(3)],
    refs: { x: MemRef.in(i32, [12], rows), o: MemRef.out(i32, []) },
    scratch: { sum: Scratch.workgroup(i32, []) }
  },
  function* ({ o, sum, x }) {
    yield* MemRef.accumulate(sum, Tile.sum(yield* MemRef.load(x)))
    yield* MemRef.store(o, yield* MemRef.load(sum))
  }
)

const branches = Kernel.make(
  "branches",
  { grid: [3], refs: { p: MemRef.scalar(bool), x: MemRef.in(i32, [12], rows), o: MemRef.out(i32, [12], rows) } },
  function* ({ o, p, x }) {
    yield* Control.when(p, function* () {
      yield* Control.forEach(0, 3, function* (i) {
        yield* MemRef.store(o, (yield* MemRef.load(x)).add(i))
      })
    })
  }
)

const twice = Inline.elementwise("twice", {
  args: { x: f32 },
  result: f32,
  wgsl: "return x + x;",
  discharge: ({ x }) => x.add(x)
})
const ruled = Kernel.make(
  "ruled",
  { grid: [3], refs: { x: MemRef.in(f32, [12], rows), o: MemRef.out(f32, [12], rows) } },
  function* ({ o, x }) {
    yield* MemRef.store(o, yield* twice(yield* MemRef.load(x)))
  }
)

const opaque = Inline.elementwise("opaque", { args: { x: f32 }, result: f32, wgsl: "return x + 1;" })
const unruled = Kernel.make(
  "unruled",
  { grid: [3], refs: { x: MemRef.in(f32, [12], rows), o: MemRef.out(f32, [12], rows) } },
  function* ({ o, x }) {
    yield* MemRef.store(o, yield* opaque(yield* MemRef.load(x)))
  }
)

const bump = Inline.block("bump", {
  operands: { r: Inline.readwrite(i32, [4]) },
  results: {},
  wgsl: "for (var i = i32(lane); i < 4; i += i32(lanes)) { r_store(i, r_load(i) + 1); }"
})
const inBlock = Kernel.make("inBlock", { grid: [3], refs: { x: MemRef.inout(i32, [12], rows) } }, function* ({ x }) {
  yield* bump({ r: x })
})

const floats = Float32Array.from({ length: 12 }, (_, k) => k)
const ints = Int32Array.from({ length: 12 }, (_, k) => k % 5)
export const kernels = [
  entry(saxpy, { a: 2, x: floats.slice(1), y: floats.slice(1) }, ["Read<a>", "Read<x>", "Read<y>", "Write<y>"]),
  entry(histogram, { x: ints }, ["Read<x>", "Accum<o>"]),
  entry(swapped, { a: ints, b: ints }, ["Read<a>", "Write<a>", "Read<b>", "Write<b>"]),
  entry(total, { x: ints }, ["Read<x>", "Write<o>", "Memory"]),
  entry(branches, { p: true, x: ints }, ["Read<p>", "Read<x>", "Write<o>"]),
  entry(ruled, { x: floats }, ["Read<x>", "Write<o>"]),
  entry(unruled, { x: floats }, ["Read<x>", "Write<o>", "opaque"]),
  entry(inBlock, { x: ints }, ["Read<x>", "Write<x>", "bump"])
]
