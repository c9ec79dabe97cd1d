/**
 * What all elementwise primitives share: one function of scalars, lifted over tiles of one shape (scalars stretch).
 */
import * as DType from "../DType.ts"
import { type ArrayValue, type Data, storage } from "../ir/array.ts"
import {
  type Accuracy,
  type DefinedRule,
  type Elementwise,
  type ElementwiseOperands,
  type ElementwisePrimitive,
  type ElementwiseResult,
  type EvalRule,
  type Generate,
  pure,
  type TypeRule
} from "../ir/primitive.ts"
import type { EvalContext, Family, WgslRule } from "../ir/primitive.ts"
import type { Aval, Params } from "../ir/program.ts"
import { TypingError } from "../ir/typing.ts"
import * as Shape from "../Shape.ts"
import { exampleOf, valuesOf } from "./scalar/values.ts"
import { checkPlain } from "./structural/record.ts"
import type { Helpers } from "./scalar/wgsl/text.ts"

type ElementwiseRule = WgslRule & { readonly _tag: "Elementwise" }

/** Dtype that decides the rule: that of the last operand (`select`'s first is its condition). */
export const decidingDtype = (operands: ReadonlyArray<Aval>): DType.Name => operands.at(-1)!.dtype

export const resultDtype = (e: Elementwise, operands: ReadonlyArray<Aval>, params: Params): DType.Name =>
  e.result === "same" ? decidingDtype(operands) : typeof e.result === "function" ? e.result(params) : e.result

const checkDtypes = (e: Elementwise, operands: ReadonlyArray<Aval>): void => {
  const last = decidingDtype(operands)
  operands.forEach((o, k) => {
    const allowed = e.operands[k]!
    if (allowed === "same") {
      if (o.dtype !== last) throw new TypingError(`operands are ${o.dtype} and ${last}`, "convert one of them")
    } else if (!allowed.includes(o.dtype))
      throw new TypingError(`operand ${k} is ${o.dtype}`, `convert it to ${allowed.join(" or ")}`)
  })
}

const commonShape = (operands: ReadonlyArray<Aval>): Shape.Shape => {
  let shape: Shape.Shape = []
  for (const o of operands) {
    if (o.shape.length === 0) continue
    if (shape.length > 0 && !Shape.equals(shape, o.shape))
      throw new TypingError(`operands of shapes ${Shape.show(shape)} and ${Shape.show(o.shape)}`, "broadcast them")
    shape = o.shape
  }
  return shape
}

const typing =
  (e: Elementwise): TypeRule =>
  (eqn) => {
    const { operands, params } = eqn
    checkPlain(eqn, e.operands.length)
    checkDtypes(e, operands)
    return [{ dtype: resultDtype(e, operands, params), shape: commonShape(operands) }]
  }

/** Where the result goes: an operand that nobody needs any more, or fresh storage. */
const destination = (ctx: EvalContext, result: Aval, operands: ReadonlyArray<ArrayValue>): Data => {
  const k = operands.findIndex(
    (o, k) => o.dtype === result.dtype && Shape.equals(o.shape, result.shape) && ctx.mayReuse(k)
  )
  return k < 0 ? storage(result.dtype, Shape.size(result.shape)) : operands[k]!.data
}

/** Element i of the result comes from elements i alone, so `out` may be one of the operands. */
const fill = (out: Data, f: (...args: ReadonlyArray<number>) => number, operands: ReadonlyArray<ArrayValue>): void => {
  const [a, b, c] = operands.map((o) => o.data)
  const [sa, sb, sc] = operands.map((o) => (o.shape.length === 0 ? 0 : 1))
  const n = out.length
  if (operands.length === 1) for (let i = 0; i < n; i++) out[i] = f(a![i * sa!]!)
  else if (operands.length === 2) for (let i = 0; i < n; i++) out[i] = f(a![i * sa!]!, b![i * sb!]!)
  else for (let i = 0; i < n; i++) out[i] = f(a![i * sa!]!, b![i * sb!]!, c![i * sc!]!)
}

const evaluate =
  (e: Elementwise): EvalRule =>
  (ctx, eqn, operands) => {
    const { dtype, shape } = eqn.results[0]!
    const data = destination(ctx, eqn.results[0]!, operands)
    fill(data, e.scalar(decidingDtype(operands), eqn.params), operands)
    // Storage of the other dtypes rounds and wraps by itself.
    if (dtype === "f16") {
      const round = DType.round(dtype)
      for (let i = 0; i < data.length; i++) data[i] = round(data[i]!)
    }
    return [{ dtype, shape, data }]
  }

/**
 * Makes the record of an elementwise primitive; `evaluate` replaces the loop over `scalar` where numbers do not suffice,
 * `defined` the rule that an undefined operand leaves nothing defined.
 */
export const elementwise = <
  const Name extends string,
  const Operands extends ElementwiseOperands,
  const Result extends ElementwiseResult
>(
  name: Name,
  family: Family,
  options: Elementwise<Operands, Result> & {
    readonly doc: string
    readonly wgsl: ElementwiseRule["text"]
    readonly opaque?: boolean
    readonly helpers?: Helpers
    readonly evaluate?: EvalRule
    readonly defined?: DefinedRule
    readonly accuracy: Accuracy
    readonly generate: Generate
  }
): ElementwisePrimitive<Name, Operands, Result> => ({
  name,
  family,
  doc: options.doc,
  elementwise: options,
  typing: typing(options),
  effects: pure,
  evaluate: options.evaluate ?? evaluate(options),
  ...(options.defined === undefined ? {} : { defined: options.defined }),
  wgsl: { _tag: "Elementwise", text: options.wgsl, opaque: options.opaque ?? false, helpers: options.helpers ?? {} },
  accuracy: options.accuracy,
  generate: options.generate,
  example: exampleOf(options, valuesOf(options)[0]!)
})
