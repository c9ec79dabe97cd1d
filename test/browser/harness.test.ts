import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { runInBrowser } from "./harness.ts"

const page = (name: string) => fileURLToPath(new URL(`pages/${name}.ts`, import.meta.url))

describe("the browser of the tests", () => {
  it("runs WGSL on a WebGPU adapter and hands typed arrays and special numbers back as they are", async () => {
    const result = await runInBrowser(page("double"))
    expect(result).toEqual({
      adapter: expect.stringMatching(/./),
      doubled: Float32Array.of(0, 2, -4, 7, 2e30, 2e-30, -0.5, 14),
      special: [NaN, Infinity, -Infinity]
    })
  })
  it("rejects with what the page threw", async () => {
    await expect(runInBrowser(page("reject"))).rejects.toThrow("the kernel is unwell")
  })
  it("rejects when the page logged an error, although it gave a result", async () => {
    await expect(runInBrowser(page("complain"))).rejects.toThrow("console.error: validation: binding 3 is missing")
  })
  it("rejects with the error of a page that does not load", async () => {
    await expect(runInBrowser(page("broken"))).rejects.toThrow(/exports no `main`[^]*TypeError: not today/)
  })
  it("gives up on a page that hangs", async () => {
    await expect(runInBrowser(page("hang"), { timeout: 1500 })).rejects.toThrow("no answer within 1500 ms")
  })
  it("refuses a module that reaches Node's own modules", async () => {
    await expect(runInBrowser(page("node"))).rejects.toThrow('"node:fs" of Node is reached')
  })
})
