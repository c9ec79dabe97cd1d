/**
 * Runs every file of a folder, one after the other, each in a process of its own: `tsx scripts/run-all.ts examples`.
 * A second argument is the ending that the names must have.
 */
import { spawnSync } from "node:child_process"
import { readdirSync } from "node:fs"
import { join } from "node:path"

const [folder = "examples", ending = ".ts"] = process.argv.slice(2)
const failed = readdirSync(folder)
  .filter((name) => name.endsWith(ending))
  .sort()
  .filter((name) => {
    console.log(`\n${folder}/${name}`)
    const child = spawnSync(process.execPath, ["--import", "tsx", join(folder, name)], { stdio: "inherit" })
    return child.status !== 0
  })
for (const name of failed) console.error(`failed: ${folder}/${name}`)
process.exitCode = failed.length > 0 ? 1 : 0
