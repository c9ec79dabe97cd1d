/** Typing of barriers and semaphores, and how waits are discharged: a counter is lowered where it has reached what is needed. */
import type { DischargeContext, DischargeRule, Draft, Scope } from "../../ir/primitive.ts"
import { type Atom, type Aval, type Eqn, isVar, literal, type RefType } from "../../ir/program.ts"
import { showType } from "../../ir/aval.ts"
import { TypingError } from "../../ir/typing.ts"
import { mayRepeat } from "../../ir/view.ts"
import * as C from "./control.ts"
import * as M from "./memory.ts"

// --- typing -------------------------------------------------------------------------------------------------------------

const checkOperands = (eqn: Draft, count: number): void => {
  if (eqn.operands.length !== count) throw new TypingError(`takes ${count} operands, got ${eqn.operands.length}`)
}
/** Arrivals of one phase of a barrier. */
export const arrivalsOf = (ref: string, { role }: RefType): number => {
  if (role?.kind !== "barrier") throw new TypingError(`ref "${ref}" is no barrier`, "declare it with Barrier.scratch")
  return role.arrivals
}
/** Checks that the equation takes one barrier and nothing else. */
export const checkBarrier = (eqn: Draft, scope: Scope): void => {
  checkOperands(eqn, 0)
  const seen = M.shown(eqn, scope)
  const { name } = M.refUse(eqn)
  arrivalsOf(name, scope.ref(name))
  if (seen.dtype !== "i32" || seen.shape.length > 0)
    throw new TypingError(`the view shows barriers of shape [${seen.shape.join(", ")}]`, "pick one with Barrier.at")
}
/** What a semaphore's view shows: any i32. */
export const semaphoreAval = (eqn: Draft, scope: Scope): Aval => {
  const seen = M.shown(eqn, scope)
  if (seen.dtype !== "i32") throw new TypingError(`a semaphore is i32, the ref is ${showType(seen)}`)
  return seen
}
/** What the view shows, where the operand is how much is signalled or waited for. */
export const checkCount = (eqn: Draft, scope: Scope): Aval => {
  const seen = semaphoreAval(eqn, scope)
  checkOperands(eqn, 1)
  const [n] = eqn.operands
  C.checkScalar("number", n, "i32")
  if (!isVar(n!) && n!.value < 0) throw new TypingError(`the number is ${n!.value}`, "it is at least 0")
  return seen
}
/** Each element is waited for once: elements that are one would each need a share. */
export const checkWait = (eqn: Draft, scope: Scope): Aval => {
  const seen = checkCount(eqn, scope)
  const { decrement } = eqn.params
  if (typeof decrement !== "boolean") throw new TypingError(`the parameter decrement is ${String(decrement)}`)
  if (mayRepeat(M.refUse(eqn).view))
    throw new TypingError("the view may show one element twice", "wait for the elements one by one")
  return seen
}

// --- discharge ----------------------------------------------------------------------------------------------------------

export const current = (ctx: DischargeContext, eqn: Eqn): Atom =>
  ctx.emit("viewGet", { ...M.through(eqn), operands: [ctx.value(M.refUse(eqn).name)] })[0]!
/** The ref's new value, with `by` added to what the view shows. */
export const raised = (ctx: DischargeContext, eqn: Eqn, by: Atom): ReadonlyMap<string, Atom> => {
  const { name } = M.refUse(eqn)
  return new Map([[name, ctx.emit("viewAdd", { ...M.through(eqn), operands: [ctx.value(name), by] })[0]!]])
}
export const reaches = (ctx: DischargeContext, value: Atom, needed: Atom): Atom =>
  ctx.emit("ge", { operands: [value, needed] })[0]!
/** Takes `needed` from each element that has reached it. */
export const lowered = (ctx: DischargeContext, eqn: Eqn, reached: Atom, needed: Atom): ReadonlyMap<string, Atom> => {
  const [less] = isVar(needed) ? ctx.emit("neg", { operands: [needed] }) : [literal("i32", 0 - needed.value)]
  return raised(ctx, eqn, ctx.emit("select", { operands: [reached, less!, literal("i32", 0)] })[0]!)
}

/** Waits where nothing else runs: what is there now is all that there will be. */
export const dischargeWait: DischargeRule = (ctx, eqn) => {
  const [n] = eqn.operands
  const before = current(ctx, eqn)
  if (eqn.params["decrement"] === false) return { results: [before], refs: new Map() }
  return { results: [before], refs: lowered(ctx, eqn, reaches(ctx, before, n!), n!) }
}
