/** Boxes are found by stepping and by address alike: one is fast, the other is the definition. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { fromHost } from "../../src/ir/array.ts"
import type { Aval } from "../../src/ir/program.ts"
import { type Affine, type Entry, type Transform, transformAval, type View } from "../../src/ir/view.ts"
import { visitBox } from "../../src/primitives/structural/box.ts"
import { type Locate, locate, locateByAddress } from "../../src/primitives/structural/locate.ts"
import * as Shape from "../../src/Shape.ts"

const position: fc.Arbitrary<Affine> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ constant: fc.integer({ min: -3, max: 5 }), terms: fc.constant([]) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      constant: fc.integer({ min: -3, max: 5 }),
      terms: fc.array(
        fc.record({
          coefficient: fc.integer({ min: -2, max: 2 }),
          term: fc.record({ _tag: fc.constant("Index" as const), index: fc.nat(1) })
        }),
        { minLength: 1, maxLength: 2 }
      )
    })
  },
  {
    weight: 1,
    arbitrary: fc.record({
      constant: fc.integer({ min: -1, max: 1 }),
      terms: fc.tuple(
        fc.record({
          coefficient: fc.constantFrom(1, -1),
          term: fc.record({
            _tag: fc.constantFrom("FloorDiv" as const, "Mod" as const),
            of: fc.constant({ constant: 0, terms: [{ coefficient: 1, term: { _tag: "Index" as const, index: 0 } }] }),
            by: fc.integer({ min: 1, max: 3 })
          })
        })
      )
    })
  }
)
const entry: fc.Arbitrary<Entry> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ _tag: fc.constant("Point" as const), at: position }) },
  {
    weight: 4,
    arbitrary: fc.record({
      _tag: fc.constant("Range" as const),
      start: position,
      size: fc.nat(4),
      stride: fc.integer({ min: 1, max: 3 })
    })
  },
  { weight: 1, arbitrary: fc.record({ _tag: fc.constant("Gather" as const), index: fc.constant(2) }) }
)
const factored = (size: number): fc.Arbitrary<Shape.Shape> => {
  const shapes = [[size], [1, size], [size, 1], [1, size, 1]]
  for (let d = 2; d < size; d++) if (size % d === 0) shapes.push([d, size / d], [d, 1, size / d])
  return fc.constantFrom(...(size === 1 ? [[], ...shapes] : shapes))
}
const transform = (on: Aval): fc.Arbitrary<Transform> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.tuple(...on.shape.map(() => entry)).map((at) => ({ _tag: "Index" as const, at })) },
    { weight: 2, arbitrary: factored(Shape.size(on.shape)).map((shape) => ({ _tag: "Reshape" as const, shape })) },
    {
      weight: 1,
      arbitrary: fc
        .shuffledSubarray(
          on.shape.map((_, d) => d),
          { minLength: on.shape.length }
        )
        .map((perm) => ({ _tag: "Transpose" as const, perm }))
    },
    { weight: 1, arbitrary: fc.constant({ _tag: "Bitcast" as const, dtype: "u32" as const }) }
  )

/** Two scalars and an index tile of shape [2, 2]. */
const indexTypes: ReadonlyArray<Aval> = [
  { dtype: "i32", shape: [] },
  { dtype: "i32", shape: [] },
  { dtype: "i32", shape: [2, 2] }
]
const chain = (on: Aval, steps: number): fc.Arbitrary<View> =>
  steps === 0
    ? fc.constant([])
    : transform(on).chain((t) => chain(transformAval(t, on, indexTypes, true), steps - 1).map((rest) => [t, ...rest]))
const example = fc
  .record({ shape: fc.array(fc.nat(4), { maxLength: 3 }), steps: fc.nat(4) })
  .chain(({ shape, steps }) => {
    const on: Aval = { dtype: "f32", shape }
    const small = fc.integer({ min: -4, max: 6 })
    return fc.record({
      on: fc.constant(on),
      view: chain(on, steps),
      scalars: fc.tuple(fc.oneof(small, fc.constantFrom(2147483647, -2147483648)), small),
      tile: fc.array(small, { minLength: 4, maxLength: 4 })
    })
  })

type Hit = readonly [element: number, position: number]
const hits = (locate: Locate, values: Parameters<Locate>[0]): ReadonlyArray<Hit> => {
  const out: Array<Hit> = []
  locate(values, (element, position, count, step) => {
    for (let k = 0; k < count; k++) out.push([element + k, position + k * step])
  })
  return out
}
const valuesOf = (scalars: readonly [number, number], tile: ReadonlyArray<number>) =>
  [[scalars[0]], [scalars[1]], tile].map((v, k) => fromHost(indexTypes[k]!, new Int32Array(v)))

describe("the elements of a view", () => {
  it("lie where the chain of transforms says, in row-major order", () => {
    fc.assert(
      fc.property(example, ({ on, scalars, tile, view }) => {
        const values = valuesOf(scalars, tile)
        expect(hits(locate(view, on, indexTypes), values)).toEqual(hits(locateByAddress(view, on, indexTypes), values))
      }),
      { numRuns: 1500 }
    )
  })
  it("lie inside the ref", () => {
    fc.assert(
      fc.property(example, ({ on, scalars, tile, view }) => {
        for (const [, position] of hits(locate(view, on, indexTypes), valuesOf(scalars, tile)))
          expect(position >= 0 && position < Shape.size(on.shape)).toBe(true)
      }),
      { numRuns: 500 }
    )
  })
  const box = (view: View, on: Aval) =>
    visitBox(view, on, { scalar: () => 0, element: () => 0, rank: () => 0 }, () => {})
  it("are found by stepping for blocks, transposes and reshapes of what is contiguous", () => {
    const block: Entry = {
      _tag: "Range",
      start: { constant: 0, terms: [{ coefficient: 4, term: { _tag: "Index", index: 0 } }] },
      size: 4,
      stride: 1
    }
    const view: View = [
      { _tag: "Index", at: [{ _tag: "Point", at: { constant: 1, terms: [] } }, block] },
      { _tag: "Reshape", shape: [2, 2] },
      { _tag: "Transpose", perm: [1, 0] }
    ]
    expect(box(view, { dtype: "f32", shape: [3, 8] })).toBe(true)
  })
  it("are not found by stepping where positions wrap around", () => {
    const wide: Entry = {
      _tag: "Range",
      start: { constant: 0, terms: [{ coefficient: 1, term: { _tag: "Index", index: 0 } }] },
      size: 5,
      stride: 2 ** 30
    }
    expect(box([{ _tag: "Index", at: [wide] }], { dtype: "f32", shape: [8] })).toBe(false)
  })
})
