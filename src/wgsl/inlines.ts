/** The text of inline primitives in a module. */
import { typeOf, type Expr, type InlineOperand, type Lowered, type Stmt, type Type } from "../ir/lowered.ts"
import type { InlineDef } from "../ir/program.ts"
import type { InlineLines } from "./module.ts"
import { type Namer, plainName } from "./names.ts"
import { cast } from "./packed.ts"
import { indexIn, loadText, type Names, storeText, unwrap } from "./text.ts"
import { eachExpr, eachStmt, expressionsOf } from "./walk.ts"

/** Where an inline was made, if that is known. */
export const placeOf = ({ source }: InlineDef): { readonly source?: string } => (source === null ? {} : { source })

/** Lines of a module, and where texts of inlines stand in them. */
export class Listing {
  readonly lines: Array<string> = []
  readonly inlines: Array<InlineLines> = []
  readonly push = (line: string): void => {
    for (const one of line.split("\n")) this.lines.push(one)
  }
  inline(def: InlineDef, text: string): void {
    const count = text.split("\n").length
    this.inlines.push({ inline: def.name, line: this.lines.length + 1, count, ...placeOf(def) })
    this.push(text)
  }
  /** Appends another listing. */
  append(other: Listing): void {
    for (const i of other.inlines) this.inlines.push({ ...i, line: i.line + this.lines.length })
    this.lines.push(...other.lines)
  }
}

/** The function that an elementwise inline is. */
export const inlineFunction = (def: InlineDef, name: string, out: Listing): void => {
  const args = def.args.map((a) => `${a.name}: ${typeOf(a.dtype)}`).join(", ")
  let result: string
  if (def.results.length === 1) result = typeOf(def.results[0]!.dtype)
  else {
    result = `${plainName(def.name)}_result`
    out.push(`struct ${result} { ${def.results.map((r) => `${r.name}: ${typeOf(r.dtype)}`).join(", ")} }`)
  }
  out.push(`fn ${name}(${args}) -> ${result} {`)
  // The brace counts as the text's: a missing return is reported there.
  out.inline(def, `${def.wgsl}\n}`)
}

/** Locals that an operand's index needs from where the block stands. */
const captured = (o: InlineOperand): ReadonlyMap<string, Type> => {
  const found = new Map<string, Type>()
  const own = new Set([o.element])
  const look = (e: Expr) =>
    eachExpr(e, (x) => {
      if (x._tag === "Local" && !own.has(x.name)) found.set(x.name, x.type)
    })
  eachStmt(o.body, (s) => {
    expressionsOf(s).forEach(look)
    if (s._tag === "Let") own.add(s.name)
  })
  look(o.index)
  look(o.inside)
  return found
}

export interface BlockText {
  readonly names: Names
  readonly expr: (e: Expr) => string
  readonly namer: Namer
  readonly lowered: Lowered
  /** Declarations at module level. */
  readonly module: Listing
}

const accessors = (t: BlockText, o: InlineOperand, name: string, captures: ReadonlyMap<string, Type>): void => {
  const memory = t.names.memory(o.memory)
  const type = typeOf(o.dtype)
  const lets = (): void => {
    for (const capture of captures.keys()) t.module.push(`  let ${capture} = ${name}_${capture};`)
    for (const s of o.body) if (s._tag === "Let") t.module.push(`  let ${s.name} = ${unwrap(t.expr(s.value))};`)
  }
  const index = indexIn(memory, o.index, t.expr)
  if (o.mode !== "write") {
    const loaded = loadText(memory, index)
    const value = cast(loaded, memory.dtype, o.dtype)
    t.module.push(`fn ${name}_load(${o.element}: i32) -> ${type} {`)
    lets()
    t.module.push(`  if (!${t.expr(o.inside)}) { return ${type}(0); }`)
    t.module.push(`  return ${value};`)
    t.module.push("}")
  }
  if (o.mode !== "read") {
    const rounded = o.dtype === "f16" ? "ek_f16(value)" : "value"
    const held = cast(rounded, o.dtype, memory.dtype)
    t.module.push(`fn ${name}_store(${o.element}: i32, value: ${type}) {`)
    lets()
    t.module.push(`  if (${unwrap(t.expr(o.inside))}) { ${storeText(memory, index, held)} }`)
    t.module.push("}")
  }
}

/** Writes one block: its accessors at module level, its text in place, with the accessors' names in it. */
export const inlineBlock = (t: BlockText, s: Stmt & { readonly _tag: "Inline" }, depth: number, out: Listing): void => {
  const def = t.names.inline(s.inline)
  const pad = "  ".repeat(depth)
  const functions = new Map<string, string>()
  for (const o of s.operands) {
    const name = t.namer.fresh(`${def.name}_${o.name}`)
    functions.set(o.name, name)
    const captures = captured(o)
    for (const [capture, type] of captures) {
      t.module.push(`var<private> ${name}_${capture}: ${type};`)
      out.push(`${pad}${name}_${capture} = ${capture};`)
    }
    accessors(t, o, name, captures)
  }
  const text = def.wgsl.replace(/\b(\w+)_(load|store)\b/g, (whole, operand: string, verb: string) => {
    const name = functions.get(operand)
    return name === undefined ? whole : `${name}_${verb}`
  })
  out.push(`${pad}{`)
  out.push(`${pad}  let lanes = ${t.lowered.workgroupSize}u;`)
  out.push(`${pad}  let lane = u32(lane);`)
  out.inline(def, `${text}\n${pad}}`)
}
/** Names of the inlines that blocks call as functions. */
export const calledInlines = (body: ReadonlyArray<Stmt>): ReadonlySet<string> => {
  const found = new Set<string>()
  eachStmt(body, (s) => {
    for (const e of expressionsOf(s))
      eachExpr(e, (x) => {
        if (x._tag === "Apply" && x.primitive === "inline") found.add(x.params.inline as string)
      })
  })
  return found
}
