/** Whether data is a view that makes sense under the indices of an equation; its type is `viewAval`'s. */
import * as DType from "../DType.ts"
import { showAval } from "./literal.ts"
import type { Aval } from "./program.ts"
import { TypingError } from "./typing.ts"
import type { View } from "./view.ts"

type Fields = { readonly [key: string]: unknown }
const require = (holds: boolean, detail: string): void => {
  if (!holds) throw new TypingError(detail)
}
const fields = (u: unknown, what: string): Fields => {
  if (typeof u !== "object" || u === null) throw new TypingError(`the view has a malformed ${what}`)
  return u as Fields
}
const list = (u: unknown, what: string): ReadonlyArray<unknown> => {
  if (!Array.isArray(u)) throw new TypingError(`the view has a malformed ${what}`)
  return u
}
/** Positions beyond i32 would not survive index arithmetic. */
const isWord = (u: unknown): u is number => Number.isInteger(u) && Math.abs(u as number) <= 2 ** 31
const isCount = (u: unknown): u is number => isWord(u) && u >= 0

const checkPosition = (u: unknown, indices: ReadonlyArray<Aval>): Aval => {
  const aval = isCount(u) ? indices[u] : undefined
  if (aval === undefined)
    throw new TypingError(`the view names index ${String(u)}, and the equation has ${indices.length}`)
  return aval
}
const checkTerm = (u: unknown, indices: ReadonlyArray<Aval>): void => {
  const term = fields(u, "affine form")
  if (term["_tag"] === "Index") {
    const aval = checkPosition(term["index"], indices)
    require(aval.dtype === "i32" && aval.shape.length === 0, `a position is ${showAval(aval)} and must be i32[]`)
  } else {
    require(term["_tag"] === "FloorDiv" || term["_tag"] === "Mod", "the view has a malformed affine form")
    const { by } = term
    require(isCount(by) && by >= 1, `the view divides by ${String(by)}`)
    checkAffine(term["of"], indices)
  }
}
const checkAffine = (u: unknown, indices: ReadonlyArray<Aval>): void => {
  const { constant, terms } = fields(u, "affine form")
  require(isWord(constant), `the view has the offset ${String(constant)}, which is no i32`)
  for (const t of list(terms, "affine form")) {
    const { coefficient, term } = fields(t, "affine form")
    require(isWord(coefficient), `the view has the coefficient ${String(coefficient)}, which is no i32`)
    checkTerm(term, indices)
  }
}
const checkEntry = (u: unknown, indices: ReadonlyArray<Aval>): void => {
  const entry = fields(u, "index")
  const { padded, size, stride } = entry
  const marks: ReadonlyArray<unknown> = { Point: [true], Range: [true, "wholly"] }[String(entry["_tag"])] ?? []
  require(padded === undefined || marks.includes(padded), `the view has an index with the mark ${String(padded)}`)
  if (entry["_tag"] === "Point") checkAffine(entry["at"], indices)
  else if (entry["_tag"] === "Range") {
    checkAffine(entry["start"], indices)
    require(isCount(size), `the view has a slice of size ${String(size)}`)
    require(isCount(stride) && stride >= 1, `the view has a slice with stride ${String(stride)}`)
  } else {
    require(entry["_tag"] === "Gather", "the view has a malformed index")
    checkPosition(entry["index"], indices)
  }
}
const checkTransform = (u: unknown, indices: ReadonlyArray<Aval>): void => {
  const t = fields(u, "step")
  if (t["_tag"] === "Index") for (const entry of list(t["at"], "index")) checkEntry(entry, indices)
  else if (t["_tag"] === "Reshape") require(list(t["shape"], "shape").every(isCount), "the view has a malformed shape")
  else if (t["_tag"] === "Transpose")
    require(list(t["perm"], "permutation").every(isCount), "the view has a malformed permutation")
  else
    require(t["_tag"] === "Bitcast" && DType.names.includes(t["dtype"] as DType.Name), "the view has a malformed step")
}

/** The view, if it is one under these indices; throws `TypingError` where it names what is not there, or is malformed. */
export const checkView = (u: unknown, indices: ReadonlyArray<Aval>): View => {
  for (const t of list(u, "form")) checkTransform(t, indices)
  return u as View
}
