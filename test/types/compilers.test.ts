import { describe, expect, it } from "vitest"
import { tsc } from "./tsc.ts"

describe.each(["typescript", "typescript6"] as const)("%s", (compiler) => {
  it("finds every promise of the types kept", async () => {
    expect(await tsc(compiler, "test/types")).toEqual([])
  }, 300_000)
})
