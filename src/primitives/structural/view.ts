/** Checks views that may come from anywhere, and gives what they show. */
import * as DType from "../../DType.ts"
import type { Aval } from "../../ir/program.ts"
import { TypingError } from "../../ir/typing.ts"
import { type Affine, type Entry, type Term, type Transform, type View, viewAval } from "../../ir/view.ts"
import * as P from "./params.ts"

type Loose<T> = { readonly [K in keyof T]?: unknown }
const malformed = (what: string): never => {
  throw new TypingError(`the view has a malformed ${what}`)
}
const isObject = (u: unknown): u is { readonly [key: string]: unknown } => typeof u === "object" && u !== null
const list = (u: unknown, what: string): ReadonlyArray<unknown> => (Array.isArray(u) ? u : malformed(what))
/** Largest word of i32; positions beyond it would not survive index arithmetic. */
const isIndex = (u: unknown): u is number => Number.isInteger(u) && Math.abs(u as number) <= 2 ** 31
const isCount = (u: unknown): u is number => isIndex(u) && u >= 0

const checkIndex = (u: unknown, indices: ReadonlyArray<Aval>): Aval =>
  isCount(u) && u < indices.length ? indices[u]! : malformed(`index: it names index ${String(u)} of ${indices.length}`)

const checkTerm = (u: unknown, indices: ReadonlyArray<Aval>): void => {
  if (!isObject(u)) return malformed("affine form")
  const term: Loose<Term & { readonly of: Affine; readonly by: number; readonly index: number }> = u
  if (term._tag === "Index") {
    const { dtype, shape } = checkIndex(term.index, indices)
    if (dtype !== "i32" || shape.length !== 0)
      throw new TypingError(`a position is ${P.showType({ dtype, shape })}`, "positions are i32 scalars")
  } else if (term._tag === "FloorDiv" || term._tag === "Mod") {
    if (!isCount(term.by) || term.by < 1) malformed("divisor")
    checkAffine(term.of, indices)
  } else malformed("affine form")
}
const checkAffine = (u: unknown, indices: ReadonlyArray<Aval>): void => {
  if (!isObject(u) || !isIndex(u["constant"])) return malformed("affine form")
  for (const t of list(u["terms"], "affine form")) {
    if (!isObject(t) || !isIndex(t["coefficient"])) return malformed("affine form")
    checkTerm(t["term"], indices)
  }
}
const checkEntry = (u: unknown, indices: ReadonlyArray<Aval>): void => {
  if (!isObject(u)) return malformed("index")
  const e: Loose<
    Entry & {
      readonly at: Affine
      readonly start: Affine
      readonly size: number
      readonly stride: number
      readonly index: number
    }
  > = u
  if (e._tag === "Point") checkAffine(e.at, indices)
  else if (e._tag === "Range") {
    checkAffine(e.start, indices)
    if (!isCount(e.size) || !isCount(e.stride) || e.stride < 1) malformed("slice")
  } else if (e._tag === "Gather") checkIndex(e.index, indices)
  else malformed("index")
}
const checkTransform = (u: unknown, indices: ReadonlyArray<Aval>): void => {
  if (!isObject(u)) return malformed("step")
  const t: Loose<
    Transform & { readonly at: unknown; readonly shape: unknown; readonly perm: unknown; readonly dtype: unknown }
  > = u
  if (t._tag === "Index") for (const e of list(t.at, "index")) checkEntry(e, indices)
  else if (t._tag === "Reshape") {
    if (!list(t.shape, "shape").every(isCount)) malformed("shape")
  } else if (t._tag === "Transpose") {
    if (!list(t.perm, "permutation").every(isCount)) malformed("permutation")
  } else if (t._tag === "Bitcast") {
    if (!DType.names.includes(t.dtype as DType.Name)) malformed("dtype")
  } else malformed("step")
}

/** The view, if it is one under these indices. */
export const checkView = (u: unknown, indices: ReadonlyArray<Aval>): View => {
  for (const t of list(u, "form")) checkTransform(t, indices)
  return u as View
}
/** Type of what a view of anywhere shows of `on`. */
export const checkedViewAval = (u: unknown, on: Aval, indices: ReadonlyArray<Aval>): Aval => {
  const { dtype, shape } = viewAval(checkView(u, indices), on, indices)
  return P.result(dtype, shape)
}
