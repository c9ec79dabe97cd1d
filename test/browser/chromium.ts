/**
 * The headless Chromium that `@sparticuz/chromium` brings, unpacked once per version into a folder for temporary files.
 *
 * SwiftShader's files must lie beside the binary. The libraries for systems without NSS go into a folder of their own,
 * because they would shadow newer ones of the system.
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { brotliDecompressSync } from "node:zlib"
import { untar } from "../../src/node/untar.ts"

export interface Chromium {
  readonly executable: string
  readonly env: { readonly [name: string]: string }
}

const packageFolder = join(dirname(createRequire(import.meta.url).resolve("@sparticuz/chromium")), "../..")
const { version } = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8")) as {
  readonly version: string
}
const unbrotli = (name: string): Buffer => brotliDecompressSync(readFileSync(join(packageFolder, "bin", name)))

const unpackArchive = (name: string, folder: string): void => {
  for (const [path, bytes] of untar(unbrotli(name))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), bytes)
  }
}

const unpack = (folder: string): void => {
  writeFileSync(join(folder, "chromium"), unbrotli("chromium.br"), { mode: 0o755 })
  unpackArchive("swiftshader.tar.br", folder)
  unpackArchive("al2023.tar.br", join(folder, "without-nss"))
}

/** Unpacks into a folder that nobody else sees, then gives it its name; the first of several processes wins. */
const unpacked = (): string => {
  const folder = join(tmpdir(), `effect-kernels-chromium-${version}-${process.getuid?.() ?? 0}`)
  if (existsSync(folder)) return folder
  const fresh = mkdtempSync(`${folder}-`)
  unpack(fresh)
  try {
    renameSync(fresh, folder)
  } catch (cause) {
    rmSync(fresh, { recursive: true, force: true })
    if (!existsSync(folder)) throw cause
  }
  return folder
}

/** Where the browser is, and the environment that it needs; says what is missing if it does not start at all. */
export const chromium = (): Chromium => {
  const folder = unpacked()
  const executable = join(folder, "chromium")
  const path = [join(folder, "without-nss", "lib"), process.env["LD_LIBRARY_PATH"]].filter(Boolean).join(":")
  const messages: Array<string> = []
  for (const env of [{}, { LD_LIBRARY_PATH: path }]) {
    const child = spawnSync(executable, ["--version"], { env: { ...process.env, ...env }, encoding: "utf8" })
    if (child.status === 0) return { executable, env }
    messages.push(child.error?.message ?? child.stderr.trim())
  }
  throw new Error(`the Chromium of @sparticuz/chromium ${version} does not start: ${messages.join("; ")}`)
}
