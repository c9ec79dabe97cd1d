/** Writes every text that is made from the records of primitives; a test holds each to them. */
import { readFileSync, writeFileSync } from "node:fs"
import { argv } from "node:process"
import { fileURLToPath } from "node:url"
import { updated } from "./coverage.ts"
import { functionsModule } from "./functions.ts"
import { primitivesPage } from "./primitivesPage.ts"

export interface Generated {
  readonly path: string
  /** The text of today, from that of before. */
  readonly text: (before: string) => string
}
export const generated: ReadonlyArray<Generated> = [
  { path: "README.md", text: updated },
  { path: "docs/primitives.md", text: primitivesPage },
  { path: "src/tile/functions.ts", text: functionsModule }
]
const url = (path: string): URL => new URL(`../${path}`, import.meta.url)
export const current = (path: string): string => {
  try {
    return readFileSync(url(path), "utf8")
  } catch {
    return ""
  }
}

if (argv[1] === fileURLToPath(import.meta.url))
  for (const { path, text } of generated) writeFileSync(url(path), text(current(path)))
