import { describe, expect, it } from "vitest"
import { current, generated } from "../scripts/generate.ts"

describe("what is written from the records of primitives is of today (npm run generate writes it)", () => {
  it.each(generated.map(({ path, text }) => [path, text] as const))("%s", (path, text) => {
    expect(text(current(path))).toBe(current(path))
  })
})
