/** The comment that stands above what an equation became. */
import type { Atom, Eqn } from "../ir/program.ts"

const atom = (a: Atom): string => (a._tag === "Var" ? `%${a.id}` : String(a.value))
/** `%12 = reduceSum %11`, and where it was written. */
export const comment = (eqn: Eqn, positions: boolean): string => {
  const results = eqn.results.map(atom).join(", ")
  const operands = [...eqn.refs.map((r) => r.name), ...eqn.operands.map(atom)].join(", ")
  const source = positions ? eqn.source?.show() : undefined
  const text = `${results === "" ? "" : `${results} = `}${eqn.primitive} ${operands}`.trimEnd()
  return source === undefined ? text : `${text}  ${source}`
}
