/** What each pure structural primitive computes, case by case: rank 0, size 0 and NaN included. */
import { describe, expect, it } from "vitest"
import type * as DType from "../../src/DType.ts"
import { type ArrayValue, fromHost, scalar, toHost } from "../../src/ir/array.ts"
import type { EvalContext } from "../../src/ir/primitive.ts"
import { type Eqn, literal, type Params } from "../../src/ir/program.ts"
import { primitive } from "../../src/primitives/index.ts"

const tile = (dtype: DType.Name, shape: ReadonlyArray<number>, values: ReadonlyArray<number>): ArrayValue =>
  fromHost({ dtype, shape }, new Float64Array(values) as unknown as DType.HostArray)
const f32 = (shape: ReadonlyArray<number>, ...values: ReadonlyArray<number>) => tile("f32", shape, values)
const f16 = (shape: ReadonlyArray<number>, ...values: ReadonlyArray<number>) => tile("f16", shape, values)
const i32 = (shape: ReadonlyArray<number>, ...values: ReadonlyArray<number>) => tile("i32", shape, values)
const u32 = (shape: ReadonlyArray<number>, ...values: ReadonlyArray<number>) => tile("u32", shape, values)
const bool = (shape: ReadonlyArray<number>, ...values: ReadonlyArray<number>) => tile("bool", shape, values)

const ctx = { mayReuse: () => false } as unknown as EvalContext
/** Types and evaluates one equation; operands must come out unchanged. */
const apply = (name: string, params: Params, operands: ReadonlyArray<ArrayValue>): ArrayValue => {
  const record = primitive(name)!
  const before = operands.map((o) => o.data.slice())
  const atoms = operands.map((o, id) => ({ _tag: "Var" as const, id, dtype: o.dtype, shape: o.shape }))
  const draft = { params, operands: atoms, indices: [], refs: [], regions: [] }
  const [aval] = record.typing(draft, { ref: () => literal("f32", 0), rank: 0, inline: () => undefined as never })
  const eqn: Eqn = {
    ...draft,
    primitive: name,
    results: [{ _tag: "Var", id: 99, ...aval! }],
    effects: [],
    source: undefined
  }
  const [value] = record.evaluate!(ctx, eqn, operands)
  expect(operands.map((o) => o.data)).toEqual(before)
  expect({ dtype: value!.dtype, shape: value!.shape }).toEqual(aval)
  return value!
}

type Case = readonly [name: string, params: Params, operands: ReadonlyArray<ArrayValue>, result: ArrayValue]
const table = (cases: ReadonlyArray<Case>) => {
  for (const [name, params, operands, expected] of cases) {
    const shapes = operands.map((o) => `${o.dtype}[${o.shape.join(", ")}]`).join(", ")
    it(`${name} ${JSON.stringify(params)} of ${shapes}`, () => {
      const actual = apply(name, params, operands)
      expect({ ...actual, data: [...toHost(actual)] }).toEqual({ ...expected, data: [...toHost(expected)] })
    })
  }
}
const m = f32([2, 3], 1, 2, 3, 4, 5, 6)

describe("shape primitives move elements", () => {
  table([
    ["broadcast", { shape: [2, 2] }, [f32([], 7)], f32([2, 2], 7, 7, 7, 7)],
    ["broadcast", { shape: [2, 3] }, [f32([2, 1], 1, 2)], f32([2, 3], 1, 1, 1, 2, 2, 2)],
    ["broadcast", { shape: [2, 3] }, [f32([1, 3], 1, 2, NaN)], f32([2, 3], 1, 2, NaN, 1, 2, NaN)],
    ["broadcast", { shape: [] }, [f32([], 7)], f32([], 7)],
    ["broadcast", { shape: [0, 3] }, [f32([1, 3], 1, 2, 3)], f32([0, 3])],
    ["reshape", { shape: [3, 2] }, [m], f32([3, 2], 1, 2, 3, 4, 5, 6)],
    ["reshape", { shape: [] }, [f32([1, 1], 5)], f32([], 5)],
    ["reshape", { shape: [0, 7] }, [f32([3, 0])], f32([0, 7])],
    ["transpose", { perm: [1, 0] }, [m], f32([3, 2], 1, 4, 2, 5, 3, 6)],
    ["transpose", { perm: [] }, [f32([], 5)], f32([], 5)],
    ["transpose", { perm: [2, 0, 1] }, [i32([1, 2, 2], 1, 2, 3, 4)], i32([2, 1, 2], 1, 3, 2, 4)],
    ["transpose", { perm: [1, 0] }, [f32([0, 3])], f32([3, 0])],
    ["expandDims", { axes: [0, 2] }, [f32([2], 1, 2)], f32([1, 2, 1], 1, 2)],
    ["expandDims", { axes: [0] }, [f32([], 1)], f32([1], 1)],
    ["squeeze", { axes: [0, 2] }, [f32([1, 2, 1], 1, 2)], f32([2], 1, 2)],
    ["concat", { axis: 1 }, [m, f32([2, 0]), f32([2, 1], 7, 8)], f32([2, 4], 1, 2, 3, 7, 4, 5, 6, 8)],
    ["concat", { axis: 0 }, [bool([1], 1)], bool([1], 1)],
    ["slice", { starts: [0, 1], sizes: [2, 1], strides: [1, 5] }, [m], f32([2, 1], 2, 5)],
    ["slice", { starts: [1], sizes: [2], strides: [2] }, [f32([4], 1, 2, 3, 4)], f32([2], 2, 4)],
    ["slice", { starts: [4], sizes: [0], strides: [1] }, [f32([4], 1, 2, 3, 4)], f32([0])],
    ["slice", { starts: [], sizes: [], strides: [] }, [f32([], 4)], f32([], 4)],
    ["flip", { axes: [1] }, [m], f32([2, 3], 3, 2, 1, 6, 5, 4)],
    ["flip", { axes: [0, 1] }, [m], f32([2, 3], 6, 5, 4, 3, 2, 1)],
    ["flip", { axes: [] }, [m], m],
    ["flip", { axes: [0] }, [f32([0])], f32([0])],
    [
      "pad",
      { low: [1, 0], high: [0, 2] },
      [f32([1, 2], 1, 2), f32([], NaN)],
      f32([2, 4], NaN, NaN, NaN, NaN, 1, 2, NaN, NaN)
    ],
    ["pad", { low: [2], high: [0] }, [f32([0]), f32([], -1)], f32([2], -1, -1)],
    ["take", { axis: 0 }, [m, i32([3], 1, 2, -1)], f32([3, 3], 4, 5, 6, 0, 0, 0, 0, 0, 0)],
    ["take", { axis: 1 }, [m, i32([2, 2], 0, 2, 2, 3)], f32([2, 2, 2], 1, 3, 3, 0, 4, 6, 6, 0)],
    ["take", { axis: 1 }, [m, i32([], 1)], f32([2], 2, 5)],
    ["take", { axis: 0 }, [bool([0]), i32([2], 0, 1)], bool([2], 0, 0)],
    ["iota", { dtype: "i32", shape: [2, 3], axis: 1 }, [], i32([2, 3], 0, 1, 2, 0, 1, 2)],
    ["iota", { dtype: "f16", shape: [2, 2], axis: 0 }, [], f16([2, 2], 0, 0, 1, 1)],
    ["iota", { dtype: "u32", shape: [0], axis: 0 }, [], u32([0])],
    ["full", { shape: [2] }, [scalar("f32", NaN)], f32([2], NaN, NaN)],
    ["full", { shape: [] }, [scalar("bool", 1)], bool([], 1)]
  ])
  it("rounds positions to f16", () => {
    const { data } = apply("iota", { dtype: "f16", shape: [2050], axis: 0 }, [])
    expect(data[2049]).toBe(2048)
  })
})

describe("reductions", () => {
  table([
    ["reduceSum", { axes: [1], keepDims: false }, [m], f32([2], 6, 15)],
    ["reduceSum", { axes: [0], keepDims: true }, [m], f32([1, 3], 5, 7, 9)],
    ["reduceSum", { axes: [0, 1], keepDims: false }, [m], f32([], 21)],
    ["reduceSum", { axes: [1], keepDims: true }, [f32([2, 0])], f32([2, 1], 0, 0)],
    ["reduceSum", { axes: [0], keepDims: false }, [f32([2, 0])], f32([0])],
    ["reduceSum", { axes: [0], keepDims: false }, [i32([2], 2147483647, 1)], i32([], -2147483648)],
    ["reduceSum", { axes: [0], keepDims: false }, [u32([2], 4294967295, 2)], u32([], 1)],
    ["reduceSum", { axes: [0], keepDims: false }, [f32([2], Infinity, -Infinity)], f32([], NaN)],
    ["reduceProd", { axes: [0], keepDims: false }, [i32([2], 65537, 65537)], i32([], 131073)],
    ["reduceProd", { axes: [0], keepDims: false }, [u32([2], 4294967295, 4294967295)], u32([], 1)],
    ["reduceProd", { axes: [0], keepDims: false }, [f32([0])], f32([], 1)],
    ["reduceProd", { axes: [1], keepDims: false }, [m], f32([2], 6, 120)],
    ["reduceMax", { axes: [1], keepDims: false }, [f32([2, 3], -5, -1, -3, 1, NaN, 2)], f32([2], -1, NaN)],
    ["reduceMin", { axes: [0], keepDims: false }, [f32([2, 2], NaN, 5, 1, -5)], f32([2], NaN, -5)],
    ["reduceMax", { axes: [0], keepDims: false }, [f32([2], -Infinity, -Infinity)], f32([], -Infinity)],
    ["reduceMax", { axes: [0], keepDims: false }, [u32([2], 1, 4294967295)], u32([], 4294967295)],
    ["reduceMax", { axes: [1], keepDims: false }, [f32([0, 2])], f32([0])],
    ["reduceAny", { axes: [1], keepDims: false }, [bool([2, 2], 0, 1, 0, 0)], bool([2], 1, 0)],
    ["reduceAny", { axes: [0], keepDims: false }, [bool([0])], bool([], 0)],
    ["reduceAll", { axes: [1], keepDims: false }, [bool([2, 2], 0, 1, 1, 1)], bool([2], 0, 1)],
    ["reduceAll", { axes: [0], keepDims: false }, [bool([0])], bool([], 1)],
    ["argmax", { axes: [0], keepDims: false }, [f32([5], 2, 5, 5, 2, 5)], i32([], 1)],
    ["argmax", { axes: [0], keepDims: false }, [f32([3], NaN, 6, 8)], i32([], 0)],
    ["argmax", { axes: [0], keepDims: false }, [f32([4], 6, NaN, 8, NaN)], i32([], 1)],
    ["argmin", { axes: [0], keepDims: false }, [f32([4], 6, -8, NaN, -9)], i32([], 2)],
    ["argmin", { axes: [0], keepDims: true }, [i32([3], 3, -1, -1)], i32([1], 1)],
    ["argmax", { axes: [0, 1], keepDims: false }, [f32([2, 3], 1, 2, 3, 9, 5, 6)], i32([], 3)],
    ["argmax", { axes: [0, 2], keepDims: false }, [i32([2, 2, 2], 0, 1, 2, 3, 4, 5, 6, 1)], i32([2], 3, 2)],
    ["argmax", { axes: [0], keepDims: false }, [f32([2], -0, 0)], i32([], 0)],
    ["cumsum", { axis: 0, reverse: false }, [f32([3], 1, 2, 3)], f32([3], 1, 3, 6)],
    ["cumsum", { axis: 0, reverse: true }, [f32([3], 1, 2, 3)], f32([3], 6, 5, 3)],
    ["cumsum", { axis: 0, reverse: false }, [m], f32([2, 3], 1, 2, 3, 5, 7, 9)],
    ["cumsum", { axis: 1, reverse: true }, [i32([2, 2], 1, 2, 3, 4)], i32([2, 2], 3, 2, 7, 4)],
    ["cumsum", { axis: 1, reverse: false }, [f32([2, 0])], f32([2, 0])],
    ["cummax", { axis: 0, reverse: false }, [f32([4], 1, NaN, 3, 2)], f32([4], 1, NaN, NaN, NaN)],
    ["cummax", { axis: 0, reverse: true }, [i32([4], 1, 5, 3, 2)], i32([4], 5, 5, 3, 2)]
  ])
  it("add element l to partial l mod 16, and the partials as a balanced tree", () => {
    // 1 lost beside 2^24 unless both meet their like first: elements 0 and 16 share a partial, 0 and 1 do not.
    const values = Array.from({ length: 32 }, () => 0)
    values[0] = 2 ** 24
    values[16] = 1
    values[1] = 1
    expect(apply("reduceSum", { axes: [0], keepDims: false }, [f32([32], ...values)]).data[0]).toBe(2 ** 24)
    values[16] = 0
    values[2] = 1
    values[3] = 1
    expect(apply("reduceSum", { axes: [0], keepDims: false }, [f32([32], ...values)]).data[0]).toBe(2 ** 24 + 2)
  })
  it("of several axes count elements in row-major order over these axes", () => {
    const values = new Array<number>(2 * 3 * 16).fill(0)
    values[16] = 2 ** 24
    values[48 + 16] = 1
    values[17] = 1
    const sum = apply("reduceSum", { axes: [0, 2], keepDims: false }, [f32([2, 3, 16], ...values)])
    expect([...sum.data]).toEqual([0, 2 ** 24, 0])
  })
  it("round each f16 step to f16", () => {
    expect(apply("reduceSum", { axes: [0], keepDims: false }, [f16([2], 2048, 1)]).data[0]).toBe(2048)
    expect(apply("cumsum", { axis: 0, reverse: false }, [f16([3], 2048, 1, 1)]).data[2]).toBe(2048)
  })
})

describe("dot", () => {
  const a = f32([2, 3], 1, 2, 3, 4, 5, 6)
  const b = f32([3, 2], 1, 0, 0, 1, 1, 1)
  const plain = { transposeA: false, transposeB: false }
  table([
    ["dot", plain, [a, b], f32([2, 2], 4, 5, 10, 11)],
    ["dot", { transposeA: true, transposeB: false }, [f32([3, 2], 1, 4, 2, 5, 3, 6), b], f32([2, 2], 4, 5, 10, 11)],
    ["dot", { transposeA: false, transposeB: true }, [a, f32([2, 3], 1, 0, 1, 0, 1, 1)], f32([2, 2], 4, 5, 10, 11)],
    [
      "dot",
      { transposeA: true, transposeB: true },
      [f32([3, 2], 1, 4, 2, 5, 3, 6), f32([2, 3], 1, 0, 1, 0, 1, 1)],
      f32([2, 2], 4, 5, 10, 11)
    ],
    ["dot", plain, [f32([2, 1, 2], 1, 2, 3, 4), f32([2, 2, 1], 5, 6, 7, 8)], f32([2, 1, 1], 17, 53)],
    ["dot", plain, [f32([0, 3]), f32([3, 2], 1, 2, 3, 4, 5, 6)], f32([0, 2])],
    ["dot", plain, [f32([1, 0]), f32([0, 2])], f32([1, 2], 0, 0)],
    ["dot", plain, [f16([1, 2], 2048, 1), f16([2, 1], 1, 1)], f32([1, 1], 2049)],
    ["dot", plain, [i32([1, 2], 65537, 1), i32([2, 1], 65537, -1)], i32([1, 1], 131072)],
    ["dot", plain, [u32([1, 1], 4294967295), u32([1, 1], 2)], u32([1, 1], 4294967294)]
  ])
  it("adds along k in order, rounding product and sum", () => {
    const big = f32([1, 3], 2 ** 24, 1, 1)
    expect(apply("dot", plain, [big, f32([3, 1], 1, 1, 1)]).data[0]).toBe(2 ** 24)
    const x = 1 + 2 ** -12
    expect(apply("dot", plain, [f32([1, 2], x, 1), f32([2, 1], x, -1)]).data[0]).toBe(Math.fround(x * x) - 1)
  })
})

describe("moves keep the bits of NaN", () => {
  const bits = new Uint32Array([0x7f800001, 0xffc12345])
  const nan: ArrayValue = { dtype: "f32", shape: [2], data: new Float32Array(bits.buffer.slice(0)) }
  const at0 = i32([2], 0, 1)
  const cases: ReadonlyArray<readonly [string, Params, ReadonlyArray<ArrayValue>]> = [
    ["broadcast", { shape: [2] }, [nan]],
    ["transpose", { perm: [0] }, [nan]],
    ["slice", { starts: [0], sizes: [2], strides: [1] }, [nan]],
    ["flip", { axes: [] }, [nan]],
    ["concat", { axis: 0 }, [nan]],
    ["pad", { low: [0], high: [0] }, [nan, scalar("f32", 0)]],
    ["take", { axis: 0 }, [nan, at0]]
  ]
  for (const [name, params, operands] of cases)
    it(name, () => expect(new Uint32Array(apply(name, params, operands).data.slice().buffer)).toEqual(bits))
})
