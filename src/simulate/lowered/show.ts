/** Statements of the lowered form as one short line each, for reports. */
import type { Expr, IndexOp, Stmt } from "../../ir/lowered.ts"

const infix: { readonly [K in IndexOp]: string } = {
  add: "+",
  mul: "*",
  div: "/",
  mod: "%",
  floorDiv: "floorDiv",
  floorMod: "floorMod"
}
/** An expression as text. */
export const showExpr = (e: Expr): string => {
  switch (e._tag) {
    case "Const":
      return String(e.value)
    case "Local":
      return e.name
    case "Index":
      return `(${showExpr(e.a)} ${infix[e.op]} ${showExpr(e.b)})`
    case "Inside":
      return `${showExpr(e.index)} < ${e.size}`
    case "All":
      return e.of.map(showExpr).join(" && ")
    case "Select":
      return `(${showExpr(e.condition)} ? ${showExpr(e.yes)} : ${showExpr(e.no)})`
    case "Apply":
      return `${e.primitive}(${e.args.map(showExpr).join(", ")})`
    case "Load":
      return `${e.memory}[${showExpr(e.index)}]`
    case "Bitcast":
      return `${e.to}(${showExpr(e.of)})`
  }
}
const list = (of: ReadonlyArray<Expr>): string => of.map(showExpr).join(", ")
const whole = (s: Stmt): string => {
  switch (s._tag) {
    case "Let":
    case "Var":
    case "Assign":
      return `${s.name} = ${showExpr(s.value)}`
    case "Uniform":
      return `${s.name} = uniform(${showExpr(s.value)})`
    case "Store":
      return `${s.memory}[${showExpr(s.index)}] = ${showExpr(s.value)}`
    case "Add":
      return `${s.memory}[${showExpr(s.index)}] += ${showExpr(s.value)}`
    case "Atomic":
      return `${s.name === undefined ? "" : `${s.name} = `}${s.op} ${s.memory}[${showExpr(s.index)}], ${list(s.values)}`
    case "Subgroup":
      return `${s.names.join(", ")} = subgroup${s.op}(${list(s.values)})`
    case "Each":
      return `each ${s.name} < ${s.count}`
    case "For":
      return `for ${s.name} from ${showExpr(s.from)} to ${showExpr(s.to)}`
    case "If":
      return `if ${showExpr(s.condition)}`
    case "Loop":
      return "loop"
    case "BreakUnless":
      return `break unless ${showExpr(s.condition)}`
    case "Barrier":
      return `barrier${s.workgroup ? " workgroup" : ""}${s.storage ? " storage" : ""}`
    case "Reserve":
      return `${s.name} = reserve ${s.kind} ${s.site}`
    case "Record":
      return `record ${showExpr(s.value)}`
    case "Comment":
      return `// ${s.text}`
    case "Inline":
      return `inline ${s.inline}`
  }
}
const longest = 100
/** A statement, or how it begins, in at most 100 characters. */
export const showStatement = (s: Stmt): string => {
  const text = whole(s)
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`
}
