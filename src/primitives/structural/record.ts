/** Makes the records of pure structural primitives: no refs, no regions, one result. */
import {
  type Accuracy,
  type DefinedRule,
  type Draft,
  type EvalRule,
  type Example,
  exact,
  type Family,
  type Generate,
  type Primitive,
  pure,
  type WgslRule
} from "../../ir/primitive.ts"
import * as DType from "../../DType.ts"
import type { Atom, Aval, Params } from "../../ir/program.ts"
import { TypingError } from "../../ir/typing.ts"

const checkTile = ({ dtype }: Aval, k: number): void => {
  if (DType.isStorage(dtype))
    throw new TypingError(`operand ${k} is ${dtype}, which only memory has`, "load it through a view")
}
/** Checks that an equation has no refs, indices and regions, and as many operands as it should. */
export const checkPlain = (eqn: Draft, operands?: number): void => {
  if (operands !== undefined && eqn.operands.length !== operands)
    throw new TypingError(`takes ${operands} operand${operands === 1 ? "" : "s"}, got ${eqn.operands.length}`)
  if (eqn.refs.length + eqn.indices.length + eqn.regions.length > 0)
    throw new TypingError("takes tiles only", "leave out refs, indices and regions")
}

/** Makes the record; `operands` is their number, or undefined if the typing rule counts them. */
export const plain = <const Name extends string>(
  name: Name,
  family: Family,
  options: {
    readonly doc: string
    readonly operands: number | undefined
    /** It also makes values of whole refs, which may have storage dtypes. */
    readonly stored?: boolean
    readonly result: (operands: ReadonlyArray<Atom>, params: Params) => Aval
    readonly evaluate: EvalRule
    readonly defined: DefinedRule
    readonly wgsl: WgslRule
    readonly generate: Generate
    readonly accuracy?: Accuracy
    readonly example: Example
  }
): Primitive<Name> => ({
  name,
  family,
  doc: options.doc,
  typing: (eqn) => {
    checkPlain(eqn, options.operands)
    if (options.stored !== true) eqn.operands.forEach(checkTile)
    return [options.result(eqn.operands, eqn.params)]
  },
  effects: pure,
  evaluate: options.evaluate,
  defined: options.defined,
  wgsl: options.wgsl,
  accuracy: options.accuracy ?? exact,
  generate: options.generate,
  example: options.example
})
