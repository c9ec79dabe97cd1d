/** Typing of equations that reach memory, or an array, through a view. */
import * as DType from "../../DType.ts"
import type { Draft, Scope } from "../../ir/primitive.ts"
import type { Aval, Eqn, Param, Params, RefUse } from "../../ir/program.ts"
import { TypingError } from "../../ir/typing.ts"
import * as Shape from "../../Shape.ts"
import * as P from "./params.ts"
import { checkedViewAval } from "./view.ts"

/** The one ref of an equation. */
export const refUse = (eqn: Draft): RefUse => {
  if (eqn.refs.length !== 1) throw new TypingError(`takes 1 ref, got ${eqn.refs.length}`)
  return eqn.refs[0]!
}
/** The parameters and indices of a pure operation through the view of the equation's ref. */
export const through = (eqn: Eqn, params: Params = {}): Pick<Draft, "params" | "indices"> => ({
  params: { ...params, view: refUse(eqn).view as unknown as Param },
  indices: eqn.indices
})
const checkNoRegions = (eqn: Draft): void => {
  if (eqn.regions.length > 0) throw new TypingError("takes no regions")
}
/** What the equation's view shows of its ref. */
export const shown = (eqn: Draft, scope: Scope): Aval => {
  checkNoRegions(eqn)
  const use = refUse(eqn)
  return checkedViewAval(use.view, scope.ref(use.name), eqn.indices)
}
/** What the view in the parameters shows of the first operand. */
export const shownOfOperand = (eqn: Draft): Aval => {
  checkNoRegions(eqn)
  if (eqn.refs.length > 0) throw new TypingError("takes no refs")
  if (eqn.operands.length === 0) throw new TypingError("takes an array, got no operand")
  return checkedViewAval(eqn.params["view"], eqn.operands[0]!, eqn.indices)
}

const checkStretches = (what: string, operand: Aval, view: Aval): void => {
  if (operand.shape.length > 0 && !Shape.equals(operand.shape, view.shape))
    throw new TypingError(
      `the ${what} has shape ${Shape.show(operand.shape)}, the view ${Shape.show(view.shape)}`,
      "broadcast it"
    )
}
const checkMask = (mask: Aval, view: Aval): void => {
  if (mask.dtype !== "bool") throw new TypingError(`the mask is ${mask.dtype}`, "compare to get a bool")
  checkStretches("mask", mask, view)
}
const checkValue = (what: string, value: Aval, view: Aval): void => {
  const wide = DType.widened(view.dtype)
  if (value.dtype !== wide)
    throw new TypingError(
      `the ${what} is ${value.dtype}, the view ${view.dtype}`,
      wide === view.dtype ? "convert it" : `convert it to ${wide}: ${view.dtype} is how memory keeps it`
    )
  checkStretches(what, value, view)
}
/** The tile that a view shows. */
const tileOf = (view: Aval): Aval => ({ dtype: DType.widened(view.dtype), shape: view.shape })
/** Operands of a read: none, or a mask and what stands where it is false. Gives the tile that is read. */
export const checkRead = (operands: ReadonlyArray<Aval>, view: Aval): Aval => {
  const [mask, other] = operands
  if (mask !== undefined) {
    if (other === undefined || operands.length > 2)
      throw new TypingError(`takes a mask and another value, got ${operands.length} operands`)
    checkMask(mask, view)
    checkValue("other value", other, view)
  }
  return tileOf(view)
}
/** Operands of a write: a value, perhaps a mask. Gives the tile that is there before. */
export const checkWrite = (operands: ReadonlyArray<Aval>, view: Aval): Aval => {
  const [value, mask] = operands
  if (value === undefined || operands.length > 2)
    throw new TypingError(`takes a value and perhaps a mask, got ${operands.length} operands`)
  checkValue("value", value, view)
  if (mask !== undefined) checkMask(mask, view)
  return tileOf(view)
}
export const checkNumeric = (view: Aval): void => {
  if (view.dtype === "bool") throw new TypingError("cannot add to bool", "count in i32")
}
export const asResult = (view: Aval): ReadonlyArray<Aval> => [P.result(view.dtype, view.shape)]
