/** Equations of pure primitives over tiles, from nothing but their records. */
import * as DType from "../../DType.ts"
import type { Elementwise, Primitive } from "../../ir/primitive.ts"
import { type Atom, literal } from "../../ir/program.ts"
import { attempt } from "../../ir/build.ts"
import { params } from "./params.ts"
import { fits, type Gen } from "./state.ts"
import * as Tiles from "./tiles.ts"

/** Brings a float into the range where the primitive's result is defined by its accuracy rule; mostly. */
const intoDomain = (gen: Gen, record: Primitive, value: Atom): Atom => {
  const domain = record.generate.domain
  if (domain === undefined || !DType.isFloat(value.dtype) || gen.draw.chance(0.25)) return value
  const [lo, hi] = domain
  let v = value
  if (lo > -1) v = gen.op("abs", [v])
  if (lo > 0) v = gen.op("add", [v, literal(v.dtype, 1)])
  if (hi <= 1) v = gen.op("mul", [v, literal(v.dtype, 1 / 8)])
  return v
}

const allowed = (e: Elementwise, k: number): ReadonlyArray<DType.Name> | undefined => {
  const dtypes = e.operands[k]
  return dtypes === "same" ? undefined : dtypes
}
const elementwise = (gen: Gen, record: Primitive, e: Elementwise): Atom => {
  const last = intoDomain(
    gen,
    record,
    Tiles.anyTile(gen, [gen.draw.of(allowed(e, e.operands.length - 1) ?? DType.computeNames)])
  )
  const others = Array.from({ length: e.operands.length - 1 }, (_, k) => {
    const dtype = gen.draw.of(allowed(e, k) ?? [last.dtype])
    return intoDomain(gen, record, Tiles.stretching(gen, { dtype, shape: last.shape }))
  })
  return gen.op(record.name, [...others, last], params(gen.draw, record, last))
}

/** Operand lists that a primitive over tiles might take; its typing rule says which of them it does. */
const guesses = (gen: Gen, first: Atom): ReadonlyArray<() => ReadonlyArray<Atom>> => {
  const like = gen.find((v) => v.dtype === first.dtype && v.shape.length === first.shape.length)
  return [
    () => [first],
    () => [first, Tiles.scalar(gen, first.dtype)],
    () => [first, like ?? first],
    () => [first, first],
    () => [],
    () => [first, Tiles.anyTile(gen, ["i32"])],
    () => [Tiles.scalar(gen, first.dtype)]
  ]
}
const structural = (gen: Gen, record: Primitive): void => {
  for (let tries = 0; tries < 6; tries++) {
    const first = Tiles.anyTile(gen, tries < 3 ? DType.computeNames : [Tiles.dtype(gen.draw)])
    for (const guess of gen.draw.shuffled(guesses(gen, first))) {
      const made = attempt(() => {
        const operands = guess()
        const drawn = params(gen.draw, record, first)
        const [type] = record.typing({ params: drawn, operands, indices: [], refs: [], regions: [] }, gen.builder.scope)
        return type !== undefined && fits(type.shape) ? gen.op(record.name, operands, drawn) : undefined
      })
      if (made !== undefined) return
    }
  }
}

/** One equation of a primitive that is drawn by weight, with what brings its operands into shape. */
export const pure = (gen: Gen): void => {
  const record = gen.draw.weighted(gen.primitives, (p) => p.generate.weight)
  if (record.elementwise !== undefined) attempt(() => elementwise(gen, record, record.elementwise!))
  else structural(gen, record)
}
