/**
 * Sizes replaced by others wherever they stand in an equation, so that types still fit together; and, if wished, positions
 * with them, so that blocks lie side by side as before.
 */
import { type Atom, type Eqn, isVar, literal, type Param, type Params } from "../ir/program.ts"
import type { Affine, Entry, Term, Transform, View } from "../ir/view.ts"
import { asView, toParam } from "../ir/viewText.ts"

export interface Resizing {
  readonly size: (n: number) => number
  /** What becomes of a constant or a factor of a position, and of an i32 literal. They stay, if left out. */
  readonly position?: (n: number) => number
}

export class Resize {
  private readonly to: Resizing
  constructor(to: Resizing) {
    this.to = to
  }
  readonly shape = (shape: ReadonlyArray<number>): ReadonlyArray<number> => shape.map(this.to.size)
  private affine(a: Affine): Affine {
    const { position } = this.to
    if (position === undefined) return a
    const terms = a.terms.map(({ coefficient, term }) => this.scaled(position(coefficient), coefficient, term))
    return { constant: position(a.constant), terms }
  }
  /** A factor that changes carries the term along; a term of factor 1 may hold factors itself. */
  private scaled(to: number, from: number, term: Term): Affine["terms"][number] {
    if (term._tag === "Index" || to !== from) return { coefficient: to, term }
    const { position = (n: number) => n } = this.to
    return { coefficient: from, term: { ...term, of: this.affine(term.of), by: position(term.by) } }
  }
  private entry(e: Entry): Entry {
    if (e._tag === "Gather") return e
    if (e._tag === "Point") return { ...e, at: this.affine(e.at) }
    return { ...e, start: this.affine(e.start), size: this.to.size(e.size) }
  }
  private transform(t: Transform): Transform {
    if (t._tag === "Reshape") return { ...t, shape: this.shape(t.shape) }
    return t._tag === "Index" ? { ...t, at: t.at.map((e) => this.entry(e)) } : t
  }
  private view(view: View): View {
    return view.map((t) => this.transform(t))
  }
  private param(name: string, param: Param): Param {
    const view = asView(param)
    if (name === "view" && view !== undefined) return toParam(this.view(view))
    return name === "shape" || name === "sizes" ? this.shape(param as ReadonlyArray<number>) : param
  }
  private params(params: Params): Params {
    return Object.fromEntries(Object.entries(params).map(([name, param]) => [name, this.param(name, param)]))
  }
  private operand(atom: Atom): Atom {
    const { position } = this.to
    return position === undefined || isVar(atom) || atom.dtype !== "i32" ? atom : literal("i32", position(atom.value))
  }
  readonly eqn = (eqn: Eqn): Eqn => ({
    ...eqn,
    params: this.params(eqn.params),
    operands: eqn.operands.map((atom) => this.operand(atom)),
    refs: eqn.refs.map((use) => ({ ...use, view: this.view(use.view) }))
  })
}
