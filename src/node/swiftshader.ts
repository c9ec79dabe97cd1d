/** SwiftShader, a Vulkan driver that runs on the CPU, unpacked from an npm package into a folder that processes share. */
import { Effect } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { lstat, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises"
import { constants, tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { brotliDecompress } from "node:zlib"
import { GpuUnavailable } from "../Errors.ts"
import { peers, resolvePeer } from "./peer.ts"
import { untar } from "./untar.ts"

const loader = "libvulkan.so.1"
const driver = "vk_swiftshader_icd.json"
const files = [loader, driver, "libvk_swiftshader.so"]

/** Whether the folder is whole, and the user's own: a library that somebody else put there would be loaded. */
const usable = async (folder: string): Promise<boolean> => {
  const stat = await lstat(folder).catch(() => undefined)
  return (
    stat !== undefined &&
    stat.isDirectory() &&
    stat.uid === process.getuid?.() &&
    files.every((file) => existsSync(join(folder, file)))
  )
}

/**
 * Unpacks the archive into a folder `name` under `parent` and gives the folder to use. Files are never written where another
 * process may have them mapped: they go to a fresh folder, which is then renamed. If that name is taken by a folder that
 * cannot be used, the fresh one stays.
 */
export const unpack = async (archive: string, parent: string, name: string): Promise<string> => {
  const folder = join(parent, name)
  if (await usable(folder)) return folder
  const contents = untar(await promisify(brotliDecompress)(await readFile(archive)))
  await mkdir(parent, { recursive: true })
  const fresh = await mkdtemp(join(parent, `${name}-`))
  for (const file of files) {
    const bytes = contents.get(file)
    if (bytes === undefined) throw new Error(`${archive} has no ${file}`)
    await writeFile(join(fresh, file), bytes, { mode: 0o755 })
  }
  const renamed = await rename(fresh, folder).then(
    () => true,
    () => false
  )
  if (renamed) return folder
  if (!(await usable(folder))) return fresh
  await rm(fresh, { recursive: true, force: true })
  return folder
}

/**
 * Loads the Vulkan loader so that Dawn finds it by its name. Node always throws, because it is no addon; without NODELETE it
 * would also unload it again.
 */
const load = (library: string): void => {
  const noDelete = 0x1000
  try {
    process.dlopen({ exports: {} }, library, constants.dlopen.RTLD_NOW | noDelete)
  } catch (cause) {
    if (!String(cause).includes("did not self-register")) throw cause
  }
}

const versionOf = (main: string): string => {
  for (let folder = dirname(main); ; folder = dirname(folder)) {
    const description = join(folder, "package.json")
    const { version } = existsSync(description) ? JSON.parse(readFileSync(description, "utf8")) : {}
    if (version !== undefined) return `${version}`
    if (folder === dirname(folder)) throw new Error(`${main} belongs to no package`)
  }
}

/**
 * Makes SwiftShader loadable in this process and gives the path of its driver description, for `VK_DRIVER_FILES`. Fails with
 * `GpuUnavailable` on other platforms than Linux on x64, and without the package that has it.
 */
export const prepareSwiftShader: Effect.Effect<string, GpuUnavailable> = Effect.gen(function* () {
  if (process.platform !== "linux" || process.arch !== "x64")
    return yield* new GpuUnavailable({
      detail: `there is no packaged software adapter for ${process.platform} on ${process.arch}`,
      hint: "use GpuDevice.layer, which takes the adapter of the system"
    })
  const main = yield* resolvePeer(peers.swiftshader)
  return yield* Effect.tryPromise({
    try: async () => {
      const archive = join(dirname(main), "..", "..", "bin", "swiftshader.tar.br")
      const name = `effect-kernels-swiftshader-${versionOf(main)}-${process.getuid?.()}`
      const folder = await unpack(archive, tmpdir(), name)
      load(join(folder, loader))
      return join(folder, driver)
    },
    catch: (cause) =>
      new GpuUnavailable({
        detail: `SwiftShader could not be set up: ${cause instanceof Error ? cause.message : String(cause)}`,
        hint: `install ${peers.swiftshader} exactly, and let TMPDIR be a folder that may hold executable files`
      })
  })
})
