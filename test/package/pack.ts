/** Builds and packs the package in a copy of the repository, and installs it in an empty folder without the network. */
import { spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

export const root = fileURLToPath(new URL("../..", import.meta.url))
const modules = join(root, "node_modules")

/** Output of a command; on failure the error holds all that it printed. */
export const run = (cwd: string, command: string, args: ReadonlyArray<string>): string => {
  const child = spawnSync(command, args, { cwd, encoding: "utf8" })
  if (child.status !== 0)
    throw new Error([`${command} ${args.join(" ")}`, child.error?.message, child.stdout, child.stderr].join("\n"))
  return child.stdout
}

export interface Packed {
  readonly tarball: string
  readonly files: ReadonlyArray<string>
}

/** `npm pack` in a copy, so that nobody's `dist` is disturbed. */
export const pack = (): Packed => {
  const copy = mkdtempSync(join(tmpdir(), "effect-kernels-pack-"))
  const wanted = ["src", "package.json", "tsconfig.json", "tsconfig.build.json", "README.md", "CHANGELOG.md", "LICENSE"]
  for (const name of wanted)
    if (existsSync(join(root, name))) cpSync(join(root, name), join(copy, name), { recursive: true })
  symlinkSync(modules, join(copy, "node_modules"))
  // npm prints what the build prints in front of its own JSON
  const printed = run(copy, "npm", ["pack", "--json", "--loglevel=error"])
  const [info] = JSON.parse(printed.slice(printed.search(/^\[$/m))) as [
    { filename: string; files: ReadonlyArray<{ path: string }> }
  ]
  return { tarball: join(copy, info.filename), files: info.files.map((f) => f.path) }
}

/** A new project that depends on the tarball, on `effect`, and on nothing that is optional. */
export const install = ({ tarball }: Packed): string => {
  const project = mkdtempSync(join(tmpdir(), "effect-kernels-user-"))
  const local = (name: string) => [name, `file:${join(modules, name)}`]
  const dependencies = Object.fromEntries([
    ["effect-kernels", `file:${tarball}`],
    local("effect"),
    local("@petamoriken/float16")
  ])
  writeFileSync(join(project, "package.json"), JSON.stringify({ private: true, type: "module", dependencies }))
  const quiet = ["--no-audit", "--no-fund", "--loglevel=error"]
  // copies, not links: npm would resolve a link's peers where it leads to
  run(project, "npm", ["install", "--offline", "--ignore-scripts", "--install-links", ...quiet])
  return project
}

/** Adds one of the repository's packages to a project, if it is not there. */
export const link = (project: string, name: string): void => {
  const at = join(project, "node_modules", name)
  if (existsSync(at)) return
  mkdirSync(join(at, ".."), { recursive: true })
  symlinkSync(join(modules, name), at)
}
