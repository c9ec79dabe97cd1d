/** Elements of values: read where a value is kept, computed where it is not. */
import * as E from "../ir/expr.ts"
import { type Expr, type Memory, typeOf } from "../ir/lowered.ts"
import type { Element, ElementContext } from "../ir/primitive.ts"
import type { Atom, Eqn, Program, Var } from "../ir/program.ts"
import * as View from "../ir/view.ts"
import { decidingDtype, resultDtype } from "../primitives/elementwise.ts"
import * as Shape from "../Shape.ts"
import type { Allocation } from "./allocate.ts"
import type { Builder } from "./builder.ts"
import type { Facts, Site } from "./facts.ts"
import type { Layouts } from "./layouts.ts"

/** What the lowering of a program works on. */
export interface State {
  readonly program: Program
  readonly facts: Facts
  readonly layouts: Layouts
  readonly allocation: Allocation
  readonly builder: Builder
  readonly refs: ReadonlyMap<string, Memory>
  readonly programId: ReadonlyArray<Expr>
  /** Values that each invocation holds. */
  readonly splats: Map<number, Expr>
  readonly workgroupSize: number
  /** Number of the cell of the sequential axes, in row-major order. */
  readonly cell: () => Expr
  /** Equations that record something, as they are met. */
  readonly sites: Array<Eqn>
}

/** Which of an invocation's registers holds an element; `undefined` if it may be another invocation's. */
export const slotIn = (place: Memory, element: Element): Expr | undefined =>
  element.slot !== undefined && place.length === 1 ? E.integer(0) : element.slot

const lazily = <A>(make: () => A): (() => A) => {
  let made: A | undefined
  return () => (made ??= make())
}

export class Elements implements ElementContext {
  private readonly state: State
  /** Which element coordinates were taken from. */
  private readonly origins = new WeakMap<ReadonlyArray<Expr>, Element>()
  private loops = 0
  constructor(state: State) {
    this.state = state
  }
  get algebra() {
    return this.state.builder.algebra
  }
  readonly share = (value: Expr): Expr => this.state.builder.share(value)
  readonly inside = (index: Expr, size: number): Expr => this.state.builder.inside(index, size)
  readonly programId = (axis: number): Expr => this.state.programId[axis]!
  readonly numPrograms = (axis: number): number => this.state.program.grid[axis]!.size
  readonly memory = (ref: string): Memory => this.state.refs.get(ref)!
  readonly aval = (ref: string) => this.state.facts.avals.get(ref)!

  /** The element at a row-major position. */
  private standing(shape: Shape.Shape, key: string, linear: () => Expr, slot: Expr | undefined): Element {
    const coords = lazily(() => {
      const at = View.delinearise(this.algebra, shape, linear())
      this.origins.set(at, element)
      return at
    })
    const element: Element = { shape, coords, linear, slot, key }
    return element
  }
  /** The element that this invocation owns in the loop over a shape. */
  own(shape: Shape.Shape): Element {
    const linear = E.local("i32", "el")
    return this.standing(shape, `e${this.loops++}`, () => linear, E.local("i32", "slot"))
  }
  /** The element of another shape, of as many elements, that stands at the same position. */
  private reshaped(element: Element, shape: Shape.Shape): Element {
    if (Shape.equals(element.shape, shape)) return element
    return this.standing(shape, element.key, element.linear, element.slot)
  }
  private elementAt(shape: Shape.Shape, coords: ReadonlyArray<Expr>): Element {
    const origin = this.origins.get(coords)
    if (origin !== undefined && Shape.equals(origin.shape, shape)) return origin
    const linear = lazily(() => View.linearise(this.algebra, shape, coords))
    return { shape, coords: () => coords, linear, slot: undefined, key: `${shape}:${coords.map(E.key)}` }
  }

  /** Row-major position of coordinates. */
  protected linear(shape: Shape.Shape, coords: ReadonlyArray<Expr>): Expr {
    return this.elementAt(shape, coords).linear()
  }
  readonly at = (operand: Atom, coords: ReadonlyArray<Expr>): Expr =>
    this.single(operand) ?? this.element(operand as Var, this.elementAt(operand.shape, coords))
  readonly same = (operand: Atom, element: Element): Expr =>
    this.single(operand) ?? this.element(operand as Var, this.reshaped(element, operand.shape))

  /** The value where it has one element; zero where it has none, because nothing looks at it. */
  private single(operand: Atom): Expr | undefined {
    if (operand._tag === "Literal") return E.constant(typeOf(operand.dtype), operand.value)
    const size = Shape.size(operand.shape)
    if (size === 0) return E.zero(operand.dtype)
    if (size > 1) return undefined
    const place = this.state.allocation.places.get(operand.id)
    if (place !== undefined) return this.kept(operand, place, E.integer(0), "0")
    return this.state.splats.get(operand.id)!
  }
  private kept(variable: Var, place: Memory, index: Expr, key: string): Expr {
    const { builder } = this.state
    const name = `${variable.id}@${key}`
    const load = E.load(place.name, index, place.dtype)
    if (place.space === "register") return load
    return builder.recall(name) ?? builder.remember(name, builder.let(`v${variable.id}`, load))
  }
  private element(variable: Var, element: Element): Expr {
    const place = this.state.allocation.places.get(variable.id)
    if (place !== undefined) {
      const index = place.space === "register" ? slotIn(place, element) : element.linear()
      if (index === undefined) throw new Error(`%${variable.id} lies in registers and is read elsewhere`)
      return this.kept(variable, place, index, element.key)
    }
    const { builder } = this.state
    const key = `${variable.id}@${element.key}`
    const known = builder.recall(key)
    if (known !== undefined) return known
    const site = this.state.facts.definitions.get(variable.id)!.site!
    return builder.remember(key, this.compute(site, element))
  }
  /** An element of the result of an equation, from elements of its operands. */
  compute(site: Site, element: Element): Expr {
    const { builder } = this.state
    const { eqn, rule } = site
    const value = rule._tag === "Element" ? rule.at(this, eqn, element) : this.apply(site, element)
    const moves = rule._tag === "Element" && rule.costly !== true && eqn.refs.length === 0
    return moves ? builder.share(value) : builder.let(`v${eqn.results[0]!.id}`, value)
  }
  private apply(site: Site, element: Element): Expr {
    const eqn: Eqn = site.eqn
    const dtype = decidingDtype(eqn.operands)
    const result = resultDtype(site.primitive.elementwise!, eqn.operands, eqn.params)
    const args = eqn.operands.map((o) => this.same(o, element))
    return E.apply(eqn.primitive, dtype, result, args, eqn.params)
  }
}
