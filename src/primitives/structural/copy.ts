/** Typing of asynchronous copies, and what becomes of the data when it lands. */
import type { Draft, Scope } from "../../ir/primitive.ts"
import type { Aval } from "../../ir/program.ts"
import { showType } from "../../ir/aval.ts"
import { TypingError } from "../../ir/typing.ts"
import * as Shape from "../../Shape.ts"
import { checkUpdate } from "./atomic.ts"
import * as M from "./memory.ts"
import * as P from "./params.ts"

/** How data lands: in place of what is there, or combined with it. */
export const landings = ["store", "add", "min", "max", "and", "or", "xor"] as const
export type Landing = (typeof landings)[number]

/** How the data of an equation lands. */
export const landingOf = ({ params }: Pick<Draft, "params">): Landing => {
  const op = landings.find((known) => known === params["op"])
  if (op === undefined)
    throw new TypingError(`a copy cannot land by ${String(params["op"])}`, `use ${landings.join(", ")}`)
  return op
}
/** Whether an equation changes each element of its ref in one step that other program instances do not divide. */
export const combinesOnLanding = (eqn: Pick<Draft, "params"> & { readonly primitive: string }): boolean =>
  eqn.primitive === "copyWait" && eqn.params["op"] !== "store" && eqn.params["op"] !== "add"

/** Fails where data of the view's type cannot land in this way. */
export const checkLanding = (op: Landing, view: Aval): void => {
  if (op === "add") M.checkNumeric(view)
  else if (op !== "store") checkUpdate({ params: { op } }, [view], view)
}

/** Operands of a start are nothing, or a mask. Gives the data in flight, a tile as a load gives it. */
export const checkStart = (eqn: Draft, scope: Scope): Aval => {
  const from = M.shown(eqn, scope)
  scope.ref(P.text(eqn.params, "to"))
  const data = M.checkRead([], from)
  M.checkWrite([data, ...eqn.operands], from)
  return data
}
/** Operands of a wait are the data in flight, and perhaps a mask. */
export const checkWait = (eqn: Draft, scope: Scope): void => {
  const view = M.shown(eqn, scope)
  M.checkWrite(eqn.operands, view)
  const data = eqn.operands[0]!
  if (!Shape.equals(data.shape, view.shape))
    throw new TypingError(`${showType(data)} cannot land in ${showType(view)}`, "shapes are equal")
  checkLanding(landingOf(eqn), view)
}
