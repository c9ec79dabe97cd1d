/** The code that documentation shows: `@example` blocks of docstrings, and the TypeScript blocks of a Markdown file. */

export interface Example {
  readonly file: string
  /** Line of the first line of code, from 1. */
  readonly line: number
  readonly code: string
  /** False for a block marked `no-run`, which is type-checked only: it needs what only an application has. */
  readonly runs: boolean
  /** What its `// =>` comments promise that it prints; undefined if it promises nothing. */
  readonly prints: string | undefined
}

const promised = (code: string): string | undefined => {
  const lines = [...code.matchAll(/\/\/ => ?(.*)$/gm)].map((m) => m[1]!.trim())
  return lines.length > 0 ? lines.join("\n") : undefined
}

/** The fenced ```ts blocks of a text, given as lines already without comment stars. */
const fences = (file: string, lines: ReadonlyArray<string>, firstLine: number): ReadonlyArray<Example> => {
  const found: Array<Example> = []
  let open: { readonly at: number; readonly info: string } | undefined
  lines.forEach((line, k) => {
    const fence = /^\s*```(.*)$/.exec(line)
    if (fence === null) return
    if (open === undefined) open = { at: k, info: fence[1]!.trim() }
    else {
      const code = lines.slice(open.at + 1, k).join("\n")
      const words = open.info.split(/\s+/)
      if (words[0] === "ts")
        found.push({
          file,
          line: firstLine + open.at + 1,
          code,
          runs: !words.includes("no-run"),
          prints: promised(code)
        })
      open = undefined
    }
  })
  return found
}

export const ofMarkdown = (file: string, text: string): ReadonlyArray<Example> => fences(file, text.split("\n"), 1)

/** The examples of a module's docstrings; an `@example` without code is a mistake of the author and throws. */
export const ofSource = (file: string, text: string): ReadonlyArray<Example> =>
  [...text.matchAll(/\/\*\*[^]*?\*\//g)].flatMap((comment) => {
    const line = text.slice(0, comment.index).split("\n").length
    const lines = comment[0].split("\n").map((l) => l.replace(/^\s*\*(?!\/) ?/, ""))
    return lines.flatMap((l, k) => {
      if (!/^\s*(\/\*\* )?@example\b/.test(l)) return []
      const rest = lines.slice(k + 1)
      const end = rest.findIndex((r) => /^@\w/.test(r))
      const found = fences(file, end < 0 ? rest : rest.slice(0, end), line + k + 1)
      if (found.length === 0) throw new Error(`${file}:${line + k}: @example without a \`\`\`ts block`)
      return found
    })
  })
