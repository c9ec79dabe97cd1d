import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { updated } from "../scripts/coverage.ts"
import { primitives } from "../src/primitives/index.ts"

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8")

describe("the README", () => {
  it("has the table of primitives and interpreters of today (npm run coverage writes it)", () => {
    expect(updated(readme)).toBe(readme)
  })
  it("lists the only gaps: inline WGSL without a rule and subgroups on Discharge, waits for other program instances on Gpu", () => {
    const gaps = primitives.flatMap((p) =>
      Object.keys(p.gaps ?? {}).map((interpreter) => `${p.name} on ${interpreter}`)
    )
    const subgroups = ["Ballot", "Lane", "Reduce", "Scan", "Shuffle", "Size"].map(
      (name) => `subgroup${name} on Discharge`
    )
    expect(gaps).toEqual(["semaphoreWait on Gpu", ...subgroups, "inline on Discharge"])
    for (const p of primitives) {
      if (p.gaps?.["Gpu"] === undefined) expect(p.wgsl, `${p.name} on Gpu`).toBeDefined()
      const cpu = p.evaluate ?? p.control ?? p.discharge
      if (p.gaps?.["Discharge"] === undefined) expect(cpu, `${p.name} on Discharge`).toBeDefined()
    }
  })
})
