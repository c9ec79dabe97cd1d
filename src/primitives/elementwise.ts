/**
 * What all elementwise primitives share: one function of scalars, lifted over tiles of one shape (scalars stretch).
 */
import * as DType from "../DType.ts"
import { storage, type ArrayValue } from "../ir/array.ts"
import { type Accuracy, type Elementwise, type EvalRule, type Generate, type Primitive, pure, type TypeRule } from "../ir/primitive.ts"
import type { Family, WgslRule } from "../ir/primitive.ts"
import type { Aval, Params } from "../ir/program.ts"
import { TypingError } from "../ir/typing.ts"
import * as Shape from "../Shape.ts"

/** Dtype that decides the rule: that of the last operand (`select`'s first is its condition). */
export const decidingDtype = (operands: ReadonlyArray<Aval>): DType.Name => operands.at(-1)!.dtype

export const resultDtype = (e: Elementwise, operands: ReadonlyArray<Aval>, params: Params): DType.Name =>
  e.result === "same" ? decidingDtype(operands) : typeof e.result === "function" ? e.result(params) : e.result

const checkDtypes = (e: Elementwise, operands: ReadonlyArray<Aval>): void => {
  if (operands.length !== e.arity) throw new TypingError(`takes ${e.arity} operands, got ${operands.length}`)
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
  ({ operands, params }) => {
    checkDtypes(e, operands)
    return [{ dtype: resultDtype(e, operands, params), shape: commonShape(operands) }]
  }

const evaluate =
  (e: Elementwise): EvalRule =>
  (_, eqn, operands) => {
    const { dtype, shape } = eqn.results[0]!
    const f = e.scalar(decidingDtype(operands), eqn.params)
    const data = storage(dtype, Shape.size(shape))
    const round = DType.round(dtype)
    const [a, b, c] = operands.map((o): ((i: number) => number) => {
      const d = o.data
      return o.shape.length === 0 ? () => d[0]! : (i) => d[i]!
    })
    if (e.arity === 1) for (let i = 0; i < data.length; i++) data[i] = round(f(a!(i)))
    else if (e.arity === 2) for (let i = 0; i < data.length; i++) data[i] = round(f(a!(i), b!(i)))
    else for (let i = 0; i < data.length; i++) data[i] = round(f(a!(i), b!(i), c!(i)))
    return [{ dtype, shape, data }] satisfies ReadonlyArray<ArrayValue>
  }

/** Makes the record of an elementwise primitive. */
export const elementwise = <const Name extends string>(
  name: Name,
  family: Family,
  options: Elementwise & {
    readonly doc: string
    readonly wgsl: (WgslRule & { readonly _tag: "Elementwise" })["text"]
    readonly opaque?: boolean
    readonly accuracy: Accuracy
    readonly generate: Generate
  }
): Primitive<Name> => ({
  name,
  family,
  doc: options.doc,
  elementwise: options,
  typing: typing(options),
  effects: pure,
  evaluate: evaluate(options),
  wgsl: { _tag: "Elementwise", text: options.wgsl, opaque: options.opaque ?? false },
  accuracy: options.accuracy,
  generate: options.generate
})
