/** Whether a view makes sense under the indices that an equation gives it; its type is `viewAval`'s. */
import type { Aval } from "./program.ts"
import { showAval } from "./literal.ts"
import { TypingError } from "./typing.ts"
import type { Affine, Entry, Term, View } from "./view.ts"

const isWord = (n: number): boolean => Number.isInteger(n) && Math.abs(n) <= 2 ** 31
const require = (holds: boolean, detail: string): void => {
  if (!holds) throw new TypingError(detail)
}

const checkPosition = (index: number, indices: ReadonlyArray<Aval>): Aval => {
  const aval = indices[index]
  if (aval === undefined) throw new TypingError(`the view names index ${index}, and the equation has ${indices.length}`)
  return aval
}
const checkTerm = (term: Term, indices: ReadonlyArray<Aval>): void => {
  if (term._tag === "Index") {
    const aval = checkPosition(term.index, indices)
    require(aval.dtype === "i32" && aval.shape.length === 0, `a position is ${showAval(aval)} and must be i32[]`)
  } else {
    require(isWord(term.by) && term.by >= 1, `the view divides by ${term.by}`)
    checkAffine(term.of, indices)
  }
}
const checkAffine = ({ constant, terms }: Affine, indices: ReadonlyArray<Aval>): void => {
  require(isWord(constant), `the view has the offset ${constant}, which is no i32`)
  for (const { coefficient, term } of terms) {
    require(isWord(coefficient), `the view has the coefficient ${coefficient}, which is no i32`)
    checkTerm(term, indices)
  }
}
const checkEntry = (entry: Entry, indices: ReadonlyArray<Aval>): void => {
  if (entry._tag === "Point") checkAffine(entry.at, indices)
  else if (entry._tag === "Range") {
    checkAffine(entry.start, indices)
    require(isWord(entry.size) && entry.size >= 0, `the view has a slice of size ${entry.size}`)
    require(isWord(entry.stride) && entry.stride >= 1, `the view has a slice with stride ${entry.stride}`)
  } else checkPosition(entry.index, indices)
}

/** Throws `TypingError` where the view names what is not there, or counts in what is no whole number. */
export const checkView = (view: View, indices: ReadonlyArray<Aval>): void => {
  for (const t of view) if (t._tag === "Index") for (const entry of t.at) checkEntry(entry, indices)
}
