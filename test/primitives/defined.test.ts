/** What an undefined element makes undefined, primitive by primitive. */
import { describe, expect, it } from "vitest"
import type * as DType from "../../src/DType.ts"
import { storage } from "../../src/ir/array.ts"
import { pure } from "../../src/ir/primitive.ts"
import type { Param, Params } from "../../src/ir/program.ts"
import type { Shadowed } from "../../src/ir/shadow.ts"
import type { View } from "../../src/ir/view.ts"
import { primitive, primitives } from "../../src/primitives/index.ts"
import { definedOf } from "../../src/primitives/structural/defined.ts"
import { Draw, seeded } from "../../src/verify/generate/draw.ts"
import { alone, equationOf, equationsByName, type Met } from "./equations.ts"
import { definedness, holds, isWhole, randomOperands } from "./filling.ts"

/** An undefined element, by its origin. */
interface Undefined {
  readonly from: number
}
const u = (from: number): Undefined => ({ from })
type Element = number | Undefined
const tile =
  (dtype: DType.Name) =>
  (shape: ReadonlyArray<number>, ...elements: ReadonlyArray<Element>): Shadowed => {
    const data = storage(dtype, elements.length)
    data.set(elements.map((x) => (typeof x === "number" ? x : 0)))
    const origins = Int32Array.from(elements, (x) => (typeof x === "number" ? 0 : x.from))
    return { value: { dtype, shape, data }, origins: origins.some((o) => o > 0) ? origins : undefined }
  }
const [f32, i32, u32, bool] = (["f32", "i32", "u32", "bool"] as const).map(tile) as [Tile, Tile, Tile, Tile]
type Tile = ReturnType<typeof tile>

const [MIN, MAX, UMAX] = [-2147483648, 2147483647, 4294967295]
const [D, everything] = [0, undefined]
const ruled = (name: string) => {
  const record = primitive(name)!
  return { evaluate: record.evaluate!, defined: definedOf(record) }
}
type Origins = ReadonlyArray<number> | undefined
/** A promise, an equation, and the origins of its results: 0 of what is defined, nothing where everything is. */
type Case = readonly [
  promise: string,
  name: string,
  params: Params,
  operands: ReadonlyArray<Shadowed>,
  ...expected: ReadonlyArray<Origins>
]
const promises = (cases: ReadonlyArray<Case>) => {
  for (const [promise, name, params, operands, ...expected] of cases)
    it(`${promise}: ${name} ${JSON.stringify(params)}`, () => {
      const types = operands.map((o) => o.value)
      const rules = { eqn: equationOf(name, params, types), ctx: alone, ...ruled(name) }
      const found = definedness(rules, operands)
      expect(found.map((origins) => origins && [...origins])).toEqual(expected)
    })
}

describe("a number made of undefined ones is undefined", () => {
  promises([
    ["element by element", "add", {}, [f32([3], 1, u(1), 3), f32([3], 1, 2, u(2))], [D, 1, 2]],
    ["from the greatest origin", "sub", {}, [i32([2], u(1), u(5)), i32([2], u(4), u(2))], [4, 5]],
    ["everywhere, if a scalar is", "lt", {}, [u32([2], 1, 2), u32([], u(3))], [3, 3]],
    ["converted", "convert", { dtype: "f32" }, [i32([2], u(1), 2)], [1, D]],
    ["times 0, if it is a float: it might be NaN", "mul", {}, [f32([2], u(1), u(2)), f32([2], 0, 1)], [1, 2]],
    ["and itself, of which nobody keeps track", "xor", {}, [i32([], u(1)), i32([], u(1))], [1]]
  ])
})

describe("a number is defined that would be the same whatever the undefined ones are", () => {
  promises([
    ["false and anything", "and", {}, [bool([2], 0, 1), bool([], u(1))], [D, 1]],
    ["no bits of anything", "and", {}, [i32([2], u(1), u(2)), i32([2], 0, -1)], [D, 2]],
    ["true or anything", "or", {}, [bool([2], 0, 1), bool([], u(1))], [1, D]],
    ["all bits or anything", "or", {}, [u32([2], 1, UMAX), u32([], u(1))], [1, D]],
    ["0 times anything whole", "mul", {}, [i32([3], 0, 1, 2), i32([], u(1))], [D, 1, 1]],
    ["0 times anything, and more", "fma", {}, [i32([2], 0, 0), i32([2], u(1), u(1)), i32([2], 7, u(2))], [D, 2]],
    ["the greatest of all and anything", "max", {}, [i32([2], MAX, -1), i32([], u(1))], [D, 1]],
    ["the least of all and anything", "min", {}, [u32([2], 0, 1), u32([], u(1))], [D, 1]],
    ["anything between equal bounds", "clamp", {}, [i32([2], u(1), u(1)), i32([], 3), i32([2], 3, 4)], [D, 1]],
    ["what is above its bound, if the other is anything", "clamp", {}, [i32([], 9), i32([], u(1)), i32([], 9)], everything], // prettier-ignore
    ["the least of all, up to anything", "clamp", {}, [u32([], 0), u32([], 0), u32([2], u(1), u(2))], everything],
    ["anything modulo 1", "rem", {}, [i32([3], u(1), u(1), u(1)), i32([3], 1, -1, 2)], [D, D, 1]],
    ["0 shifted by anything", "shl", {}, [i32([2], 0, 1), i32([], u(1))], [D, 1]],
    ["whether anything is below 0, if it has no sign", "lt", {}, [u32([], u(1)), u32([2], 0, 1)], [D, 1]],
    ["whether anything equals NaN", "eq", {}, [f32([2], NaN, 1), f32([], u(1))], [D, 1]],
    ["anything to the power 0", "pow", {}, [f32([], u(1)), f32([2], 0, 1)], [D, 1]],
    ["but not what is undefined itself", "mul", {}, [i32([2], u(1), 0), i32([2], u(2), u(2))], [2, D]]
  ])
})

describe("a choice is as good as what it chooses", () => {
  promises([
    ["by a defined condition", "select", {}, [bool([2], 1, 0), f32([2], u(1), u(1)), f32([], 3)], [1, D]],
    ["by an undefined one", "select", {}, [bool([2], u(1), 1), f32([2], 1, 2), f32([], 3)], [1, D]],
    ["unless both are the same", "select", {}, [bool([2], u(1), u(1)), i32([2], 1, 2), i32([], 2)], [1, D]],
    ["bit by bit", "select", {}, [bool([2], u(1), u(1)), f32([2], -0, NaN), f32([2], 0, NaN)], [1, D]],
    ["which undefined ones are not", "select", {}, [bool([], u(1)), i32([], u(2)), i32([], u(3))], [3]]
  ])
})

describe("what moves stays what it is", () => {
  const m = i32([2, 2], 1, u(1), u(2), 4)
  promises([
    ["repeated", "broadcast", { shape: [2, 2] }, [f32([2, 1], u(1), 2)], [1, 1, D, D]],
    ["under another shape", "reshape", { shape: [4] }, [m], [D, 1, 2, D]],
    ["across the diagonal", "transpose", { perm: [1, 0] }, [m], [D, 2, 1, D]],
    ["reversed", "flip", { axes: [1] }, [m], [1, D, D, 2]],
    ["in part", "slice", { starts: [0, 1], sizes: [2, 1], strides: [1, 1] }, [m], [1, D]],
    ["and in a part that is all defined", "slice", { starts: [0, 0], sizes: [1, 1], strides: [1, 1] }, [m], everything],
    ["joined", "concat", { axis: 0 }, [bool([1], 1), bool([2], u(3), 0)], [D, 3, D]],
    ["surrounded", "pad", { low: [1], high: [0] }, [i32([2], 1, u(2)), i32([], u(1))], [1, D, 2]],
    ["in every element", "full", { shape: [2] }, [f32([], u(9))], [9, 9]],
    ["picked", "take", { axis: 1 }, [m, i32([2], 1, 0)], [1, D, D, 2]],
    ["picked by nobody knows what", "take", { axis: 0 }, [i32([2, 2], 1, 2, 3, 4), i32([2], u(5), 1)], [5, 5, D, D]],
    ["not picked, out of range: that is 0", "take", { axis: 0 }, [i32([2], u(1), u(2)), i32([2], 2, -1)], everything]
  ])
})

describe("one undefined element of a group is enough, unless another settles it", () => {
  const over = { axes: [1], keepDims: false }
  promises([
    ["a sum", "reduceSum", over, [f32([2, 2], 1, 2, u(1), u(2))], [D, 2]],
    ["a maximum of floats", "reduceMax", over, [f32([1, 2], Infinity, u(1))], [1]],
    ["the greatest of all", "reduceMax", over, [i32([2, 2], MAX, u(1), 1, u(1))], [D, 1]],
    ["the least of all", "reduceMin", over, [i32([2, 2], u(1), MIN, u(1), 1)], [D, 1]],
    ["a product with 0", "reduceProd", over, [i32([2, 2], u(1), 0, u(1), 1)], [D, 1]],
    ["a product of floats with 0", "reduceProd", over, [f32([1, 2], u(1), 0)], [1]],
    ["one of them holds", "reduceAny", over, [bool([2, 2], u(1), 1, u(1), 0)], [D, 1]],
    ["one of them does not", "reduceAll", over, [bool([2, 2], u(1), 1, u(1), 0)], [1, D]],
    ["a place", "argmax", over, [i32([2, 2], u(1), MAX, 1, 2)], [1, D]],
    ["another place", "argmin", over, [f32([1, 2], 1, u(2))], [2]],
    ["sums from there on", "cumsum", { axis: 0, reverse: false }, [f32([4], 1, u(1), 3, u(3))], [D, 1, 1, 3]],
    ["sums up to there", "cumsum", { axis: 0, reverse: true }, [f32([3], 1, u(1), 3)], [1, 1, D]],
    ["maxima up to the greatest of all", "cummax", { axis: 0, reverse: false }, [i32([3], u(1), 1, MAX)], [1, 1, D]]
  ])
})

describe("a product of matrices is undefined along the rows and columns of what is undefined", () => {
  const plain = { transposeA: false, transposeB: false }
  const [ones, row] = [f32([2, 2], 1, 1, 1, 1), f32([2, 2], u(1), 1, 1, 1)]
  promises([
    ["in a row", "dot", plain, [row, ones], [1, 1, D, D]],
    ["in a column", "dot", { transposeA: false, transposeB: true }, [ones, row], [1, D, 1, D]],
    ["from the greatest origin", "dot", plain, [row, f32([2, 1], u(2), 3)], [2, 2]],
    ["times 0, for floats", "dot", plain, [row, f32([2, 1], 0, 3)], [1, D]],
    ["not times 0, for integers", "dot", plain, [u32([1, 2], u(1), 1), u32([2, 2], 0, 5, 2, u(2))], [D, 2]]
  ])
})

describe("what passes through a view stays what it is", () => {
  const from1: View = [
    { _tag: "Index", at: [{ _tag: "Range", start: { constant: 1, terms: [] }, size: 2, stride: 1 }] }
  ]
  const params = { view: from1 as unknown as Param }
  const a = i32([2], 1, u(1))
  promises([
    ["read; outside is 0", "viewGet", params, [a], [1, D]],
    ["what is masked off is the other value", "viewGet", params, [a, bool([2], 0, 1), i32([], u(2))], [2, D]],
    ["the mask is undefined", "viewGet", params, [i32([2], 1, 2), bool([2], u(4), 1), i32([], 0)], [4, D]],
    ["written over", "viewPut", params, [a, i32([], 7)], everything],
    ["written", "viewPut", params, [i32([2], 1, 2), i32([2], u(3), u(4))], [D, 3]],
    ["not written", "viewPut", params, [a, i32([], 7), bool([], 0)], [D, 1]],
    ["perhaps written", "viewPut", params, [i32([2], 1, 2), i32([], 7), bool([], u(2))], [D, 2]],
    ["added to", "viewAdd", params, [i32([3], 1, u(1), 2), i32([2], u(2), u(3))], [D, 2, 3]],
    ["combined", "viewAtomic", { ...params, op: "add" }, [a, i32([], 1)], [D, 1], [1, D]],
    ["exchanged", "viewAtomic", { ...params, op: "exchange" }, [a, i32([], 1)], everything, [1, D]],
    ["replaced, as it was equal", "viewCompareExchange", params, [i32([2], 1, 2), i32([], 2), i32([], u(1))], [D, 1], everything], // prettier-ignore
    ["left, as it was not", "viewCompareExchange", params, [i32([2], 1, 2), i32([], 3), i32([], u(1))], everything, everything], // prettier-ignore
    ["perhaps replaced", "viewCompareExchange", params, [i32([2], 1, 2), i32([], u(2)), i32([], 1)], [D, 2], everything]
  ])
})

const met = await equationsByName(600)
const takesSomething = ({ eqn }: Met): boolean => eqn.operands.some(({ shape }) => shape.every((n) => n > 0))
const cases = primitives
  .filter((p) => p.effects === pure && p.evaluate !== undefined)
  .map((p) => [p.name, p, (met.get(p.name) ?? []).filter(takesSomething).slice(0, 40)] as const)
const takesNothing = new Set(["iota", "programId", "numPrograms"])

/** Rules that also call undefined what no filling changes, on integers and truth values too, and why. */
const cautious: { readonly [name: string]: string } = {
  reduceProd: "a product may overflow to 0",
  argmax: "an extreme may stand before the undefined elements",
  argmin: "an extreme may stand before the undefined elements",
  viewAdd: "memory may keep nothing of what changes",
  viewAtomic: "a step may settle what a cell holds",
  viewCompareExchange: "what replaces may be what was there"
}
/** Operands that decide what moves: where they are undefined, the rules do not look at what could have moved. */
const deciding: { readonly [name: string]: number } = { take: 1, viewGet: 1, viewPut: 2 }

describe("whatever undefined elements are, what counts as defined stays the same, and what moves is exact", () => {
  it.each(cases)("%s", (name, record, equations) => {
    if (takesNothing.has(name)) return expect(equations).toEqual([])
    expect(equations.length).toBeGreaterThan(3)
    const draw = new Draw(seeded(23))
    const decides = deciding[name]
    for (const { ctx, eqn } of equations)
      for (let round = 0; round < 6; round++) {
        const operands = randomOperands(draw, eqn, (k) => k !== decides || draw.chance(0.5))
        if (operands.every(({ origins }) => origins === undefined)) continue
        const moves = record.family === "shape" || name === "viewGet" || name === "viewPut" || name === "select"
        const exactly =
          (moves || isWhole(eqn)) &&
          cautious[name] === undefined &&
          (decides === undefined || operands[decides]?.origins === undefined)
        holds(draw, { eqn, ctx, ...ruled(name) }, operands, exactly)
      }
  })
})
