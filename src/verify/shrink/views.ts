/** Simpler views: fewer steps, fewer terms, smaller numbers. */
import type { Aval } from "../../ir/program.ts"
import type { Affine, Entry, Term, Transform, View } from "../../ir/view.ts"

const without = <A>(items: ReadonlyArray<A>, k: number): ReadonlyArray<A> => items.filter((_, i) => i !== k)
const withAt = <A>(items: ReadonlyArray<A>, k: number, item: A): ReadonlyArray<A> =>
  items.map((x, i) => (i === k ? item : x))

function* simplerTerm(term: Term): Generator<Term> {
  if (term._tag === "Index") return
  const [only] = term.of.terms
  if (only !== undefined) yield only.term
  for (const of of simplerAffine(term.of)) yield { ...term, of }
}
function* simplerAffine(a: Affine): Generator<Affine> {
  if (a.terms.length > 0) yield { constant: 0, terms: [] }
  if (a.constant !== 0) yield { ...a, constant: 0 }
  for (const [k, { coefficient, term }] of a.terms.entries()) {
    yield { ...a, terms: without(a.terms, k) }
    if (coefficient !== 1) yield { ...a, terms: withAt(a.terms, k, { coefficient: 1, term }) }
    for (const t of simplerTerm(term)) yield { ...a, terms: withAt(a.terms, k, { coefficient, term: t }) }
  }
}
function* simplerEntry(entry: Entry, indices: ReadonlyArray<Aval>): Generator<Entry> {
  if (entry._tag === "Point") for (const at of simplerAffine(entry.at)) yield { ...entry, at }
  else if (entry._tag === "Gather") {
    const [size, ...more] = indices[entry.index]?.shape ?? []
    if (size !== undefined && more.length === 0)
      yield { _tag: "Range", start: { constant: 0, terms: [] }, size, stride: 1 }
  } else {
    if (entry.stride !== 1) yield { ...entry, stride: 1 }
    for (const start of simplerAffine(entry.start)) yield { ...entry, start }
  }
}
function* simplerTransform(t: Transform, indices: ReadonlyArray<Aval>): Generator<Transform> {
  if (t._tag !== "Index") return
  for (const [k, entry] of t.at.entries())
    for (const simpler of simplerEntry(entry, indices)) yield { ...t, at: withAt(t.at, k, simpler) }
}

export function* simplerViews(view: View, indices: ReadonlyArray<Aval>): Generator<View> {
  if (view.length > 0) yield []
  for (const k of view.keys()) yield without(view, k)
  for (const [k, t] of view.entries())
    for (const simpler of simplerTransform(t, indices)) yield withAt(view, k, simpler)
}
