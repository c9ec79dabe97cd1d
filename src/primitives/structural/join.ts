/** Joining tiles along an axis, and picking from one. */
import { zeros } from "../../ir/array.ts"
import type { EvalRule } from "../../ir/primitive.ts"
import type { Aval } from "../../ir/program.ts"
import { TypingError } from "../../ir/typing.ts"
import * as Shape from "../../Shape.ts"
import * as P from "./params.ts"
import { words } from "./words.ts"

export const checkSameDtype = (a: Aval, b: Aval): void => {
  if (a.dtype !== b.dtype) throw new TypingError(`operands are ${a.dtype} and ${b.dtype}`, "convert one of them")
}

export const concatShape = (operands: ReadonlyArray<Aval>, axis: number): Shape.Shape => {
  const first = operands[0]!
  for (const o of operands) {
    checkSameDtype(first, o)
    if (o.shape.length !== first.shape.length || o.shape.some((n, d) => d !== axis && n !== first.shape[d]))
      throw new TypingError(
        `cannot concatenate ${Shape.show(first.shape)} and ${Shape.show(o.shape)} along axis ${axis}`,
        "all other axes must be equal"
      )
  }
  return first.shape.map((n, d) => (d === axis ? operands.reduce((sum, o) => sum + o.shape[d]!, 0) : n))
}

export const concatEvaluate: EvalRule = (_, eqn, operands) => {
  const out = zeros(eqn.results[0]!)
  const axis = P.integer(eqn.params, "axis")
  const inner = Shape.size(out.shape.slice(axis + 1))
  const row = out.shape[axis]! * inner
  const target = words(out.data)
  let place = 0
  for (const o of operands) {
    const length = o.shape[axis]! * inner
    const source = words(o.data)
    for (let at = 0, to = place; at < source.length; at += length, to += row)
      target.set(source.subarray(at, at + length), to)
    place += length
  }
  return [out]
}

export const takeEvaluate: EvalRule = (_, eqn, [a, index]) => {
  const out = zeros(eqn.results[0]!)
  const axis = P.integer(eqn.params, "axis")
  const count = a!.shape[axis]!
  const inner = Shape.size(a!.shape.slice(axis + 1))
  const outer = Shape.size(a!.shape.slice(0, axis))
  const source = words(a!.data)
  const target = words(out.data)
  let to = 0
  for (let o = 0; o < outer; o++)
    for (const i of index!.data) {
      const from = (o * count + i) * inner
      if (i >= 0 && i < count) target.set(source.subarray(from, from + inner), to)
      to += inner
    }
  return [out]
}
