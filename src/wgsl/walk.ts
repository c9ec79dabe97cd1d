/** What passes over the lowered form share. */
import * as E from "../ir/expr.ts"
import type { Expr, Stmt } from "../ir/lowered.ts"

/** The expressions that a statement itself evaluates. */
export const expressionsOf = (s: Stmt): ReadonlyArray<Expr> => {
  switch (s._tag) {
    case "Let":
    case "Var":
    case "Assign":
    case "Uniform":
      return [s.value]
    case "Store":
    case "Add":
      return [s.index, s.value]
    case "Atomic":
      return [s.index, ...s.values]
    case "Reserve":
      return [s.cell]
    case "Record":
      return [s.index, s.value]
    case "Subgroup":
      return s.values
    case "For":
      return [s.from, s.to]
    case "If":
    case "BreakUnless":
      return [s.condition]
    default:
      return []
  }
}
/** The blocks inside a statement. */
export const blocksOf = (s: Stmt): ReadonlyArray<ReadonlyArray<Stmt>> => {
  switch (s._tag) {
    case "Each":
    case "For":
    case "Loop":
      return [s.body]
    case "If":
      return [s.then, s.else]
    case "Inline":
      return s.operands.map((o) => o.body)
    default:
      return []
  }
}
/** Calls `visit` for each expression inside an expression, itself included. */
export const eachExpr = (e: Expr, visit: (e: Expr) => void): void => {
  visit(e)
  for (const child of E.children(e)) eachExpr(child, visit)
}
/** Calls `visit` for each statement, outer first. */
export const eachStmt = (body: ReadonlyArray<Stmt>, visit: (s: Stmt) => void): void => {
  for (const s of body) {
    visit(s)
    for (const b of blocksOf(s)) eachStmt(b, visit)
  }
}
