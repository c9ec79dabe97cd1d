/** Trust in what atomic steps leave, and in what they find. */
import type { ArrayValue } from "../../ir/array.ts"
import type { EvalContext } from "../../ir/primitive.ts"
import type { Aval, Eqn } from "../../ir/program.ts"
import { addTrust, at, cellsOf, holds, isMaskTrusted, type Watch, write } from "./memory.ts"
import { type Access, steps } from "./races.ts"
import { anything, best, exact, note, recast, type Trust, trustAt, trustOf } from "./trust.ts"

/** What a step does: one of those that commute, `exchange`, or, without an operation, compare and exchange. */
const opOf = (eqn: Eqn): string => String(eqn.params["op"] ?? "compareExchange")
const maskOf = (eqn: Eqn): number => (eqn.params["op"] === undefined ? 3 : 2)

/** Whose order shows is nobody's but the instance's that does it: where something looks at what steps find, too. */
export const accessOf = (eqn: Eqn, looked: boolean): Access => {
  const step = steps.find((s) => s === opOf(eqn))
  return looked || step === undefined ? "write" : step
}

/** Trust in the ref's value after the steps. */
export const stepTrust = (
  watch: Watch,
  ctx: EvalContext,
  eqn: Eqn,
  operands: ReadonlyArray<ArrayValue>,
  result: ArrayValue,
  shown: Aval,
  access: Access
): ArrayValue => {
  if (opOf(eqn) === "add") return addTrust(watch, ctx, eqn, operands, result, shown, access)
  const [array, ...values] = operands as [ArrayValue, ...ReadonlyArray<ArrayValue>]
  const given = values.slice(0, maskOf(eqn) - 1)
  const from = given.at(-1)!
  const options = { mask: operands[maskOf(eqn)], shown, access }
  return write(watch, ctx, eqn, operands, result, options, (trust, cell, e, times) => {
    const own = recast(trustAt(trustOf(from), at(from, e)), shown.dtype, array.dtype, from.data[at(from, e)]!)
    const isExchange = access === "write" && !steps.some((s) => s === opOf(eqn))
    if (isExchange && (times > 0 || array.dtype !== shown.dtype)) trust[cell] = anything
    else if (opOf(eqn) === "exchange") trust[cell] = own
    else {
      const all = [trust[cell]!, ...given.map((g) => trustAt(trustOf(g), at(g, e)))]
      const isKnown = array.dtype === shown.dtype && Math.max(...all) <= exact
      trust[cell] = isKnown ? best(shown.dtype) : anything
    }
  })
}

/** Trust in what the steps found; where an element is stepped on twice, it depends on the order. */
export const foundTrust = (
  ctx: EvalContext,
  eqn: Eqn,
  operands: ReadonlyArray<ArrayValue>,
  result: ArrayValue,
  access: Access
): ArrayValue => {
  const array = operands[0]!
  const mask = operands[maskOf(eqn)]
  const trust: Trust = new Float64Array(result.data.length).fill(anything)
  if (access !== "write" || !isMaskTrusted(ctx, eqn, mask)) return note(result, trust)
  const cells = cellsOf(ctx, eqn, array, result.shape)
  const times = new Int32Array(array.data.length)
  cells.forEach((cell, e) => cell >= 0 && holds(mask, e) && times[cell]!++)
  cells.forEach((cell, e) => {
    if (cell < 0 || !holds(mask, e)) trust[e] = best("i32")
    else if (times[cell] === 1)
      trust[e] = recast(trustAt(trustOf(array), cell), array.dtype, result.dtype, array.data[cell]!)
  })
  return note(result, trust)
}
