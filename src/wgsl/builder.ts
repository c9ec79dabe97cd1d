/** Statements as they are emitted, block by block, with what is known about the locals in them. */
import * as E from "../ir/expr.ts"
import { type Expr, type Stmt, typeOf, type Type } from "../ir/lowered.ts"
import type { Algebra } from "../ir/view.ts"
import type { Namer } from "./names.ts"
import { type Interval, rangeOf } from "./ranges.ts"

const sizes = new WeakMap<Expr, number>()
const sizeOf = (e: Expr): number => {
  let size = sizes.get(e)
  if (size === undefined) {
    size = 1
    for (const child of E.children(e)) size += sizeOf(child)
    sizes.set(e, size)
  }
  return size
}
/** Expressions up to this many nodes are repeated rather than named. */
const small = 5

export class Builder {
  private statements: Array<Stmt> = []
  /** Values computed in the open blocks, outermost first. */
  private readonly frames: Array<Map<string, Expr>> = [new Map()]
  private readonly ranges = new Map<string, Interval>()
  readonly names: Namer
  constructor(names: Namer) {
    this.names = names
  }

  readonly emit = (stmt: Stmt): void => {
    this.statements.push(stmt)
  }
  readonly block = (body: () => void): ReadonlyArray<Stmt> => {
    const outer = this.statements
    this.statements = []
    this.frames.push(new Map())
    body()
    this.frames.pop()
    const inner = this.statements
    this.statements = outer
    return inner
  }
  /** Runs `body` after a comment, which is left out if `body` emits nothing. */
  commented(text: () => string, body: () => void): void {
    const at = this.statements.length
    body()
    if (this.statements.length > at) this.statements.splice(at, 0, { _tag: "Comment", text: text() })
  }

  recall(key: string): Expr | undefined {
    for (let k = this.frames.length - 1; k >= 0; k--) {
      const value = this.frames[k]!.get(key)
      if (value !== undefined) return value
    }
    return undefined
  }
  remember(key: string, value: Expr): Expr {
    this.frames.at(-1)!.set(key, value)
    return value
  }

  bound(name: string, range: Interval | undefined): void {
    if (range !== undefined) this.ranges.set(name, range)
  }
  readonly range = (e: Expr): Interval | undefined => rangeOf(e, (name) => this.ranges.get(name))

  /** Names the value. */
  named(hint: string, value: Expr): Expr {
    const type = E.typeOfExpr(value)
    const name = this.names.fresh(hint)
    if (type === "i32") this.bound(name, this.range(value))
    this.emit({ _tag: "Let", name, type, value })
    return E.local(type, name)
  }
  /** Names the value unless it is a constant or a local already. */
  let(hint: string, value: Expr): Expr {
    return value._tag === "Const" || value._tag === "Local" ? value : this.named(hint, value)
  }
  /** Names the value if it is long, once for all equal ones in this block. */
  readonly share = (value: Expr): Expr => {
    if (sizeOf(value) <= small) return value
    const key = `#${E.key(value)}`
    return this.recall(key) ?? this.remember(key, this.named("i", value))
  }

  readonly inside = (index: Expr, size: number): Expr => {
    const range = this.range(index)
    if (range !== undefined && range.lo >= 0 && range.hi < size) return E.constant("bool", 1)
    if (range !== undefined && (range.hi < 0 || range.lo >= size)) return E.constant("bool", 0)
    return E.inside(this.share(index), size)
  }
  private isNatural(e: Expr): boolean {
    return (this.range(e)?.lo ?? -1) >= 0
  }
  readonly algebra: Algebra<Expr> = {
    constant: E.integer,
    add: E.add,
    mul: E.mul,
    div: (a, n) => this.divided(a, n),
    mod: (a, n) => {
      const range = this.range(a)
      if (range !== undefined && range.lo >= 0 && range.hi < n) return a
      const of = this.share(a)
      return E.mod(of, n, this.isNatural(of))
    }
  }
  private divided(a: Expr, n: number): Expr {
    const range = this.range(a)
    if (range !== undefined && range.lo >= 0 && range.hi < n) return E.integer(0)
    const of = this.share(a)
    return E.div(of, n, this.isNatural(of))
  }
  /** A mutable local that starts at zero. */
  variable(hint: string, dtype: Parameters<typeof E.zero>[0]): Expr {
    const name = this.names.fresh(hint)
    const type: Type = typeOf(dtype)
    this.emit({ _tag: "Var", name, type, value: E.zero(dtype) })
    return E.local(type, name)
  }
}
