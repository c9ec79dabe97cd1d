/** Typing of operations of subgroups. */
import { isFloat } from "../../DType.ts"
import type * as DType from "../../DType.ts"
import type { Draft, TypeRule } from "../../ir/primitive.ts"
import type { Aval, Params } from "../../ir/program.ts"
import { TypingError } from "../../ir/typing.ts"
import * as Shape from "../../Shape.ts"
import { rangeOf } from "./defined.ts"
import * as P from "./params.ts"
import { checkPlain } from "./record.ts"

const numeric: ReadonlyArray<DType.Name> = ["f32", "f16", "i32", "u32"]
const integers: ReadonlyArray<DType.Name> = ["i32", "u32"]
const truth: ReadonlyArray<DType.Name> = ["bool"]

const reductions = {
  sum: numeric,
  prod: numeric,
  max: numeric,
  min: numeric,
  and: integers,
  or: integers,
  xor: integers,
  all: truth,
  any: truth
} as const
const scans = { sum: numeric, prod: numeric } as const
const modes = { index: true, xor: true, up: true, down: true } as const
export type Reduction = keyof typeof reductions
export type Scan = keyof typeof scans
/** How lanes say where a lane reads from: there, at its own number xor them, so many before or after itself. */
export type Mode = keyof typeof modes

const one = <const T extends object>(table: T, params: Params, name: string): keyof T => {
  const value = P.text(params, name)
  if (!Object.hasOwn(table, value))
    throw new TypingError(`parameter "${name}" is "${value}"`, `it must be ${Object.keys(table).join(", ")}`)
  return value as keyof T
}
export const reductionOf = (params: Params): Reduction => one(reductions, params, "op")
export const scanOf = (params: Params): Scan => one(scans, params, "op")
export const modeOf = (params: Params): Mode => one(modes, params, "mode")

/** What changes nothing: the value of lanes without an element. */
export const identityOf = (op: Reduction, dtype: DType.Name): number => {
  const [least, greatest] = isFloat(dtype) ? [-Infinity, Infinity] : rangeOf(dtype)
  const identities: { readonly [K in Reduction]: number } = {
    sum: 0,
    prod: 1,
    max: least,
    min: greatest,
    and: dtype === "i32" ? -1 : greatest,
    or: 0,
    xor: 0,
    all: 1,
    any: 0
  }
  return identities[op]
}

const checkDtype = (what: string, { dtype }: Aval, allowed: ReadonlyArray<DType.Name>): void => {
  if (!allowed.includes(dtype))
    throw new TypingError(`${dtype} has no ${what} over a subgroup`, `use ${allowed.join(" or ")}`)
}
const alike = ({ dtype, shape }: Aval): ReadonlyArray<Aval> => [{ dtype, shape }]
const tileOf = (eqn: Draft, operands = 1): Aval => {
  checkPlain(eqn, operands)
  return eqn.operands[0]!
}

export const reduce: TypeRule = (eqn) => {
  const tile = tileOf(eqn)
  const op = reductionOf(eqn.params)
  checkDtype(op, tile, reductions[op])
  return alike(tile)
}
export const scan: TypeRule = (eqn) => {
  const tile = tileOf(eqn)
  const op = scanOf(eqn.params)
  P.flag(eqn.params, "exclusive")
  checkDtype(`running ${op}`, tile, scans[op])
  return alike(tile)
}
export const shuffle: TypeRule = (eqn) => {
  const tile = tileOf(eqn, 2)
  modeOf(eqn.params)
  const lanes = eqn.operands[1]!
  if (lanes.dtype !== "i32") throw new TypingError(`lanes are ${lanes.dtype}`, "convert them to i32")
  if (lanes.shape.length > 0 && !Shape.equals(lanes.shape, tile.shape))
    throw new TypingError(
      `lanes of shape ${Shape.show(lanes.shape)} for a tile of shape ${Shape.show(tile.shape)}`,
      "give a scalar, or one per element"
    )
  return alike(tile)
}
export const ballot: TypeRule = (eqn) => {
  const tile = tileOf(eqn)
  checkDtype("ballot", tile, truth)
  return [P.result("u32", [...tile.shape, 4])]
}
export const size: TypeRule = (eqn) => {
  checkPlain(eqn, 0)
  return [{ dtype: "i32", shape: [] }]
}
export const lane: TypeRule = (eqn) => {
  checkPlain(eqn, 0)
  return [P.result("i32", P.shape(eqn.params, "shape"))]
}
