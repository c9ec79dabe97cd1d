/**
 * What is wrong with inline text in ways that the device would blame on other lines: names that WGSL reserves, and brackets
 * that do not close, which would take in what follows.
 */
import { InlineError } from "../Errors.ts"
import type { InlineDef, Program } from "../ir/program.ts"
import { fail } from "./failure.ts"
import { placeOf } from "./inlines.ts"
import { isName } from "./names.ts"

const closes: { readonly [open: string]: string } = { "(": ")", "[": "]", "{": "}" }

interface Mistake {
  readonly line: number
  readonly detail: string
}

/** The text with comments blanked out, line breaks kept. */
const withoutComments = (text: string): string =>
  text.replace(/\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g, (comment) => comment.replace(/[^\n]/g, " "))

/** The first bracket that closes nothing, or else the last one that stays open. */
const unbalanced = (text: string): Mistake | undefined => {
  const open: Array<{ readonly bracket: string; readonly line: number }> = []
  let line = 1
  for (const c of withoutComments(text)) {
    if (c === "\n") line++
    else if (c in closes) open.push({ bracket: c, line })
    else if (c === ")" || c === "]" || c === "}") {
      const last = open.pop()
      if (last === undefined || closes[last.bracket] !== c) return { line, detail: `"${c}" closes nothing` }
    }
  }
  const left = open.at(-1)
  return left && { line: left.line, detail: `"${left.bracket}" is never closed` }
}

const mistake = (def: InlineDef): Mistake | undefined => {
  // Text of a block has operands as the first half of `x_load`, where a keyword does no harm.
  const fits = (n: string): boolean => isName(def.grain === "block" ? `${n}_load` : n)
  const name = [...def.args, ...def.results].map((o) => o.name).find((n) => !fits(n))
  if (name !== undefined) return { line: 1, detail: `"${name}" cannot be a name in WGSL: give the operand another` }
  return unbalanced(def.wgsl)
}

/** Fails with `InlineError` at the first inline of the program that WGSL could not take. */
export const checkInlines = (program: Program): void => {
  for (const def of Object.values(program.inlines)) {
    const wrong = mistake(def)
    if (wrong !== undefined) fail(program.name, new InlineError({ inline: def.name, ...wrong, ...placeOf(def) }))
  }
}
