/** What a compiler says to the files of a folder. */
import { spawn } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../..", import.meta.url))

export interface Finding {
  /** From the root of the repository; empty for what is said of no file. */
  readonly file: string
  readonly line: number
  /** All lines, without position and without paths of this machine. */
  readonly text: string
}

const parsed = (message: string): Finding => {
  const at = /^([^\s(]+)\((\d+),\d+\): /.exec(message)
  const text = message.slice(at?.[0].length ?? 0).replaceAll(root, "")
  return { file: at?.[1] ?? "", line: Number(at?.[2] ?? 0), text }
}

/** Checks a folder by its `tsconfig.json`; further lines of a message are indented. */
export const tsc = async (compiler: "typescript" | "typescript6", folder: string): Promise<ReadonlyArray<Finding>> => {
  const bin = join(root, "node_modules", compiler, "bin/tsc")
  const child = spawn(process.execPath, [bin, "-p", folder, "--pretty", "false"], { cwd: root })
  let out = ""
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (out += text))
  await new Promise((resolve, reject) => child.on("close", resolve).on("error", reject))
  return out
    .split(/\n(?=\S)/)
    .map((message) => message.trimEnd())
    .filter((message) => message !== "")
    .map(parsed)
}
