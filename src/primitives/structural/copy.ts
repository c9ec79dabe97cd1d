/** Typing of asynchronous copies, and what becomes of the data when it lands. */
import type { Draft, Scope } from "../../ir/primitive.ts"
import { accum, type Aval, type Effect, read, type RefUse, write } from "../../ir/program.ts"
import { showType } from "../../ir/aval.ts"
import { TypingError } from "../../ir/typing.ts"
import * as Shape from "../../Shape.ts"
import { checkUpdate } from "./atomic.ts"
import * as M from "./memory.ts"
import * as P from "./params.ts"
import { checkBarrier } from "./wait.ts"

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

/** What leaves a view, a tile as a load gives it; there may be a mask. */
const checkLeaves = (mask: ReadonlyArray<Aval>, from: Aval): Aval => {
  const data = M.checkRead([], from)
  M.checkWrite([data, ...mask], from)
  return data
}
/** Operands are data, and perhaps a mask. */
const checkLands = (op: Landing, operands: ReadonlyArray<Aval>, view: Aval): void => {
  M.checkWrite(operands, view)
  const data = operands[0]!
  if (!Shape.equals(data.shape, view.shape))
    throw new TypingError(`${showType(data)} cannot land in ${showType(view)}`, "shapes are equal")
  checkLanding(op, view)
}
/** Operands of a start are nothing, or a mask. Gives the data in flight, a tile as a load gives it. */
export const checkStart = (eqn: Draft, scope: Scope): Aval => {
  const from = M.shown(eqn, scope)
  scope.ref(P.text(eqn.params, "to"))
  return checkLeaves(eqn.operands, from)
}
/** Operands of a wait are the data in flight, and perhaps a mask. */
export const checkWait = (eqn: Draft, scope: Scope): void =>
  checkLands(landingOf(eqn), eqn.operands, M.shown(eqn, scope))
/** Operands are nothing, or a mask; refs are the source, the destination and a barrier. */
export const checkArrive = (eqn: Draft, scope: Scope): void => {
  const [from, to, at] = arriveUses(eqn)
  const only = (use: RefUse): Draft => ({ ...eqn, refs: [use] })
  const data = checkLeaves(eqn.operands, M.shown(only(from), scope))
  checkLands(landingOf(eqn), [data, ...eqn.operands], M.shown(only(to), scope))
  checkBarrier({ ...only(at), operands: [] }, scope)
}
/** The source, the destination and the barrier of an equation. */
export const arriveUses = ({ refs }: Pick<Draft, "refs">): readonly [RefUse, RefUse, RefUse] => {
  const [from, to, at] = refs
  if (from === undefined || to === undefined || at === undefined || refs.length > 3)
    throw new TypingError(`takes a source, a destination and a barrier, got ${refs.length} refs`)
  return [from, to, at]
}
/** What a landing does to a ref. */
export const landingEffects = (op: Landing, name: string): ReadonlyArray<Effect> =>
  op === "store" ? [write(name)] : op === "add" ? [accum(name)] : [read(name), write(name)]
