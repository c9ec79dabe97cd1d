/** Prints of whatever is there, and assertions that mostly hold. */
import { type Atom, literal } from "../../ir/program.ts"
import type { Gen } from "./state.ts"
import * as Tiles from "./tiles.ts"

export const print = (gen: Gen): void => {
  const tiles = Array.from({ length: gen.draw.below(3) }, () => gen.use(Tiles.anyTile(gen, [Tiles.dtype(gen.draw)])))
  const names = gen.draw.chance(0.4) ? tiles.map((_, k) => `x${k}`) : []
  gen.budget--
  gen.builder.emit("print", tiles, { params: { label: `label ${gen.draw.below(10)}`, names } })
}

/** A number that does not come from floats, whose comparison with itself would hang on how they are rounded. */
const known = (gen: Gen): Atom => gen.draw.maybe(gen.place) ?? literal("i32", gen.draw.below(9))
const truths: ReadonlyArray<(gen: Gen) => Atom> = [
  (gen) => {
    const x = known(gen)
    return gen.op("eq", [x, x])
  },
  (gen) => gen.op("ge", [known(gen), literal("i32", 0)]),
  (gen) => {
    const [x, y] = [known(gen), known(gen)]
    return gen.op("le", [gen.op("min", [x, y]), y])
  },
  (gen) => {
    const shape = Tiles.shape(gen.draw, gen.draw.between(1, 2))
    const positions = gen.op("iota", [], { dtype: "i32", shape, axis: 0 })
    const hold = gen.op("lt", [positions, literal("i32", shape[0]!)])
    return gen.op("reduceAll", [hold], { axes: shape.map((_, d) => d), keepDims: false })
  },
  () => literal("bool", 1)
]
/** An assertion; with a probability of `failing`, one of whatever condition there is. */
export const assert = (gen: Gen, failing: number): void => {
  const holds = gen.draw.chance(failing) ? Tiles.condition(gen) : gen.draw.of(truths)(gen)
  const shown = Array.from({ length: gen.draw.below(3) }, () => Tiles.scalar(gen, Tiles.dtype(gen.draw)))
  gen.budget--
  const params = { kind: "assertion", detail: `number ${gen.draw.below(100)}` }
  gen.builder.emit(
    "assert",
    [holds, ...shown].map((o) => gen.use(o)),
    { params }
  )
}
