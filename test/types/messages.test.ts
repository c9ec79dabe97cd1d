/**
 * What the type checker says to mistakes: each file of `mistakes` is one, and `messages.txt` says what TypeScript 7 says.
 *
 * `UPDATE_GOLDEN=1` writes that file anew.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { beforeAll, describe, expect, it } from "vitest"
import { type Finding, tsc } from "./tsc.ts"

const file = (path: string) => new URL(path, import.meta.url)
const mistakes = readdirSync(file("mistakes"))
  .filter((name) => name.endsWith(".ts"))
  .sort()
const source = (mistake: string) => readFileSync(file(`mistakes/${mistake}`), "utf8")
const of = (findings: ReadonlyArray<Finding>, mistake: string) =>
  findings.filter((f) => f.file === `test/types/mistakes/${mistake}`)

/** The name and what it is, the line that is blamed, and what is said. */
const section = (mistake: string, said: ReadonlyArray<Finding>): string => {
  const lines = source(mistake).split("\n")
  const what = /^\/\*\* (.*) \*\/$/.exec(lines[0]!)![1]!
  // How many members a type has beyond those named says nothing about the mistake, and grows with each primitive.
  const text = (f: Finding): string => f.text.replaceAll(/and \d+ more\./g, "and more.")
  const told = said.map((f) => `> ${lines[f.line - 1]!.trim()}\n${text(f)}`)
  return [`# ${mistake.replace(".ts", "")}: ${what}`, ...told].join("\n")
}

let said: ReadonlyArray<Finding>
let before: ReadonlyArray<Finding>
beforeAll(async () => {
  ;[said, before] = await Promise.all([
    tsc("typescript", "test/types/mistakes"),
    tsc("typescript6", "test/types/mistakes")
  ])
}, 300_000)

describe("the type checker", () => {
  it("blames nothing but the mistakes", () => {
    const known = new Set(mistakes.map((m) => `test/types/mistakes/${m}`))
    expect([...said, ...before].filter((f) => !known.has(f.file))).toEqual([])
  })
  it.each(mistakes)("refuses %s, also in TypeScript 6, and says why in four lines at most", (mistake) => {
    const lines = of(said, mistake).flatMap((f) => f.text.split("\n"))
    expect(lines.length).toBeGreaterThan(0)
    expect(lines.length).toBeLessThanOrEqual(4)
    expect(of(before, mistake).length).toBeGreaterThan(0)
  })
  it("says what messages.txt says", () => {
    const text = mistakes.map((m) => section(m, of(said, m))).join("\n\n") + "\n"
    if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(file("messages.txt"), text)
    expect(text).toBe(readFileSync(file("messages.txt"), "utf8"))
  })
})
