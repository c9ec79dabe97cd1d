import { spawnSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { formatWithOptions } from "node:util"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { type Example, ofMarkdown, ofSource } from "./docs/examples.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const folder = join(root, ".cache/docs")
const read = (path: string) => readFileSync(join(root, path), "utf8")

const examples: ReadonlyArray<Example> = [
  ...readdirSync(join(root, "src"))
    .filter((name) => name.endsWith(".ts"))
    .flatMap((name) => ofSource(`src/${name}`, read(`src/${name}`))),
  ...ofMarkdown("README.md", read("README.md"))
]
const where = ({ file, line }: Example) => `${file}:${line}`
const fileOf = (example: Example) => `${where(example).replaceAll(/[/:]/g, "_")}.ts`

/** Errors of the type checker, at the lines of the documentation: each example is written at its own line number. */
const typeErrors = (): ReadonlyArray<string> => {
  for (const example of examples)
    writeFileSync(join(folder, fileOf(example)), `${"\n".repeat(example.line - 1)}${example.code}\nexport {}\n`)
  const config = { extends: "../../tsconfig.json", compilerOptions: { noUnusedLocals: false }, include: ["*.ts"] }
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config))
  const tsc = join(root, "node_modules/typescript/bin/tsc")
  const child = spawnSync(process.execPath, [tsc, "-p", folder, "--pretty", "false"], { cwd: folder, encoding: "utf8" })
  // further lines of an error are indented
  return (child.stdout + child.stderr).split(/\n(?=\S)/).filter((error) => error.trim() !== "")
}

/** Runs an example, gives what it printed, and fails where it asserts what is not so: Node only warns of that. */
const runAndListen = async (example: Example): Promise<string> => {
  const lines: Array<string> = []
  const log = vi.spyOn(console, "log").mockImplementation((...args) => {
    lines.push(formatWithOptions({ breakLength: Infinity }, ...args))
  })
  const assert = vi.spyOn(console, "assert").mockImplementation(() => undefined)
  try {
    await import(/* @vite-ignore */ join(folder, fileOf(example)))
    expect(assert.mock.calls.filter(([holds]) => !holds)).toEqual([])
  } finally {
    log.mockRestore()
    assert.mockRestore()
  }
  return lines.join("\n")
}

let errors: ReadonlyArray<string>
beforeAll(() => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  errors = typeErrors()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe("the examples of the documentation", () => {
  it("are there", () => {
    expect(examples.some((e) => e.file === "README.md")).toBe(true)
    expect(examples.some((e) => e.file.startsWith("src/"))).toBe(true)
  })
  it("have no type errors but those that are reported with an example", () => {
    const known = new Set(examples.map(fileOf))
    expect(errors.filter((error) => !known.has(error.split("(")[0]!))).toEqual([])
  })
  it.each(examples.map((example) => ({ at: where(example), example })))(
    "compile and run as shown: $at",
    async ({ example }) => {
      expect(errors.filter((error) => error.startsWith(`${fileOf(example)}(`))).toEqual([])
      if (!example.runs) return
      const printed = await runAndListen(example)
      if (example.prints !== undefined) expect(printed).toBe(example.prints)
    }
  )
})
