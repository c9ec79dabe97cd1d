import { bool, f16, f32, i32, Tile, u32, type DType, type Shape } from "effect-kernels"
import { describe, expectTypeOf, it } from "vitest"
import { typed, unknownSize } from "./typed.ts"

const v = Tile.zeros(f32, [4, 8])
const col = Tile.zeros(f32, [4, 1])
const row = Tile.zeros(f32, [1, 8])
const s = Tile.of(f32, 2)
const n = unknownSize(4)
const dyn = Tile.zeros(f32, [n, 8])
const flags = v.gt(0)
const ints = Tile.zeros(i32, [4, 8])

describe("elementwise operations", () => {
  it("stretch dimensions of size 1, and scalars to any shape", () => {
    typed(v.add(col)).is("f32", [4, 8])
    typed(col.add(v)).is("f32", [4, 8])
    typed(col.mul(row)).is("f32", [4, 8])
    typed(v.sub(s)).is("f32", [4, 8])
    typed(s.sub(v)).is("f32", [4, 8])
    typed(v.add(1)).is("f32", [4, 8])
    typed(s.add(1)).is("f32", [])
    typed(v.clamp(0, row)).is("f32", [4, 8])
    typed(s.fma(v, 1)).is("f32", [4, 8])
    typed(s.fma(col, row)).is("f32", [4, 8])
    typed(s.sub(col).add(row).mul(v)).is("f32", [4, 8])
    typed(v.neg().exp().isNaN()).is("bool", [4, 8])
  })
  it("take the static size where one of two is dynamic, and stay dynamic where both are", () => {
    typed(dyn.add(v)).is("f32", [4, 8])
    typed(v.add(dyn)).is("f32", [4, 8])
    typed(dyn.add(dyn)).is("f32", [n, 8])
    typed(dyn.add(row)).is("f32", [n, 8])
    typed(v.lt(dyn)).is("bool", [4, 8])
  })
  it("take numbers on either side as functions", () => {
    typed(Tile.add(v, col)).is("f32", [4, 8])
    typed(Tile.add(v, 1)).is("f32", [4, 8])
    typed(Tile.div(1, v)).is("f32", [4, 8])
    typed(Tile.sub(1, ints)).is("i32", [4, 8])
    typed(Tile.lt(0, v)).is("bool", [4, 8])
    typed(Tile.eq(flags, flags)).is("bool", [4, 8])
    typed(Tile.maximum(s, v)).is("f32", [4, 8])
    typed(Tile.fma(v, 2, row)).is("f32", [4, 8])
    typed(Tile.exp(v)).is("f32", [4, 8])
  })
  it("select numbers and tiles on either side", () => {
    typed(Tile.select(flags, v, 0)).is("f32", [4, 8])
    typed(Tile.select(flags, 0, ints)).is("i32", [4, 8])
    typed(Tile.select(s.gt(1), col, row)).is("f32", [4, 8])
    typed(flags.select(v, 0)).is("f32", [4, 8])
    typed(flags.select(0, v)).is("f32", [4, 8])
    typed(flags.select(flags, flags.not())).is("bool", [4, 8])
  })
  it("change the dtype by name", () => {
    typed(v.convert(i32)).is("i32", [4, 8])
    typed(Tile.convert(flags, f16)).is("f16", [4, 8])
    typed(v.bitcast(u32)).is("u32", [4, 8])
    typed(Tile.bitcast(ints, f32)).is("f32", [4, 8])
  })
})

describe("tiles made from nothing", () => {
  it("have the dtype and shape that they are made of", () => {
    typed(Tile.of(i32, 3)).is("i32", [])
    typed(Tile.full(bool, [2], true)).is("bool", [2])
    typed(Tile.full(f32, [2, 3], s)).is("f32", [2, 3])
    typed(Tile.ones(f16, [n])).is("f16", [n])
    typed(Tile.iota(u32, [2, 3], -1)).is("u32", [2, 3])
  })
})

describe("reductions", () => {
  it("take out the axes that they are over, from the front or the end, one or several", () => {
    typed(Tile.sum(v)).is("f32", [])
    typed(Tile.sum(v, { axis: 0 })).is("f32", [8])
    typed(Tile.max(v, { axis: -1 })).is("f32", [4])
    typed(Tile.min(v, { axis: [0, -1] })).is("f32", [])
    typed(Tile.prod(Tile.zeros(i32, [2, 3, 4]), { axis: [0, 2] })).is("i32", [3])
    typed(Tile.argmax(v, { axis: 1 })).is("i32", [4])
    typed(Tile.any(flags, { axis: 0 })).is("bool", [8])
    typed(Tile.sum(dyn, { axis: 1 })).is("f32", [n])
  })
  it("keep them with size 1 where asked to", () => {
    typed(Tile.sum(v, { keepDims: true })).is("f32", [1, 1])
    typed(Tile.sum(v, { axis: 1, keepDims: true })).is("f32", [4, 1])
    typed(Tile.max(v, { axis: [-2], keepDims: true })).is("f32", [1, 8])
    typed(Tile.argmin(dyn, { axis: -1, keepDims: true })).is("i32", [n, 1])
  })
  it("over an axis known as a number only give a shape that is not known", () => {
    expectTypeOf(Tile.sum(v, { axis: unknownSize(1) })).toEqualTypeOf<Tile.Tile<"f32", Shape.Shape>>()
  })
  it("leave the shape as it is where they are cumulative", () => {
    typed(Tile.cumsum(v, { axis: 1 })).is("f32", [4, 8])
    typed(Tile.cummax(ints, { axis: -1, reverse: true })).is("i32", [4, 8])
  })
})

describe("operations on shapes", () => {
  it("reverse or permute axes", () => {
    typed(Tile.transpose(v)).is("f32", [8, 4])
    typed(Tile.transpose(Tile.zeros(i32, [2, 3, 4]), [2, 0, 1])).is("i32", [4, 2, 3])
    typed(Tile.transpose(dyn)).is("f32", [8, n])
  })
  it("put in and take out axes of size 1", () => {
    typed(Tile.expandDims(v, 0)).is("f32", [1, 4, 8])
    typed(Tile.expandDims(v, 1)).is("f32", [4, 1, 8])
    typed(Tile.expandDims(v, -1)).is("f32", [4, 8, 1])
    typed(Tile.expandDims(s, 0)).is("f32", [1])
    typed(Tile.squeeze(col, 1)).is("f32", [4])
    typed(Tile.squeeze(Tile.expandDims(col, 0), [0, -1])).is("f32", [4])
  })
  it("take the shape that they are given", () => {
    typed(Tile.reshape(v, [2, 16])).is("f32", [2, 16])
    typed(Tile.broadcast(col, [4, 8])).is("f32", [4, 8])
    typed(Tile.broadcast(s, [n])).is("f32", [n])
    typed(Tile.slice(v, { starts: [0, -4], sizes: [4, 2], strides: [1, 2] })).is("f32", [4, 2])
    typed(Tile.flip(v, { axis: 0 })).is("f32", [4, 8])
  })
})

describe("dot", () => {
  it("contracts the last axis with the one before the last, or as transposed", () => {
    typed(Tile.dot(v, Tile.zeros(f32, [8, 3]))).is("f32", [4, 3])
    typed(Tile.dot(v, v, { transposeB: true })).is("f32", [4, 4])
    typed(Tile.dot(v, v, { transposeA: true })).is("f32", [8, 8])
    typed(Tile.dot(v, Tile.zeros(f32, [3, 4]), { transposeA: true, transposeB: true })).is("f32", [8, 3])
  })
  it("goes batch by batch", () => {
    typed(Tile.dot(Tile.zeros(i32, [2, 4, 8]), Tile.zeros(i32, [2, 8, 3]))).is("i32", [2, 4, 3])
  })
  it("accumulates f16 in f32", () => {
    typed(Tile.dot(Tile.zeros(f16, [4, 8]), Tile.zeros(f16, [8, 3]))).is("f32", [4, 3])
  })
  it("leaves to the trace what sizes do not tell", () => {
    typed(Tile.dot(dyn, Tile.zeros(f32, [unknownSize(8), 3]))).is("f32", [n, 3])
  })
})

describe("helpers that are generic in dtype and shape", () => {
  const logistic = <D extends DType.Float, S extends Shape.Shape>(x: Tile.Tile<D, S>): Tile.Tile<D, S> =>
    x.neg().exp().add(1).pow(-1)
  const softplus = <D extends DType.Float, S extends Shape.Shape>(x: Tile.Tile<D, S>): Tile.Tile<D, S> =>
    Tile.log(Tile.add(Tile.exp(x), 1))
  it("give the type of their argument", () => {
    typed(logistic(v)).is("f32", [4, 8])
    typed(softplus(Tile.ones(f16, [n]))).is("f16", [n])
  })
})

describe("a tile", () => {
  it("is covariant in dtype and shape", () => {
    expectTypeOf<Tile.Tile<"f32", [4, 8]>>().toExtend<Tile.Tile<DType.Float, readonly [number, number]>>()
    expectTypeOf<Tile.Tile<"f32", [4]>>().toExtend<Tile.Any>()
    expectTypeOf<Tile.Tile<"i32", [4]>>().not.toExtend<Tile.Tile<"f32", [4]>>()
    expectTypeOf<Tile.Tile<"f32", [4]>>().not.toExtend<Tile.Tile<"f32", [8]>>()
  })
})
