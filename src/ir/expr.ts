/** Builders of lowered expressions; index arithmetic folds constants, so that static shapes cost nothing. */
import type * as DType from "../DType.ts"
import { type Expr, type IndexOp, type Type, typeOf } from "./lowered.ts"
import type { Params } from "./program.ts"

export const constant = (type: Type, value: number): Expr => ({ _tag: "Const", type, value })
export const integer = (value: number): Expr => constant("i32", value)
export const local = (type: Type, name: string): Expr => ({ _tag: "Local", type, name })
export const load = (memory: string, index: Expr, dtype: DType.Name): Expr => ({ _tag: "Load", memory, index, dtype })

const isConst = (e: Expr): e is Expr & { readonly _tag: "Const" } => e._tag === "Const"
/** Whether an expression is this constant. */
export const is = (e: Expr, value: number): boolean => isConst(e) && e.value === value

/** `coefficient · (of div by) mod modulus`; no modulus is infinity. */
export interface Digit {
  readonly coefficient: number
  readonly of: Expr
  readonly by: number
  readonly modulus: number
}
const peel = (e: Expr, op: IndexOp): { readonly inner: Expr; readonly n: number } | undefined =>
  e._tag === "Index" && e.op === op && e.b._tag === "Const" ? { inner: e.a, n: e.b.value } : undefined
export const digit = (e: Expr): Digit => {
  const times = peel(e, "mul")
  const modulo = peel(times?.inner ?? e, "mod")
  const over = peel(modulo?.inner ?? times?.inner ?? e, "div")
  return {
    coefficient: times?.n ?? 1,
    modulus: modulo?.n ?? Infinity,
    by: over?.n ?? 1,
    of: over?.inner ?? modulo?.inner ?? times?.inner ?? e
  }
}
/** Adjacent digits of one number, most significant first, are one digit: `x div 4 · 4 + x mod 4` is `x`. */
const rejoin = (a: Expr, b: Expr): Expr | undefined => {
  const low = digit(b)
  if (low.modulus === Infinity) return undefined
  const high = digit(a)
  if (high.by !== low.by * low.modulus || high.coefficient !== low.coefficient * low.modulus) return undefined
  if (high.of !== low.of && key(high.of) !== key(low.of)) return undefined
  const quotient = div(low.of, low.by, true)
  const whole = high.modulus === Infinity ? quotient : mod(quotient, low.modulus * high.modulus, true)
  return mul(whole, low.coefficient)
}

export const add = (a: Expr, b: Expr): Expr => {
  if (isConst(a) && isConst(b)) return integer((a.value + b.value) | 0)
  if (is(a, 0)) return b
  if (is(b, 0)) return a
  if (isConst(a)) return add(b, a)
  if (a._tag === "Index" && a.op === "add") {
    const joined = rejoin(a.b, b)
    if (joined !== undefined) return add(a.a, joined)
    if (isConst(a.b)) return isConst(b) ? add(a.a, integer((a.b.value + b.value) | 0)) : add(add(a.a, b), a.b)
  }
  return rejoin(a, b) ?? { _tag: "Index", op: "add", a, b }
}
export const mul = (a: Expr, n: number): Expr =>
  isConst(a)
    ? integer(Math.imul(a.value, n))
    : n === 1
      ? a
      : n === 0
        ? integer(0)
        : { _tag: "Index", op: "mul", a, b: integer(n) }
/** Floor division; `natural` says that the dividend is at least 0. */
export const div = (a: Expr, n: number, natural: boolean): Expr =>
  isConst(a)
    ? integer(Math.floor(a.value / n))
    : n === 1
      ? a
      : { _tag: "Index", op: natural ? "div" : "floorDiv", a, b: integer(n) }
/** Modulo that takes the sign of the divisor; `natural` says that the dividend is at least 0. */
export const mod = (a: Expr, n: number, natural: boolean): Expr =>
  isConst(a)
    ? integer(((a.value % n) + n) % n)
    : n === 1
      ? integer(0)
      : { _tag: "Index", op: natural ? "mod" : "floorMod", a, b: integer(n) }

/** `0 ≤ index < size`. */
export const inside = (index: Expr, size: number): Expr =>
  isConst(index) ? constant("bool", index.value >= 0 && index.value < size ? 1 : 0) : { _tag: "Inside", index, size }
/** The conjunction; true if there is nothing to check. */
export const all = (of: ReadonlyArray<Expr>): Expr => {
  const open = of.filter((e) => !is(e, 1))
  if (open.some((e) => is(e, 0))) return constant("bool", 0)
  return open.length === 0 ? constant("bool", 1) : open.length === 1 ? open[0]! : { _tag: "All", of: open }
}
/** `yes` where the condition holds, else `no`; both are evaluated, and loads outside memory give any value. */
export const select = (condition: Expr, yes: Expr, no: Expr): Expr =>
  isConst(condition) ? (condition.value ? yes : no) : { _tag: "Select", condition, yes, no }
/** An elementwise primitive applied to scalars. */
export const apply = (
  primitive: string,
  dtype: DType.Name,
  result: DType.Name,
  args: ReadonlyArray<Expr>,
  params: Params = {}
): Expr => ({ _tag: "Apply", primitive, params, dtype, result, args })
/** The zero of an element type: what reads outside give. */
export const zero = (dtype: DType.Name): Expr => constant(typeOf(dtype), 0)

const keys = new WeakMap<Expr, string>()
/** Equal for expressions of one form. */
export const key = (e: Expr): string => {
  const known = keys.get(e)
  if (known !== undefined) return known
  const made = makeKey(e)
  keys.set(e, made)
  return made
}
const makeKey = (e: Expr): string => {
  switch (e._tag) {
    case "Const":
      return `${e.type}:${Object.is(e.value, -0) ? "-0" : e.value}`
    case "Local":
      return e.name
    case "Index":
      return `(${key(e.a)} ${e.op} ${key(e.b)})`
    case "Inside":
      return `in(${key(e.index)},${e.size})`
    case "All":
      return `all(${e.of.map(key).join()})`
    case "Select":
      return `if(${key(e.condition)},${key(e.yes)},${key(e.no)})`
    case "Apply":
      return `${e.primitive}:${e.dtype}:${e.result}${JSON.stringify(e.params)}(${e.args.map(key).join()})`
    case "Load":
      return `${e.memory}[${key(e.index)}]`
    case "Bitcast":
      return `cast:${e.from}:${e.to}(${key(e.of)})`
  }
}

/** The expressions directly inside one. */
export const children = (e: Expr): ReadonlyArray<Expr> => {
  switch (e._tag) {
    case "Index":
      return [e.a, e.b]
    case "Inside":
      return [e.index]
    case "All":
      return e.of
    case "Select":
      return [e.condition, e.yes, e.no]
    case "Apply":
      return e.args
    case "Load":
      return [e.index]
    case "Bitcast":
      return [e.of]
    default:
      return []
  }
}
/** The WGSL type of an expression. */
export const typeOfExpr = (e: Expr): Type => {
  switch (e._tag) {
    case "Const":
    case "Local":
      return e.type
    case "Index":
      return "i32"
    case "Inside":
    case "All":
      return "bool"
    case "Select":
      return typeOfExpr(e.yes)
    case "Apply":
      return typeOf(e.result)
    case "Load":
      return typeOf(e.dtype)
    case "Bitcast":
      return typeOf(e.to)
  }
}
