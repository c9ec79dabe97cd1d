/** Draws the parameters of a primitive from the kinds that its record names. */
import * as DType from "../../DType.ts"
import type { ParamKind, Primitive } from "../../ir/primitive.ts"
import type { Aval, Param, Params } from "../../ir/program.ts"
import * as Shape from "../../Shape.ts"
import type { Draw } from "./draw.ts"
import { fits, largest } from "./state.ts"
import * as Tiles from "./tiles.ts"

type Drawn = { [name: string]: Param }
const subset = (draw: Draw, from: ReadonlyArray<number>): ReadonlyArray<number> => from.filter(() => draw.chance(0.5))
const axesOf = ({ shape }: Aval): ReadonlyArray<number> => shape.map((_, d) => d)
const divisors = (n: number): ReadonlyArray<number> =>
  Array.from({ length: n }, (_, k) => k + 1).filter((d) => n % d === 0)

/** Another shape of as many elements. */
export const sameSize = (draw: Draw, shape: Shape.Shape): Shape.Shape => {
  let rest = Shape.size(shape)
  if (rest === 0) return draw.shuffled([0, ...Tiles.shape(draw, draw.below(3))])
  const out: Array<number> = []
  while (rest > 1 && out.length < 3 && draw.chance(0.8)) {
    const d = draw.of(divisors(rest))
    out.push(d)
    rest /= d
  }
  if (rest > 1 || draw.chance(0.2)) out.push(rest)
  return draw.shuffled(out)
}

const broadcastShape = (draw: Draw, { shape }: Aval): Shape.Shape => {
  if (shape.length === 0) return Tiles.shape(draw)
  const out = shape.map((n) => (n === 1 && draw.chance(0.7) ? Tiles.size(draw) : n))
  return fits(out) ? out : shape
}

/** Start, size and stride of a slice hang together: each is drawn within what the ones before it leave. */
const given = (drawn: Drawn, name: string): ReadonlyArray<number> => drawn[name] as ReadonlyArray<number>
const starts = (draw: Draw, { shape }: Aval) => shape.map((n) => (draw.chance(0.5) ? 0 : draw.below(n)))
const sizes = (draw: Draw, { shape }: Aval, drawn: Drawn) =>
  shape.map((n, d) => {
    const room = n - given(drawn, "starts")[d]!
    return draw.chance(0.1) ? 0 : Math.min(draw.between(1, room), room)
  })
const strides = (draw: Draw, { shape }: Aval, drawn: Drawn) =>
  given(drawn, "sizes").map((size, d) => {
    if (size <= 1) return draw.between(1, 3)
    return draw.between(1, Math.floor((shape[d]! - 1 - given(drawn, "starts")[d]!) / (size - 1)))
  })
const padding = (draw: Draw, { shape }: Aval) => {
  const room = Shape.size(shape) * 4 <= largest
  return shape.map(() => (room && draw.chance(0.6) ? draw.below(3) : 0))
}

const kinds: { readonly [K in ParamKind]: (draw: Draw, operand: Aval, drawn: Drawn) => Param } = {
  axis: (draw, { shape }, drawn) => draw.below(((drawn["shape"] as Shape.Shape | undefined) ?? shape).length),
  axes: (draw, operand) => subset(draw, axesOf(operand)),
  keepDims: (draw) => draw.chance(0.5),
  permutation: (draw, operand) => draw.shuffled(axesOf(operand)),
  sameSizeShape: (draw, { shape }) => sameSize(draw, shape),
  broadcastShape,
  expandedAxes: (draw, { shape }) =>
    subset(
      draw,
      [...shape, 0, 0].map((_, d) => d)
    ).slice(0, 2),
  unitAxes: (draw, { shape }) =>
    subset(
      draw,
      shape.flatMap((n, d) => (n === 1 ? [d] : []))
    ),
  starts,
  sizes,
  strides,
  padding,
  dtype: (draw) => draw.of(DType.computeNames),
  numericDtype: (draw) => draw.of(DType.computeNames.filter((name) => name !== "bool")),
  bitcastDtype: (draw) => draw.of(["f32", "i32", "u32"]),
  shape: (draw) => Tiles.shape(draw),
  fill: (draw) => draw.between(-4, 4),
  reverse: (draw) => draw.chance(0.5),
  dotDimensions: (draw) => draw.chance(0.5)
}

/** Parameters for an equation of this primitive on `operand`. */
export const params = (draw: Draw, record: Primitive, operand: Aval): Params => {
  const drawn: Drawn = {}
  for (const [name, kind] of Object.entries(record.generate.params ?? {}))
    drawn[name] = kinds[kind](draw, operand, drawn)
  return drawn
}
