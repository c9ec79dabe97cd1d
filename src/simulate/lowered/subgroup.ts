/** What the lanes of a subgroup do together. */
import * as DType from "../../DType.ts"
import type { Stmt, SubgroupOp } from "../../ir/lowered.ts"
import { primitive } from "../../primitives/index.ts"

const folds: { readonly [K in SubgroupOp]?: string } = {
  Add: "add",
  Mul: "mul",
  Max: "max",
  Min: "min",
  And: "and",
  Or: "or",
  Xor: "xor",
  All: "and",
  Any: "or",
  InclusiveAdd: "add",
  ExclusiveAdd: "add",
  InclusiveMul: "mul",
  ExclusiveMul: "mul"
}
type Operation = Stmt & { readonly _tag: "Subgroup" }

const fold = ({ dtype, op }: Operation, values: ReadonlyArray<number>): number => {
  const name = folds[op]!
  const f = primitive(name)!.elementwise!.scalar(dtype, {})
  return values.length === 0 ? Number(name === "mul") : values.reduce((a, b) => DType.round(dtype)(f(a, b)))
}
/** What lane `k` of a subgroup gets, from the values of all and the lane that it reads from; `word` is the ballot's. */
export const combined = (
  s: Operation,
  values: ReadonlyArray<number>,
  from: number | undefined,
  k: number,
  word: number
): number => {
  if (s.op === "Shuffle") return values[from!] ?? NaN
  if (s.op === "Ballot") return values.reduce((bits, v, l) => bits + (l >> 5 === word ? v * 2 ** (l & 31) : 0), 0)
  if (s.op.startsWith("Inclusive")) return fold(s, values.slice(0, k + 1))
  if (s.op.startsWith("Exclusive")) return fold(s, values.slice(0, k))
  return fold(s, values)
}
