/** Composition of views: one step shows and guards what two did. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type ArrayValue, scalar } from "../../src/ir/array.ts"
import { composeView, type Interval, rangeOf, type Ranges } from "../../src/ir/compose.ts"
import type { Aval } from "../../src/ir/program.ts"
import {
  type Affine,
  type Entry,
  evalAffine,
  type Indices,
  type Term,
  transformAval,
  type Transform,
  type View
} from "../../src/ir/view.ts"
import { numbers } from "../../src/primitives/structural/numbers.ts"
import { locate, locateByAddress } from "../../src/primitives/structural/locate.ts"
import { affine, gather, point, range } from "../support/ir.ts"

/** Three scalars with the ranges that they are drawn from, and two index tiles. */
const ranges: ReadonlyArray<Interval> = [
  { low: 0, high: 3 },
  { low: -2, high: 5 },
  { low: -(2 ** 31), high: 2 ** 31 - 1 }
]
const rangesOf: Ranges = (k) => ranges[k] ?? expect.fail(`index ${k} is no scalar`)
const tiles: ReadonlyArray<ArrayValue> = [
  { dtype: "i32", shape: [3], data: Int32Array.of(2, 0, -1) },
  { dtype: "i32", shape: [2, 2], data: Int32Array.of(1, 4, 0, 1) }
]
const indexAvals: ReadonlyArray<Aval> = [...ranges.map((): Aval => ({ dtype: "i32", shape: [] })), ...tiles]

const index: fc.Arbitrary<Term> = fc.nat(2).map((k) => ({ _tag: "Index", index: k }))
const sum = (term: fc.Arbitrary<Term>): fc.Arbitrary<Affine> =>
  fc.record({
    constant: fc.integer({ min: -3, max: 6 }),
    terms: fc.array(fc.record({ coefficient: fc.constantFrom(1, 1, 2, -1, 3), term }), { maxLength: 2 })
  })
const digit: fc.Arbitrary<Term> = fc.record({
  _tag: fc.constantFrom("FloorDiv" as const, "Mod" as const),
  of: sum(index),
  by: fc.integer({ min: 1, max: 4 })
})
const start = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 3 }).map((n) => affine(n)) },
  { weight: 4, arbitrary: sum(fc.oneof(index, digit)) }
)
const entry = (size: number, mayGather: boolean): fc.Arbitrary<Entry> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant(range(0, size)) },
    { weight: 3, arbitrary: start.map((at) => point(at)) },
    {
      weight: 5,
      arbitrary: fc
        .tuple(start, fc.integer({ min: 0, max: 5 }), fc.integer({ min: 1, max: 3 }))
        .map(([s, n, by]) => range(s, n, by))
    },
    { weight: mayGather ? 2 : 0, arbitrary: fc.constantFrom(gather(3), gather(4)) }
  )
const step = (on: Aval): fc.Arbitrary<Transform> =>
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc
        .tuple(...on.shape.map((n, axis) => entry(n, axis === 0)))
        .map((at): Transform => ({ _tag: "Index", at: at as ReadonlyArray<Entry> }))
    },
    { weight: 1, arbitrary: fc.constant<Transform>({ _tag: "Transpose", perm: on.shape.map((_, d) => d).reverse() }) }
  )
const on: Aval = { dtype: "i32", shape: [6, 7] }
const views = (length: number, view: View, aval: Aval): fc.Arbitrary<View> =>
  length === 0
    ? fc.constant(view)
    : step(aval).chain((t) => views(length - 1, [...view, t], transformAval(t, aval, indexAvals, true)))

const values = fc
  .tuple(...ranges.map(({ high, low }) => fc.integer({ min: low, max: high })))
  .map((numbers) => [...numbers.map((n) => scalar("i32", n)), ...tiles])

type Seen = ReadonlyArray<readonly [element: number, position: number]>
const seen = (find: typeof locate, view: View, indices: ReadonlyArray<ArrayValue>): Seen => {
  const out: Array<readonly [number, number]> = []
  find(
    view,
    on,
    indexAvals
  )(indices, (element, position, count, step) => {
    for (let i = 0; i < count; i++) out.push([element + i, position + i * step])
  })
  return out.sort(([a], [b]) => a - b)
}
const shape = (view: View) => view.reduce((aval, t) => transformAval(t, aval, indexAvals, true), on).shape

describe("the range of an index", () => {
  it("holds every value that it takes, and is tight for a remainder", () => {
    const holds = fc.property(sum(fc.oneof(index, digit)), values, (form, indices) => {
      const ix: Indices<number> = {
        scalar: (k) => indices[k]!.data[0]!,
        element: () => expect.fail("no index tile"),
        rank: () => 0
      }
      const { high, low } = rangeOf(form, rangesOf)
      const value = evalAffine(numbers, ix, form)
      expect(low <= value && value <= high, `${value} in ${low}..${high}`).toBe(true)
    })
    fc.assert(holds, { seed: 11, numRuns: 3000 })
    const mod = (k: number, by: number): Affine => ({
      constant: 0,
      terms: [{ coefficient: 1, term: { _tag: "Mod", of: affine(0, ...[0, 1, 2].map((j) => Number(j === k))), by } }]
    })
    expect(rangeOf(mod(0, 9), rangesOf)).toEqual({ low: 0, high: 3 })
    expect(rangeOf(mod(0, 3), rangesOf)).toEqual({ low: 0, high: 2 })
    expect(rangeOf(mod(2, 3), rangesOf)).toEqual({ low: 0, high: 2 })
  })
})

describe("a composed view", () => {
  it("shows the elements that the chain shows, and no other, whatever the indices are", () => {
    let joined = 0
    const property = fc.property(
      fc.integer({ min: 2, max: 4 }).chain((n) => views(n, [], on)),
      values,
      (view, indices) => {
        const composed = composeView(view, on, indexAvals, rangesOf)
        if (composed.length < view.length) joined++
        expect(shape(composed)).toEqual(shape(view))
        const expected = seen(locateByAddress, view, indices)
        expect(seen(locateByAddress, composed, indices)).toEqual(expected)
        expect(seen(locate, composed, indices)).toEqual(expected)
      }
    )
    fc.assert(property, { seed: 11, numRuns: 3000 })
    expect(joined).toBeGreaterThan(600)
  })
  it("is one step where the second stays inside the first", () => {
    const part = (...at: ReadonlyArray<Entry>): Transform => ({ _tag: "Index", at })
    const compose = (...view: ReadonlyArray<Transform>) => composeView(view, on, indexAvals, rangesOf)
    const blocks = part(range(affine(0, 4), 4), range(0, 7))
    // A static index, one that is known to be in range, and a slice with a stride.
    expect(compose(blocks, part(point(2), range(0, 7)))).toEqual([part(point(affine(2, 4)), range(0, 7))])
    expect(compose(blocks, part(point(affine(0, 1)), range(0, 7)))).toEqual([part(point(affine(0, 5)), range(0, 7))])
    expect(compose(part(range(1, 3, 2), point(1)), part(range(1, 2)))).toEqual([part(range(3, 2, 2), point(1))])
    // Many steps, one index.
    expect(compose(blocks, part(range(1, 3), range(2, 5)), part(point(2), range(1, 2, 2)))).toEqual([
      part(point(affine(3, 4)), range(3, 2, 2))
    ])
  })
  it("keeps the second step's bounds where the first does not imply them", () => {
    const part = (...at: ReadonlyArray<Entry>): Transform => ({ _tag: "Index", at })
    const compose = (...view: ReadonlyArray<Transform>) => composeView(view, on, indexAvals, rangesOf)
    const first = part(range(affine(0, 4), 4), range(0, 7))
    for (const second of [
      part(point(4), range(0, 7)),
      part(point(affine(0, 0, 1)), range(0, 7)),
      part(range(1, 4), range(0, 7)),
      part(gather(3), range(0, 7))
    ])
      expect(compose(first, second)).toEqual([first, second])
    // An index tile of a whole axis stays one; two steps with index tiles do not go together.
    expect(compose(part(range(0, 6), point(1)), part(gather(3)))).toEqual([part(gather(3), point(1))])
    const twice = [part(gather(3), range(0, 7)), part(range(0, 3), gather(3))]
    expect(compose(...twice)).toEqual(twice)
  })
  it("has the mark of a block specification where a position of the block may be outside, and only there", () => {
    const part = (...at: ReadonlyArray<Entry>): Transform => ({ _tag: "Index", at })
    const compose = (...view: ReadonlyArray<Transform>) => composeView(view, on, indexAvals, rangesOf)
    const padded = (start: Affine, size: number): Entry => ({ ...range(start, size), padded: true }) as Entry
    const over = affine(0, 4)
    const block = part(padded(over, 4), padded(affine(0), 7))
    // Index 0 lies in 0..3, so that blocks of 4 leave the axis of 6, and the axis of 7 is shown whole.
    expect(compose(block)).toEqual([part(padded(over, 4), range(0, 7))])
    expect(compose(part(padded(affine(0, 1), 3), range(0, 7)))).toEqual([part(range(affine(0, 1), 3), range(0, 7))])
    // What is indexed further: all of a block, one position, part of it.
    expect(compose(block, part(range(0, 4), point(1)))).toEqual([part(padded(over, 4), point(1))])
    expect(compose(block, part(point(1), range(0, 7)))).toEqual([
      part({ ...point(affine(1, 4)), padded: true } as Entry, range(0, 7))
    ])
    expect(compose(block, part(range(1, 2), range(0, 7)), part(range(0, 2), range(0, 7)))).toEqual([
      part({ ...range(affine(1, 4), 2), padded: "wholly" } as Entry, range(0, 7))
    ])
    // A position that may leave the block is none of the specification's.
    const stray = part(point(affine(0, 0, 1)), range(0, 7))
    expect(compose(block, stray)).toEqual([part(padded(over, 4), range(0, 7)), stray])
    // A block of a part that was taken by hand: inside the part, nothing is padding.
    const byHand = part(range(over, 4), range(0, 7))
    expect(compose(byHand, part(padded(affine(1), 2), range(0, 7)))).toEqual([
      part(range(affine(1, 4), 2), range(0, 7))
    ])
    const beside = part(padded(affine(2), 4), range(0, 7))
    expect(compose(byHand, beside)).toEqual([byHand, beside])
    expect(compose(part(range(0, 6), range(0, 7)), block)).toEqual([part(padded(over, 4), range(0, 7))])
  })
  it("wraps around as the chain does", () => {
    const view: View = [
      { _tag: "Index", at: [range(affine(2 ** 31 - 1, 0, 0, 1), 3, 2 ** 30), range(0, 7)] },
      { _tag: "Index", at: [point(2), range(0, 7)] }
    ]
    const composed = composeView(view, on, indexAvals, rangesOf)
    expect(composed).toHaveLength(1)
    for (const n of [0, 1, 2 ** 31 - 1, -(2 ** 31), 2 - 2 ** 31]) {
      const indices = [scalar("i32", 0), scalar("i32", 0), scalar("i32", n), ...tiles]
      expect(seen(locateByAddress, composed, indices)).toEqual(seen(locateByAddress, view, indices))
    }
  })
})
