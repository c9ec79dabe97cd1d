/** Affine forms and the entries of views, made short. */
import type { Affine, Entry, Padded, Term } from "../../ir/view.ts"

export const fixed = (constant: number): Affine => ({ constant, terms: [] })
/** `constant + Σ coefficient · index`. */
export const sum = (constant: number, terms: ReadonlyArray<readonly [coefficient: number, index: number]>): Affine => ({
  constant,
  terms: terms.map(([coefficient, index]) => ({ coefficient, term: { _tag: "Index", index } }))
})
const of = (term: Term): Affine => ({ constant: 0, terms: [{ coefficient: 1, term }] })
export const floorDiv = (a: Affine, by: number): Affine => of({ _tag: "FloorDiv", of: a, by })
export const mod = (a: Affine, by: number): Affine => of({ _tag: "Mod", of: a, by })
export const scaled = (a: Affine, by: number): Affine => ({
  constant: a.constant * by,
  terms: a.terms.map(({ coefficient, term }) => ({ coefficient: coefficient * by, term }))
})
export const shifted = (a: Affine, by: number): Affine => ({ ...a, constant: a.constant + by })

export const point = (at: Affine): Entry => ({ _tag: "Point", at })
type Range = Entry & { readonly _tag: "Range" }
export const range = (start: Affine, size: number, stride = 1): Range => ({ _tag: "Range", start, size, stride })
export const padded = (range: Range, padded: Padded): Entry => ({ ...range, padded })
export const gather = (index: number): Entry => ({ _tag: "Gather", index })
