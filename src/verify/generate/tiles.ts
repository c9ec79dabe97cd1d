/** Where operands come from: literals, values in scope, values made to fit. */
import * as DType from "../../DType.ts"
import { type Atom, type Aval, type Literal, literal } from "../../ir/program.ts"
import * as Shape from "../../Shape.ts"
import { sameType } from "../../ir/aval.ts"
import type { Draw } from "./draw.ts"
import { type Gen, largest } from "./state.ts"

const sizes: ReadonlyArray<readonly [size: number, weight: number]> = [
  [0, 1],
  [1, 6],
  [2, 8],
  [3, 8],
  [4, 8],
  [5, 6],
  [7, 4],
  [8, 4],
  [11, 2],
  [13, 2],
  [16, 2],
  [17, 2],
  [31, 1],
  [64, 1],
  [97, 1]
]
export const size = (draw: Draw): number => draw.weighted(sizes, ([, weight]) => weight)[0]
/** A shape of at most `largest` elements; zero, ones, primes and powers of two are among its sizes. */
export const shape = (
  draw: Draw,
  rank: number = draw.weighted([0, 1, 2, 3, 4], (r) => [2, 6, 6, 3, 1][r]!)
): Shape.Shape => {
  const out: Array<number> = []
  for (let d = 0; d < rank; d++) {
    const n = size(draw)
    out.push(Shape.size(out) * n > largest ? draw.between(1, 2) : n)
  }
  return Shape.size(out) > largest ? out.map(() => 1) : out
}

const special: { readonly [N in DType.Name]: ReadonlyArray<number> } = {
  f32: [NaN, Infinity, -Infinity, 3.4028234663852886e38, 1.1754943508222875e-38, Math.fround(0.1), 16777216],
  f16: [NaN, Infinity, -Infinity, 65504, 0.0999755859375],
  i32: [-2147483648, 2147483647, 32, -33],
  u32: [4294967295, 2147483648, 32],
  bool: [0, 1],
  bf16: [NaN, Infinity, -Infinity, 3.3895313892515355e38, 1.1754943508222875e-38, 0.10009765625],
  i8: [-128, 127],
  u8: [255, 128],
  i4: [-8, 7],
  u4: [15, 8]
}
/** A number of that dtype: small and whole, so that arithmetic on it is exact, or now and then an extreme one. */
export const number = (draw: Draw, dtype: DType.Name, extremes = 0.05): number => {
  if (draw.chance(extremes)) return draw.of(special[dtype])
  if (dtype === "bool") return draw.below(2)
  const wide = DType.widened(dtype)
  if (wide === "u32") return draw.below(12)
  const whole = draw.between(-8, dtype === "i4" ? 7 : 8)
  return DType.isFloat(wide) && draw.chance(0.2) ? whole / 4 + 0 : whole
}
export const constant = (draw: Draw, dtype: DType.Name): Literal => literal(dtype, number(draw, dtype))

export const dtype = (draw: Draw): DType.Compute =>
  draw.weighted(DType.computeNames, (name) => ({ f32: 6, f16: 3, i32: 5, u32: 3, bool: 3 })[name])
/** A dtype of memory. */
export const stored = (draw: Draw): DType.Name =>
  draw.chance(0.25) ? draw.of(DType.names.filter(DType.isStorage)) : dtype(draw)
/** The tile of what a view shows. */
export const shown = ({ dtype, shape }: Aval): Aval => ({ dtype: DType.widened(dtype), shape })

export const scalar = (gen: Gen, of: DType.Name): Atom =>
  (gen.draw.chance(0.6) ? gen.find((v) => v.dtype === of && v.shape.length === 0) : undefined) ?? constant(gen.draw, of)

/** A tile made from nothing. */
export const fresh = (gen: Gen, { dtype, shape }: Aval): Atom => {
  if (shape.length > 0 && dtype !== "bool" && gen.draw.chance(0.7))
    return gen.op("iota", [], { dtype, shape, axis: gen.draw.below(shape.length) })
  const value = constant(gen.draw, dtype)
  return shape.length === 0 ? value : gen.op("full", [value], { shape })
}

const reshaped = (gen: Gen, v: Atom, shape: Shape.Shape): Atom =>
  Shape.equals(v.shape, shape) ? v : gen.op("reshape", [v], { shape })
const slice = (n: number) => ({ starts: [0], sizes: [n], strides: [1] })
/** The value converted, cut and padded to another type: bits move, none is lost in arithmetic. */
export const adapt = (gen: Gen, v: Atom, to: Aval): Atom => {
  const value = v.dtype === to.dtype ? v : gen.op("convert", [v], { dtype: to.dtype })
  if (value.shape.length === 0 && to.shape.length > 0) return gen.op("full", [value], { shape: to.shape })
  const [have, want] = [Shape.size(value.shape), Shape.size(to.shape)]
  if (have === want) return reshaped(gen, value, to.shape)
  const flat = reshaped(gen, value, [have])
  if (have > want) return reshaped(gen, gen.op("slice", [flat], slice(want)), to.shape)
  const padded = gen.op("pad", [flat, constant(gen.draw, to.dtype)], { low: [0], high: [want - have] })
  return reshaped(gen, padded, to.shape)
}

/** A value of this very type. */
export const tile = (gen: Gen, aval: Aval): Atom => {
  const known = gen.find((v) => sameType(v, aval))
  if (known !== undefined && gen.draw.chance(0.8)) return known
  const other = gen.find((v) => v.dtype === aval.dtype && gen.draw.chance(0.7)) ?? gen.find(() => true)
  if (other !== undefined && gen.budget > 0 && gen.draw.chance(0.7)) return adapt(gen, other, aval)
  return known ?? fresh(gen, aval)
}
/** A value of this type, or a scalar that stretches to it. */
export const stretching = (gen: Gen, aval: Aval): Atom =>
  gen.draw.chance(0.25) ? scalar(gen, aval.dtype) : tile(gen, aval)

/** Any tile of one of these dtypes. */
export const anyTile = (gen: Gen, dtypes: ReadonlyArray<DType.Name>): Atom => {
  const found = gen.find((v) => dtypes.includes(v.dtype))
  if (found !== undefined && gen.draw.chance(0.85)) return found
  const of = gen.draw.of(dtypes)
  const source = gen.find((v) => v.shape.length > 0)
  if (source !== undefined && gen.draw.chance(0.7)) return gen.op("convert", [source], { dtype: of })
  return fresh(gen, { dtype: of, shape: shape(gen.draw) })
}

/** A condition of this shape, or one condition for all. */
export const mask = (gen: Gen, shape: Shape.Shape): Atom => {
  const { draw } = gen
  if (shape.length === 0 || draw.chance(0.2)) return condition(gen)
  const known = gen.find((v) => sameType(v, { dtype: "bool", shape }))
  if (known !== undefined && draw.chance(0.6)) return known
  const axis = draw.below(shape.length)
  const positions = gen.op("iota", [], { dtype: "i32", shape, axis })
  return gen.op(draw.of(["lt", "ge", "ne"]), [positions, literal("i32", draw.below(shape[axis]! + 2))])
}
/** A bool scalar. */
export const condition = (gen: Gen): Atom => {
  const { draw } = gen
  const known = gen.find((v) => v.dtype === "bool" && v.shape.length === 0)
  if (known !== undefined && draw.chance(0.6)) return known
  const of = draw.of(["i32", "f32", "u32"] as const)
  const left = gen.find((v) => v.dtype === of && v.shape.length === 0)
  if (left === undefined) return literal("bool", draw.below(2))
  return gen.op(draw.of(["lt", "le", "gt", "ge", "eq", "ne"]), [left, constant(draw, of)])
}
