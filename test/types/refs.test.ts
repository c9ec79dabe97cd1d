import { Effect } from "effect"
import { Block, bool, type Effects, f16, f32, i32, Kernel, MemRef, Scratch, Tile, u32 } from "effect-kernels"
import { describe, expectTypeOf, it } from "vitest"
import { typed, unknownSize } from "./typed.ts"

const n = unknownSize(4)

/** Traces a body over these refs, so that what it says of refs is held against the refs of a real trace. */
const refs = {
  m: MemRef.inout(f32, [4, 8]),
  t: MemRef.in(i32, [2, 3, 4]),
  d: MemRef.out(f32, [n, 8]),
  k: MemRef.scalar(i32)
}
const traces = <Eff extends Effect.Effect<any, any, any>>(
  body: (r: Kernel.Refs<typeof refs>) => Generator<Eff, void, never>
) =>
  Effect.runPromise(
    Kernel.print(Kernel.make("traced", { grid: [1], refs }, body) as Kernel.Any) as Effect.Effect<string>
  )

describe("a view at an index", () => {
  it("drops axes at numbers and i32 scalars, and keeps the missing ones at the end", () =>
    traces(function* ({ m, t, k }) {
      typed(MemRef.at(m, [0])).is("f32", [8])
      typed(MemRef.at(m, [-1, k])).is("f32", [])
      typed(MemRef.at(t, [k, k])).is("i32", [4])
      typed(MemRef.at(t, [])).is("i32", [2, 3, 4])
      yield* MemRef.load(m)
    }))
  it("keeps the size of slices, static or dynamic, and of whole axes", () =>
    traces(function* ({ m, t, d, k }) {
      typed(MemRef.at(m, [MemRef.slice(1, 2)])).is("f32", [2, 8])
      typed(MemRef.at(m, [MemRef.slice(k, 2), MemRef.slice(0, 4, 2)])).is("f32", [2, 4])
      typed(MemRef.at(m, [MemRef.slice(k, n)])).is("f32", [n, 8])
      typed(MemRef.at(t, [MemRef.all, 1])).is("i32", [2, 4])
      typed(MemRef.at(t, [":", ":", 0])).is("i32", [2, 3])
      typed(MemRef.at(d, [":", 0])).is("f32", [n])
      yield* MemRef.load(m)
    }))
  it("puts the dimensions of an i32 tile where it stands, those of several once", () =>
    traces(function* ({ m, t }) {
      const rows = Tile.iota(i32, [5])
      typed(MemRef.at(m, [rows])).is("f32", [5, 8])
      typed(MemRef.at(m, [":", rows])).is("f32", [4, 5])
      typed(MemRef.at(m, [Tile.zeros(i32, [2, 3]), 0])).is("f32", [2, 3])
      typed(MemRef.at(t, [rows, ":", rows])).is("i32", [5, 3])
      yield* MemRef.load(m)
    }))
  it("has a shape that is not known where an ellipsis stands", () =>
    traces(function* ({ m, t }) {
      const last = MemRef.at(t, [MemRef.ellipsis, 0])
      expectTypeOf(last.shape).toEqualTypeOf<ReadonlyArray<number>>()
      yield* MemRef.load(m)
    }))
  it("is of the same name and access", () =>
    traces(function* ({ m, t }) {
      expectTypeOf(MemRef.at(m, [0])).toEqualTypeOf<MemRef.MemRef<"m", "f32", [8], "inout">>()
      expectTypeOf(MemRef.at(t, [0, 0])).toEqualTypeOf<MemRef.MemRef<"t", "i32", [4], "in">>()
      yield* MemRef.load(m)
    }))
})

describe("other views", () => {
  it("have the shape or dtype that they are given, and compose", () =>
    traces(function* ({ m, t }) {
      typed(MemRef.reshape(m, [2, 16])).is("f32", [2, 16])
      typed(MemRef.transpose(m)).is("f32", [8, 4])
      typed(MemRef.transpose(t, [1, 2, 0])).is("i32", [3, 4, 2])
      typed(MemRef.bitcast(m, u32)).is("u32", [4, 8])
      typed(MemRef.at(MemRef.transpose(MemRef.bitcast(t, f32)), [0, MemRef.slice(0, 2)])).is("f32", [2, 2])
      yield* MemRef.load(m)
    }))
})

describe("operations on refs", () => {
  it("give tiles of what is seen, and say what they do to the ref", () =>
    traces(function* ({ m, t, d }) {
      const loaded = MemRef.load(m)
      expectTypeOf(loaded).toEqualTypeOf<Effect.Effect<Tile.Tile<"f32", [4, 8]>, never, Effects.Read<"m">>>()
      yield* loaded
      const old = MemRef.swap(m, 0)
      expectTypeOf(old).toEqualTypeOf<
        Effect.Effect<Tile.Tile<"f32", [4, 8]>, never, Effects.Read<"m"> | Effects.Write<"m">>
      >()
      typed(yield* old).is("f32", [4, 8])
      const stored = MemRef.store(m, Tile.ones(f32, [4, 1]), { mask: Tile.zeros(bool, [4, 8]) })
      expectTypeOf(stored).toEqualTypeOf<Effect.Effect<void, never, Effects.Write<"m">>>()
      yield* stored
      const added = MemRef.accumulate(MemRef.at(m, [0]), 1)
      expectTypeOf(added).toEqualTypeOf<Effect.Effect<void, never, Effects.Accum<"m">>>()
      yield* added
      typed(yield* MemRef.load(t, { mask: Tile.ones(bool, [2, 3, 4]), other: 7 })).is("i32", [2, 3, 4])
      typed(yield* MemRef.load(d)).is("f32", [n, 8])
    }))
  it("read what is written: out refs can be loaded from", () =>
    traces(function* ({ d }) {
      yield* MemRef.store(d, 1)
      const loaded = MemRef.load(d)
      expectTypeOf(loaded).toEqualTypeOf<Effect.Effect<Tile.Tile<"f32", [number, 8]>, never, Effects.Read<"d">>>()
      yield* loaded
    }))
})

describe("declarations", () => {
  it("show a program instance its block: numbers keep an axis, null drops it, an element window keeps it", () => {
    type Seen<S> = S extends MemRef.Spec<any, infer V, any, any> ? V : never
    const blocked = MemRef.in(f32, [8, 8, 8], { block: [2, null, Block.element(3)], index: (i, j, k) => [i, j, k] })
    expectTypeOf<Seen<typeof blocked>>().toEqualTypeOf<[2, 3]>()
    const dynamic = MemRef.out(i32, [n, 8], { block: [1, n], index: (i) => [i, 0] })
    expectTypeOf<Seen<typeof dynamic>>().toEqualTypeOf<[1, number]>()
    const first = MemRef.inout(f16, [8], { block: [4] })
    expectTypeOf(first).toEqualTypeOf<MemRef.Spec<"f16", [4], "inout">>()
  })
  it("hand index maps one i32 scalar per axis of the grid, never undefined, however many", () => {
    MemRef.in(f32, [8, 8], {
      block: [4, 4],
      index: (i, j) => {
        expectTypeOf(i).toEqualTypeOf<Tile.I32>()
        expectTypeOf(j).toEqualTypeOf<Tile.I32>()
        return [j.add(1), i]
      }
    })
    MemRef.in(f32, [8], { block: [4], index: (...ids) => [ids[5]] })
    MemRef.in(f32, [8], { block: [4], index: () => [0] })
    MemRef.in(f32, [8], { block: [4], indexWith: ({ k }: { readonly k: Tile.I32 }, i) => [i.add(k)] })
  })
  it("give scalars as rank-0 tiles and scratch as refs without a name of their own", () => {
    expectTypeOf<Kernel.Refs<typeof refs>["k"]>().toEqualTypeOf<Tile.Scalar<"i32">>()
    const spec = { acc: Scratch.workgroup(f32, [4, n]) }
    expectTypeOf<Kernel.ScratchRefs<typeof spec>["acc"]>().toEqualTypeOf<
      MemRef.MemRef<Effects.ScratchName, "f32", [4, number], "inout">
    >()
  })
})
