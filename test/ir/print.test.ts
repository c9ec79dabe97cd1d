import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { print, printEqn } from "../../src/ir/print.ts"
import { all, eqn, program, region, v } from "./programs.ts"

const folder = new URL("./golden/", import.meta.url)
/** Compares with a stored text; `UPDATE_GOLDEN=1` stores it. */
const golden = (name: string, text: string): void => {
  const file = new URL(`${name}.ir`, folder)
  if (process.env["UPDATE_GOLDEN"] === "1") {
    mkdirSync(folder, { recursive: true })
    writeFileSync(file, text)
  }
  expect(existsSync(file), `${name}.ir is missing; UPDATE_GOLDEN=1 makes it`).toBe(true)
  expect(text).toBe(readFileSync(file, "utf8"))
}

describe("the text form of a program", () => {
  for (const [name, p] of Object.entries(all)) it(`of "${name}" stays as it was`, () => golden(name, print(p)))

  it("shows where equations and inlines were written only if asked", () => {
    expect(print(all["control"]!)).not.toContain("control.ts")
    golden("control.positions", print(all["control"]!, { positions: true }))
    golden("inlines.positions", print(all["inlines"]!, { positions: true }))
  })

  it("does not format positions that nobody sees", () => {
    const source = {
      show: (): string => {
        throw new Error("formatted")
      }
    }
    expect(print(program({ body: region({ eqns: [eqn("add", { source })] }) }))).toContain("add")
  })

  it("is the same for equal programs, whatever the order of keys", () => {
    const params = (p: { readonly [key: string]: number }) =>
      program({ body: region({ eqns: [eqn("id", { params: p })] }) })
    expect(print(params({ a: 1, b: 2 }))).toBe(print(params({ b: 2, a: 1 })))
  })

  it("of one equation, for messages, is one line without its regions", () => {
    expect(printEqn(all["control"]!.body.eqns[0]!)).toBe("%4: i32[] = fori (0i, 10i, 7i) ! Write(o) { … }")
  })

  it("of 40,000 equations takes less than 20 s", () => {
    const eqns = Array.from({ length: 40_000 }, (_, k) => eqn("add", { operands: [v(k), v(k)], results: [v(k + 1)] }))
    const start = performance.now()
    expect(print(program({ body: region({ eqns }) })).split("\n").length).toBeGreaterThan(40_000)
    expect(performance.now() - start).toBeLessThan(20_000)
  })
})
