/** Primitives that move elements: asked to move numbers instead, they tell where each element came from. */
import type { Aval, Eqn } from "../../ir/program.ts"

const asNumbers = ({ shape }: Aval): Aval => ({ dtype: "i32", shape })
const renumbered = new WeakMap<Eqn, Eqn>()
/** The same equation, over numbers. */
export const overNumbers = (eqn: Eqn): Eqn => {
  const known = renumbered.get(eqn)
  if (known !== undefined) return known
  const made: Eqn = { ...eqn, results: eqn.results.map((r) => ({ ...r, ...asNumbers(r) })) }
  renumbered.set(eqn, made)
  return made
}

/** Positions by which a primitive picks are no elements that it moves. */
export const isPosition = (eqn: Eqn, operand: number): boolean => eqn.primitive === "take" && operand === 1
