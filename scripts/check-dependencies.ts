/** Prints every import below `src/` that goes against the direction of dependencies, and fails if there is one. */
import { readdirSync, readFileSync } from "node:fs"
import { join, normalize } from "node:path/posix"
import { type Import, offences } from "./dependencies.ts"
import { specifiersOf } from "./imports.ts"

const sources = readdirSync("src", { recursive: true, encoding: "utf8" })
  .map((path) => join("src", path.replaceAll("\\", "/")))
  .filter((path) => path.endsWith(".ts"))

const importsOf = (file: string): ReadonlyArray<Import> =>
  specifiersOf(readFileSync(file, "utf8")).map((specifier) => ({
    file,
    specifier,
    target: specifier.startsWith(".") ? normalize(join(file, "..", specifier)) : undefined
  }))

const found = offences(sources.flatMap(importsOf))
for (const line of found) console.error(line)
console.log(`${sources.length} files, ${found.length} imports against the direction of dependencies`)
process.exitCode = found.length > 0 ? 1 : 0
