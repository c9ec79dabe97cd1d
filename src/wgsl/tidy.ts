/** Leaves out names that nothing uses. */
import type { Expr, Lowered, Stmt } from "../ir/lowered.ts"
import { eachExpr, expressionsOf } from "./walk.ts"

/** Names are given once and before they are used, so that one walk from the end finds all that are not. */
export const tidy = (lowered: Lowered): Lowered => {
  const used = new Set<string>()
  const note = (e: Expr): void =>
    eachExpr(e, (x) => {
      if (x._tag === "Local") used.add(x.name)
    })
  const inner = (s: Stmt): Stmt => {
    switch (s._tag) {
      case "Each":
      case "For":
      case "Loop":
        return { ...s, body: block(s.body) }
      case "If":
        return { ...s, then: block(s.then), else: block(s.else) }
      case "Inline":
        return { ...s, operands: s.operands.map((o) => ({ ...o, body: inlineBody(o) })) }
      default:
        return s
    }
  }
  const inlineBody = (o: { readonly body: ReadonlyArray<Stmt>; readonly index: Expr; readonly inside: Expr }) => {
    note(o.index)
    note(o.inside)
    return block(o.body)
  }
  const block = (body: ReadonlyArray<Stmt>): ReadonlyArray<Stmt> => {
    const out: Array<Stmt> = []
    for (let k = body.length - 1; k >= 0; k--) {
      const s = body[k]!
      if (s._tag === "Let" && !used.has(s.name)) continue
      const kept = inner(s)
      expressionsOf(s).forEach(note)
      out.push(kept)
    }
    return out.reverse()
  }
  return { ...lowered, body: block(lowered.body) }
}
