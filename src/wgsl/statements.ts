/** Statements of the lowered form as lines of WGSL. */
import type { Expr, Lowered, Stmt, Type } from "../ir/lowered.ts"
import { type Step, stepName } from "./atomics.ts"
import { cast } from "./packed.ts"
import { recordPlace, reserveText } from "./records.ts"
import { subgroupLines } from "./subgroups.ts"
import { loadText, type Names, storeText, toWord, unwrap } from "./text.ts"
import { blocksOf, eachExpr, expressionsOf } from "./walk.ts"

/** What the statements need at module level. */
export interface Needs {
  /** Types of values that are made uniform. */
  readonly uniforms: Set<Type>
  /** Functions that atomically change a memory, by name. */
  readonly atomics: Map<string, Step>
}
export interface Lines {
  readonly push: (line: string) => void
  readonly inline: (stmt: Stmt & { readonly _tag: "Inline" }, depth: number) => void
}

const usesSlot = (body: ReadonlyArray<Stmt>): boolean =>
  body.some((s) => {
    let found = false
    for (const e of expressionsOf(s))
      eachExpr(e, (x) => {
        if (x._tag === "Local" && x.name === "slot") found = true
      })
    return found || blocksOf(s).some(usesSlot)
  })

export const writeStatements = (
  lowered: Lowered,
  names: Names,
  expr: (e: Expr) => string,
  needs: Needs,
  lines: Lines
): void => {
  const w = lowered.workgroupSize
  const top = (e: Expr): string => unwrap(expr(e))

  const write = (body: ReadonlyArray<Stmt>, depth: number): void => {
    const pad = "  ".repeat(depth)
    const line = (text: string): void => lines.push(pad + text)
    const nest = (head: string, inner: ReadonlyArray<Stmt>): void => {
      line(`${head} {`)
      write(inner, depth + 1)
      line("}")
    }
    for (const s of body) one(s, line, nest, depth)
  }
  const each = (s: Stmt & { readonly _tag: "Each" }, line: (t: string) => void, depth: number): void => {
    const slots = Math.ceil(s.count / w)
    const whole = s.count % w === 0 || s.together === true
    if (slots === 1) {
      line(whole ? "{" : s.count === 1 ? "if (lane == 0) {" : `if (lane < ${s.count}) {`)
      line("  let el = lane;")
      if (usesSlot(s.body)) line("  let slot = 0;")
    } else if (s.together === true || usesSlot(s.body)) {
      line(`for (var slot = 0; slot < ${slots}; slot++) {`)
      line(`  let el = slot * ${w} + lane;`)
      if (!whole) line(`  if (el >= ${s.count}) { break; }`)
    } else line(`for (var el = lane; el < ${s.count}; el += ${w}) {`)
    write(s.body, depth + 1)
    line("}")
  }
  const step = ({ dtype, memory, op }: Step, args: ReadonlyArray<Expr>): string => {
    const name = stepName({ dtype, memory, op })
    needs.atomics.set(name, { dtype, memory, op })
    return `${name}(${args.map(top).join(", ")})`
  }
  const add = (s: Stmt & { readonly _tag: "Add" }): string => {
    const memory = names.memory(s.memory)
    if (memory.atomic) return `${step({ ...s, op: "add", memory }, [s.index, s.value])};`
    const index = top(s.index)
    const sum = `${cast(loadText(memory, index), memory.dtype, s.dtype)} + ${expr(s.value)}`
    return storeText(memory, index, cast(s.dtype === "f16" ? `ek_f16(${sum})` : sum, s.dtype, memory.dtype))
  }
  const barrier = (s: Stmt & { readonly _tag: "Barrier" }): string =>
    [s.workgroup ? "workgroupBarrier();" : "", s.storage ? "storageBarrier();" : ""].filter((t) => t !== "").join(" ")

  const one = (
    s: Stmt,
    line: (t: string) => void,
    nest: (head: string, b: ReadonlyArray<Stmt>) => void,
    depth: number
  ): void => {
    switch (s._tag) {
      case "Let":
        return line(`let ${s.name} = ${top(s.value)};`)
      case "Var":
        return line(`var ${s.name}: ${s.type} = ${top(s.value)};`)
      case "Assign":
        return line(`${s.name} = ${top(s.value)};`)
      case "Store":
        return line(storeText(names.memory(s.memory), top(s.index), top(s.value)))
      case "Add":
        return line(add(s))
      case "Atomic": {
        const call = step({ ...s, memory: names.memory(s.memory) }, [s.index, ...s.values])
        return line(s.name === undefined ? `${call};` : `let ${s.name} = ${call};`)
      }
      case "Reserve":
        return line(reserveText(s, top(s.cell)))
      case "Record":
        return line(`${recordPlace(top(s.index))} = ${toWord(top(s.value), s.dtype)};`)
      case "Subgroup":
        return subgroupLines(s, s.values.map(top)).forEach(line)
      case "Each":
        return each(s, line, depth)
      case "For":
        return nest(`for (var ${s.name}: i32 = ${top(s.from)}; ${s.name} < ${expr(s.to)}; ${s.name}++)`, s.body)
      case "If":
        nest(`if (${top(s.condition)})`, s.then)
        if (s.else.length > 0) nest("else", s.else)
        return
      case "Loop":
        return nest("loop", s.body)
      case "BreakUnless":
        return line(`if (!${expr(s.condition)}) { break; }`)
      case "Barrier":
        return line(barrier(s))
      case "Uniform":
        needs.uniforms.add(s.type)
        line(`if (lane == 0) { ek_uniform_${s.type} = ${top(s.value)}; }`)
        return line(`let ${s.name} = workgroupUniformLoad(&ek_uniform_${s.type});`)
      case "Comment":
        return line(`// ${s.text.replace(/[\r\n]+/g, " ")}`)
      case "Inline":
        return lines.inline(s, depth)
    }
  }
  write(lowered.body, 1)
}
