/** Outside a ref, padding is told from what is out of bounds: the first is the ragged edge of a block. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type ArrayValue, fromHost } from "../../src/ir/array.ts"
import type { Aval } from "../../src/ir/program.ts"
import { type Affine, type Entry, type Transform, transformAval, type View, viewAval } from "../../src/ir/view.ts"
import { outOfBounds, outside, padding } from "../../src/primitives/structural/outside.ts"
import * as Shape from "../../src/Shape.ts"
import { affine, gather, point, range } from "../support/ir.ts"

type Range = Entry & { readonly _tag: "Range" }
const padded = (entry: Entry, mark: true | "wholly" = true): Entry =>
  entry._tag === "Gather" ? entry : ({ ...entry, padded: mark } as Entry)
const index = (...at: ReadonlyArray<Entry>): Transform => ({ _tag: "Index", at })

/** Two scalars and an index tile of shape [2, 2]. */
const indexTypes: ReadonlyArray<Aval> = [
  { dtype: "i32", shape: [] },
  { dtype: "i32", shape: [] },
  { dtype: "i32", shape: [2, 2] }
]
const valuesOf = (a = 0, b = 0, tile: ReadonlyArray<number> = [0, 0, 0, 0]): ReadonlyArray<ArrayValue> =>
  [[a], [b], tile].map((v, k) => fromHost(indexTypes[k]!, new Int32Array(v)))

const cellsOf = (view: View, on: Aval, values = valuesOf()): ReadonlyArray<number> =>
  Array.from(
    outside(view, on, indexTypes).cells(values, new Int32Array(Shape.size(viewAval(view, on, indexTypes).shape)))
  )
const f32 = (...shape: ReadonlyArray<number>): Aval => ({ dtype: "f32", shape })

describe("the definition, walked plainly, agrees with what is compiled", () => {
  const start: fc.Arbitrary<Affine> = fc
    .tuple(fc.integer({ min: -3, max: 5 }), fc.array(fc.integer({ min: -2, max: 3 }), { maxLength: 2 }))
    .map(([constant, by]) => affine(constant, ...by))
  const mark = <E extends Entry>(of: fc.Arbitrary<E>, marks: ReadonlyArray<true | "wholly">): fc.Arbitrary<Entry> =>
    fc.tuple(of, fc.constantFrom(undefined, ...marks)).map(([e, m]) => (m === undefined ? e : padded(e, m)))
  const entry: fc.Arbitrary<Entry> = fc.oneof(
    { weight: 2, arbitrary: mark(start.map(point), [true]) },
    {
      weight: 5,
      arbitrary: mark(
        fc.tuple(start, fc.nat(4), fc.integer({ min: 1, max: 3 })).map(([s, n, by]) => range(s, n, by)),
        [true, true, "wholly"]
      )
    },
    { weight: 1, arbitrary: fc.constant(gather(2)) }
  )
  const transform = (on: Aval): fc.Arbitrary<Transform> => {
    const axes = on.shape.map((_, d) => d)
    const size = Shape.size(on.shape)
    return fc.oneof(
      { weight: 5, arbitrary: fc.tuple(...axes.map(() => entry)).map((at): Transform => index(...at)) },
      {
        weight: 2,
        arbitrary: fc
          .constantFrom(...[1, 2, 3].filter((d) => size % d === 0))
          .map((d): Transform => ({ _tag: "Reshape", shape: [d, size / d] }))
      },
      {
        weight: 1,
        arbitrary: fc
          .shuffledSubarray(axes, { minLength: axes.length })
          .map((perm): Transform => ({ _tag: "Transpose", perm }))
      },
      { weight: 1, arbitrary: fc.constant<Transform>({ _tag: "Bitcast", dtype: "u32" }) }
    )
  }
  const chain = (on: Aval, steps: number): fc.Arbitrary<View> =>
    steps === 0
      ? fc.constant([])
      : transform(on).chain((t) => chain(transformAval(t, on, indexTypes, true), steps - 1).map((rest) => [t, ...rest]))
  const small = fc.integer({ min: -4, max: 6 })
  const example = fc
    .record({ shape: fc.array(fc.nat(4), { maxLength: 3 }), steps: fc.nat(4) })
    .chain(({ shape, steps }) =>
      fc.record({
        on: fc.constant(f32(...shape)),
        view: chain(f32(...shape), steps),
        values: fc
          .tuple(
            fc.oneof(
              { weight: 6, arbitrary: small },
              { weight: 1, arbitrary: fc.constantFrom(2 ** 31 - 1, -(2 ** 31)) }
            ),
            small,
            fc.array(small, { minLength: 4, maxLength: 4 })
          )
          .map((all) => valuesOf(...all))
      })
    )

  const valueAt = (a: Affine, values: ReadonlyArray<ArrayValue>): number =>
    a.terms.reduce((sum, { coefficient, term }) => {
      if (term._tag !== "Index") throw new Error("these views have no divisions")
      return (sum + Math.imul(coefficient, values[term.index]!.data[0]!)) | 0
    }, a.constant)
  const isIn = (i: number, dim: number): boolean => 0 <= i && i < dim
  /** The positions that a range shows. */
  const shownBy = (e: Range, values: ReadonlyArray<ArrayValue>): ReadonlyArray<number> =>
    Array.from({ length: e.size }, (_, i) => (valueAt(e.start, values) + Math.imul(i, e.stride)) | 0)
  const excused = (e: Entry, dim: number, values: ReadonlyArray<ArrayValue>): boolean =>
    e._tag === "Point"
      ? e.padded === true
      : e._tag === "Range" &&
        e.padded !== undefined &&
        (e.padded === "wholly" || shownBy(e, values).some((i) => isIn(i, dim)))
  const back = (
    at: ReadonlyArray<Entry>,
    coords: ReadonlyArray<number>,
    values: ReadonlyArray<ArrayValue>
  ): ReadonlyArray<number> => {
    const rest = [...coords]
    let picked: number | undefined
    return at.map((e) => {
      if (e._tag === "Point") return valueAt(e.at, values)
      if (e._tag === "Range") return shownBy(e, values)[rest.shift()!]!
      if (picked === undefined) {
        const [r, c] = rest.splice(0, 2) as [number, number]
        picked = values[e.index]!.data[2 * r + c]!
      }
      return picked
    })
  }
  const walked = (view: View, on: Aval, values: ReadonlyArray<ArrayValue>, element: number) => {
    const avals = [on]
    for (const t of view) avals.push(transformAval(t, avals.at(-1)!, indexTypes, true))
    let coords: ReadonlyArray<number> = Shape.coordinates(avals.at(-1)!.shape, element)
    for (let k = view.length - 1; k >= 0; k--) {
      const t = view[k]!
      const { shape } = avals[k]!
      if (t._tag === "Reshape") {
        const flat = coords.reduce((n, c, d) => n * t.shape[d]! + c, 0)
        coords = Shape.coordinates(shape, flat)
      } else if (t._tag === "Transpose") {
        const shown = coords
        coords = shape.map((_, d) => shown[t.perm.indexOf(d)]!)
      } else if (t._tag === "Index") {
        coords = back(t.at, coords, values)
        const missing = coords.flatMap((i, d) => (isIn(i, shape[d]!) ? [] : [d]))
        const isPadding = missing.every((d) => excused(t.at[d]!, shape[d]!, values))
        if (missing.length > 0) return { cell: isPadding ? padding : outOfBounds, step: k, shape, coords }
      }
    }
    return { cell: coords.reduce((n, c, d) => n * on.shape[d]! + c, 0), step: undefined, shape: on.shape, coords }
  }

  it("on any view: cells, and where what is outside would have been", () => {
    const met = new Map([
      [padding, 0],
      [outOfBounds, 0]
    ])
    fc.assert(
      fc.property(example, ({ on, values, view }) => {
        const cells = cellsOf(view, on, values)
        const { positionOf } = outside(view, on, indexTypes)
        const expected = cells.map((_, e) => walked(view, on, values, e))
        expect(cells).toEqual(expected.map(({ cell }) => cell))
        expect(cells.map((_, e) => positionOf(values, e))).toEqual(
          expected.map(({ cell, coords, shape, step }) =>
            step === undefined ? undefined : { step, shape, coords, isPadding: cell === padding }
          )
        )
        for (const cell of cells) if (cell < 0) met.set(cell, met.get(cell)! + 1)
      }),
      { seed: 5, numRuns: 2000 }
    )
    expect(Math.min(...met.values())).toBeGreaterThan(200)
  })
})

describe("an element outside", () => {
  const third = padded(range(affine(0, 3), 3))
  it("is padding at the ragged edge of a block, after it and before it", () => {
    expect(cellsOf([index(third)], f32(8), valuesOf(1))).toEqual([3, 4, 5])
    expect(cellsOf([index(third)], f32(8), valuesOf(2))).toEqual([6, 7, padding])
    expect(cellsOf([index(padded(range(affine(-1, 1), 3)))], f32(2))).toEqual([padding, 0, 1])
    const both = [index(padded(range(affine(0, 2), 2)), padded(range(affine(0, 0, 2), 2)))]
    expect(cellsOf(both, f32(3, 3), valuesOf(1, 1))).toEqual([8, padding, padding, padding])
  })
  it("is out of bounds where no block specification put it", () => {
    expect(cellsOf([index(range(affine(0, 3), 3))], f32(8), valuesOf(2))).toEqual([6, 7, outOfBounds])
    expect(cellsOf([index(point(affine(0, 1)))], f32(8), valuesOf(8))).toEqual([outOfBounds])
  })
  it("is out of bounds where the whole block lies beside the ref", () => {
    const all = [outOfBounds, outOfBounds, outOfBounds]
    expect(cellsOf([index(third)], f32(8), valuesOf(3))).toEqual(all)
    expect(cellsOf([index(third)], f32(8), valuesOf(-1))).toEqual(all)
    expect(cellsOf([index(third)], f32(0))).toEqual(all)
  })
  it("is padding where part of a block lies beside the ref", () => {
    expect(cellsOf([index(padded(range(affine(6, 0, 1), 2), "wholly"))], f32(5))).toEqual([padding, padding])
    expect(cellsOf([index(padded(point(affine(0, 3, 1))))], f32(8), valuesOf(2, 2))).toEqual([padding])
  })
  it("is out of bounds in a squeezed row that is not there, whatever the other axes are", () => {
    const row = [index(point(affine(0, 1)), padded(range(affine(0, 0, 2), 2)))]
    for (const at of [-1, 3]) expect(cellsOf(row, f32(3, 3), valuesOf(at, 1))).toEqual([outOfBounds, outOfBounds])
    expect(cellsOf(row, f32(3, 3), valuesOf(1, 1))).toEqual([5, padding])
  })
  it("is out of bounds where an index tile says so", () => {
    expect(cellsOf([index(gather(2))], f32(3), valuesOf(0, 0, [2, -1, 3, 0]))).toEqual([2, outOfBounds, outOfBounds, 0])
  })
  it("of a view of a block is judged by the bound that it misses", () => {
    const sliced = [index(third), index(range(affine(0, 0, 1), 2))]
    // Within the block, beside the ref; beside the block.
    expect(cellsOf(sliced, f32(8), valuesOf(2, 1))).toEqual([7, padding])
    expect(cellsOf(sliced, f32(8), valuesOf(2, 2))).toEqual([padding, outOfBounds])
    expect(outside(sliced, f32(8), indexTypes).positionOf(valuesOf(2, 2), 0)).toEqual({
      step: 0,
      shape: [8],
      coords: [8],
      isPadding: true
    })
    expect(outside(sliced, f32(8), indexTypes).positionOf(valuesOf(2, 2), 1)).toEqual({
      step: 1,
      shape: [3],
      coords: [3],
      isPadding: false
    })
    // A block over a part of the ref: beside the part, and beside the ref.
    const parts = [index(range(affine(0, 0, 1), 4)), index(third)]
    expect(cellsOf(parts, f32(8), valuesOf(1, 5))).toEqual([outOfBounds, padding, padding])
  })
  it("stays what it is in other shapes and orders", () => {
    const block = index(padded(range(affine(0, 2), 2)), padded(range(affine(0, 0, 3), 3)))
    const values = valuesOf(1, 1)
    expect(cellsOf([block], f32(3, 4), values)).toEqual([11, padding, padding, padding, padding, padding])
    const turned: View = [block, { _tag: "Transpose", perm: [1, 0] }, { _tag: "Reshape", shape: [6] }]
    expect(cellsOf(turned, f32(3, 4), values)).toEqual([11, padding, padding, padding, padding, padding])
    const cut: View = [...turned, { _tag: "Bitcast", dtype: "i32" }, index(range(affine(0, 0, 4), 3))]
    expect(cellsOf(cut, f32(3, 4), values)).toEqual([padding, padding, outOfBounds])
  })
  it("is none in a view of nothing, and in the view of all", () => {
    expect(cellsOf([index(padded(range(affine(0, 3), 0)))], f32(8), valuesOf(9))).toEqual([])
    expect(cellsOf([index(range(0, 0), point(affine(0, 1)))], f32(0, 3), valuesOf(9))).toEqual([])
    expect(cellsOf([], f32(2, 2))).toEqual([0, 1, 2, 3])
    expect(cellsOf([], f32())).toEqual([0])
  })
})
