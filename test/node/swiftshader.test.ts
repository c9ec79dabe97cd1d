import { Effect } from "effect"
import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { peers, resolvePeer } from "../../src/node/peer.ts"
import { unpack } from "../../src/node/swiftshader.ts"
import { untar } from "../../src/node/untar.ts"

let archive = ""
const parents: Array<string> = []
const parent = (): string => {
  parents.push(mkdtempSync(join(tmpdir(), "effect-kernels-test-")))
  return parents.at(-1)!
}
beforeAll(async () => {
  archive = join(dirname(await Effect.runPromise(resolvePeer(peers.swiftshader))), "../../bin/swiftshader.tar.br")
})
afterAll(() => parents.forEach((folder) => rmSync(folder, { recursive: true })))

describe("unpack", () => {
  it("gives one whole folder to all who unpack at once, and leaves nothing else", async () => {
    const under = parent()
    const folders = await Promise.all(Array.from({ length: 4 }, () => unpack(archive, under, "driver")))
    expect(new Set(folders)).toEqual(new Set([join(under, "driver")]))
    expect(readdirSync(under)).toEqual(["driver"])
    const description = JSON.parse(readFileSync(join(under, "driver", "vk_swiftshader_icd.json"), "utf8"))
    expect(readdirSync(folders[0]!)).toContain(description.ICD.library_path.replace("./", ""))
  })

  it("does not touch a folder that is whole: others have its files mapped", async () => {
    const under = parent()
    const library = join(await unpack(archive, under, "driver"), "libvk_swiftshader.so")
    const before = statSync(library)
    await unpack(archive, under, "driver")
    expect(statSync(library)).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs })
  })

  it("uses a folder of its own when the name is taken by one that is not whole", async () => {
    const under = parent()
    mkdirSync(join(under, "driver"))
    writeFileSync(join(under, "driver", "libvulkan.so.1"), "half")
    const folder = await unpack(archive, under, "driver")
    expect(folder).not.toBe(join(under, "driver"))
    expect(readdirSync(folder).length).toBe(3)
    expect(readFileSync(join(under, "driver", "libvulkan.so.1"), "utf8")).toBe("half")
  })

  it("works in several processes at once that start from nothing", async () => {
    const under = parent()
    const script = fileURLToPath(new URL("print-device.ts", import.meta.url))
    const start = () =>
      promisify(execFile)(process.execPath, ["--import", "tsx", script], { env: { ...process.env, TMPDIR: under } })
    for (const { stdout } of await Promise.all([start(), start(), start()])) expect(stdout).toContain("SwiftShader")
    expect(readdirSync(under).filter((name) => name.startsWith("effect-kernels")).length).toBe(1)
  })
})

describe("untar", () => {
  it("gives plain files by name, over block boundaries, and skips the rest", () => {
    const header = (name: string, size: number, type: string) => {
      const block = Buffer.alloc(512)
      block.write(name, 0)
      block.write(size.toString(8).padStart(11, "0"), 124)
      block.write(type, 156)
      return block
    }
    const body = (text: string) => Buffer.concat([Buffer.from(text), Buffer.alloc((512 - (text.length % 512)) % 512)])
    const long = "x".repeat(513)
    const tar = Buffer.concat([
      header("folder/", 0, "5"),
      header("a", 3, "0"),
      body("one"),
      header("b", 513, "0"),
      body(long),
      header("empty", 0, "0"),
      Buffer.alloc(1024)
    ])
    const files = [...untar(tar)].map(([name, bytes]) => [name, Buffer.from(bytes).toString()])
    expect(files).toEqual([
      ["a", "one"],
      ["b", long],
      ["empty", ""]
    ])
  })
})
