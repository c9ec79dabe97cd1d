/** What rules that emit statements work with. */
import type * as DType from "../DType.ts"
import * as E from "../ir/expr.ts"
import type { Expr, Memory, RecordKind, Stmt } from "../ir/lowered.ts"
import type { BlockContext, Element } from "../ir/primitive.ts"
import { type Atom, type Eqn, isVar, type Region, type Var } from "../ir/program.ts"
import * as Shape from "../Shape.ts"
import { Elements, slotIn, type State } from "./elements.ts"
import { move } from "./moves.ts"

export class Block extends Elements implements BlockContext {
  private readonly s: State
  readonly region: (region: Region) => void
  /** Scratch of equations, by dtype; each equation begins anew with the first. */
  private readonly pool = new Map<DType.Name, Array<Memory>>()
  private readonly drawn = new Map<DType.Name, number>()
  constructor(state: State, region: (region: Region) => void) {
    super(state)
    this.s = state
    this.region = region
  }
  get workgroupSize(): number {
    return this.s.workgroupSize
  }
  readonly emit = (stmt: Stmt): void => this.s.builder.emit(stmt)
  readonly block = (body: () => void): ReadonlyArray<Stmt> => this.s.builder.block(body)
  readonly name = (hint: string): string => this.s.builder.names.fresh(hint)
  readonly let = (hint: string, value: Expr): Expr => this.s.builder.let(hint, value)
  readonly inline = (name: string) => this.s.program.inlines[name]!

  /** Forgets which scratch is in use: the equation is done. */
  release(): void {
    this.drawn.clear()
  }
  readonly scratch = (dtype: DType.Name, length: number): Memory => {
    const memories = this.pool.get(dtype) ?? []
    this.pool.set(dtype, memories)
    const k = memories.findIndex((m, i) => i >= (this.drawn.get(dtype) ?? 0) && m.length >= length)
    if (k < 0) memories.push(this.s.allocation.arena.shared("part", dtype, length, { urgent: true }))
    this.drawn.set(dtype, k < 0 ? memories.length : k + 1)
    return memories.at(k)!
  }

  private elements(shape: Shape.Shape, how: { readonly together?: boolean }, body: (element: Element) => void): void {
    const count = Shape.size(shape)
    if (count === 0) return
    const statements = this.block(() => {
      this.s.builder.bound("el", { lo: 0, hi: count - 1 })
      body(this.own(shape))
    })
    this.emit({ _tag: "Each", name: "el", slot: "slot", count, ...how, body: statements })
  }
  readonly each = (shape: Shape.Shape, body: (element: Element) => void): void => this.elements(shape, {}, body)
  readonly together = (shape: Shape.Shape, body: (element: Element, present: Expr) => void): void => {
    const count = Shape.size(shape)
    // Beyond the last element, what is known about `el` does not hold: the test is not folded.
    const present = count % this.workgroupSize === 0 ? E.constant("bool", 1) : E.inside(E.local("i32", "el"), count)
    this.elements(shape, { together: true }, (element) => body(element, present))
  }
  readonly eachOf = (memory: Memory, shape: Shape.Shape, body: (element: Element) => void): void => {
    const whole = memory.space === "register" && Shape.size(shape) === 1
    if (!whole) return this.each(shape, body)
    const zero = E.integer(0)
    body({ shape, coords: () => shape.map(() => zero), linear: () => zero, slot: zero, key: "0" })
  }
  readonly loop = (hint: string, from: Expr, to: Expr, body: (index: Expr) => void): void => {
    if (from._tag === "Const" && to._tag === "Const" && from.value >= to.value) return
    const name = this.name(hint)
    const lo = this.s.builder.range(from)
    const hi = this.s.builder.range(to)
    if (lo !== undefined && hi !== undefined) this.s.builder.bound(name, { lo: lo.lo, hi: Math.max(lo.lo, hi.hi - 1) })
    const statements = this.block(() => body(E.local("i32", name)))
    this.emit({ _tag: "For", name, from, to, body: statements })
  }

  readonly isSplat = (result: Var): boolean =>
    Shape.size(result.shape) === 1 && !this.s.allocation.places.has(result.id)
  readonly isUsed = (result: Var): boolean => this.s.layouts.of(result) !== "Dead"
  readonly bind = (variable: Var, value: Expr): void => {
    this.s.splats.set(variable.id, this.let(`v${variable.id}`, value))
  }
  readonly result = (result: Var, at: Element | ReadonlyArray<Expr>, value: Expr): void => {
    const place = this.s.allocation.places.get(result.id)
    if (place === undefined) return
    this.emit({ _tag: "Store", memory: place.name, index: this.indexIn(place, result, at), value })
  }
  private indexIn(place: Memory, result: Var, at: Element | ReadonlyArray<Expr>): Expr {
    const isElement = (x: Element | ReadonlyArray<Expr>): x is Element => !Array.isArray(x)
    if (!isElement(at)) return this.linear(result.shape, at)
    if (place.space !== "register") return at.linear()
    const slot = slotIn(place, at)
    if (slot === undefined) throw new Error(`%${result.id} lies in registers and is written elsewhere`)
    return slot
  }
  readonly placed = (operand: Atom): Memory => {
    const place = isVar(operand) ? this.s.allocation.places.get(operand.id) : undefined
    if (place !== undefined) return place
    const copy = this.scratch(operand.dtype, 1)
    const value = this.at(
      operand,
      operand.shape.map(() => E.integer(0))
    )
    this.each([], () => this.emit({ _tag: "Store", memory: copy.name, index: E.integer(0), value }))
    return copy
  }

  readonly reserve = (eqn: Eqn, kind: RecordKind, words: number): Expr => {
    const { sites } = this.s
    if (!sites.includes(eqn)) sites.push(eqn)
    const name = this.name("place")
    this.emit({ _tag: "Reserve", name, kind, site: sites.indexOf(eqn), words, cell: this.s.cell() })
    return E.local("i32", name)
  }

  readonly declare = (vars: ReadonlyArray<Var>): void => {
    for (const v of vars) {
      if (Shape.size(v.shape) !== 1) continue
      const place = this.s.builder.variable(`c${v.id}`, v.dtype)
      for (const other of this.s.facts.carries.get(v.id)!.vars) this.s.splats.set(other.id, place)
    }
  }
  readonly move = (to: ReadonlyArray<Var>, from: ReadonlyArray<Atom>): void => move(this.s, this, to, from)
  readonly uniform = (atom: Atom): Expr => {
    const value = this.at(atom, [])
    if (value._tag === "Const") return value
    const name = this.name("u")
    this.s.builder.bound(name, this.s.builder.range(value))
    const type = E.typeOfExpr(value)
    this.emit({ _tag: "Uniform", name, type, value })
    return E.local(type, name)
  }
}
