/** Excerpts of source files: the lines around positions, each position with a mark under its column. */
import type { Lines } from "./sourceLines.ts"

export interface Position {
  readonly path: string
  readonly line: number
  readonly column: number
}
/** A position and what stands under its column. */
export interface Mark extends Position {
  readonly label: string
}
const before = 2
const after = 1
/** Longer lines (generated code) are cut. */
const widest = 160

export const parsePosition = (source: string | undefined): Position | undefined => {
  const parts = /^(.+):(\d+):(\d+)$/.exec(source ?? "")
  return parts === null ? undefined : { path: parts[1]!, line: Number(parts[2]), column: Number(parts[3]) }
}

/** Whether what is shown of two positions touches, so that it is shown once. */
export const isNear = (a: Position, b: Position): boolean =>
  a.path === b.path && Math.abs(a.line - b.line) <= before + after + 1

/** Reads each file once. */
export const linesOf = (lines: Lines): ((path: string) => ReadonlyArray<string> | undefined) => {
  const known = new Map<string, ReadonlyArray<string> | undefined>()
  return (path) => {
    if (!known.has(path)) known.set(path, lines(path)?.split(/\r\n|\n|\r/))
    return known.get(path)
  }
}

/** A caret under a column with the labels of the marks there; tabs stay, so that it stands where it should. */
const carets = (text: string, marks: ReadonlyArray<Mark>): ReadonlyArray<string> => {
  const columns = [...new Set(marks.map((mark) => mark.column))].sort((a, b) => a - b)
  return columns
    .filter((column) => column <= widest)
    .map((column) => {
      const labels = marks.filter((mark) => mark.column === column && mark.label !== "").map((mark) => mark.label)
      const space = text
        .slice(0, column - 1)
        .replace(/[^\t]/g, " ")
        .padEnd(column - 1)
      return `${space}^ ${labels.join(", ")}`.trimEnd()
    })
}
const cut = (text: string): string => (text.length > widest ? `${text.slice(0, widest)}…` : text)

/** The lines of one file around marks; `undefined` where the file does not have their lines. */
export const excerpt = (text: ReadonlyArray<string>, marks: ReadonlyArray<Mark>): ReadonlyArray<string> | undefined => {
  const numbers = marks.map((mark) => mark.line)
  if (numbers.some((n) => n < 1 || n > text.length)) return undefined
  const from = Math.max(1, Math.min(...numbers) - before)
  const to = Math.min(text.length, Math.max(...numbers) + after)
  const width = String(to).length
  const out: Array<string> = []
  for (let n = from; n <= to; n++) {
    const here = marks.filter((mark) => mark.line === n)
    const line = text[n - 1]!
    out.push(`${here.length > 0 ? ">" : " "} ${String(n).padStart(width)} | ${cut(line)}`.trimEnd())
    for (const caret of carets(line, here)) out.push(`  ${" ".repeat(width)} | ${caret}`)
  }
  return out
}
