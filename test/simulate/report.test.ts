/** What users are promised of how findings are reported. */
import { mkdtempSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Result } from "effect"
import { SourceLines as NodeLines } from "effect-kernels/node"
import { describe, expect, it } from "vitest"
import * as F from "../../src/Findings.ts"
import { fromJson, type Report, sizesOf, toJson, withSmallest } from "../../src/simulate/report.ts"
import { headline } from "../../src/simulate/sentences.ts"
import { SourceLines } from "../../src/simulate/sourceLines.ts"
import { render, toText } from "../../src/simulate/text.ts"
import { program, ref } from "../support/ir.ts"
import { file, findings, path, place, report } from "./findings.ts"

const folder = new URL("./golden/", import.meta.url)
/** Compares with a stored text; `UPDATE_GOLDEN=1` stores it. */
const golden = (name: string, text: string): void => {
  const stored = new URL(`${name}.txt`, folder)
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(stored, text)
  expect(existsSync(stored), `${name}.txt is missing; UPDATE_GOLDEN=1 makes it`).toBe(true)
  expect(text).toBe(readFileSync(stored, "utf8"))
}
const lines = (asked: string) => (asked === path ? file : undefined)
const all = report(Object.values(findings).flat())
const cause = { ref: "o", element: [0], detail: "", hint: "", count: 1 }
const race = (first: F.Place, second: F.Place) => new F.Race({ ...cause, among: "programs", first, second })
const textOf = (finding: F.Finding, threads = 1) => toText(report([finding], threads), lines)

describe("the text of a report", () => {
  for (const [name, found] of Object.entries(findings))
    it(`of "${name}" stays as it was`, () => golden(name, toText(report(found), lines)))
  it("of a run without findings stays as it was", () => golden("none", toText(report([], 1), lines)))
  it("tells what else is to be said of the run, and keeps it in JSON", () => {
    const noted = report([], 1, ["what o holds in the end depends on the schedule"])
    golden("notes", toText(noted, lines))
    expect(toText(noted, lines)).toContain("what o holds in the end depends on the schedule")
    expect(Result.getOrThrow(fromJson(toJson(noted)))).toEqual(noted)
  })
  it("without sources shows equations", () => golden("equations", toText(all)))

  it("covers every kind of finding and every variant", () => {
    const flat = Object.values(findings).flat()
    expect(new Set(flat.map((f) => f._tag)).size).toBe(F.Finding.members.length)
    const variants = (key: string) => new Set(flat.flatMap((f) => (key in f ? [(f as any)[key]] : [])))
    expect([variants("among").size, variants("misuse").size, variants("origin").size]).toEqual([4, 5, 3])
    expect([variants("reaches").size, variants("access").size]).toEqual([3, 2])
  })
  it("has other words for other findings", () => {
    const { barriers, races, uninitialised } = findings
    for (const found of [barriers, races, uninitialised!.slice(1), [barriers, races, uninitialised].map((f) => f![0]!)])
      expect(new Set(found!.map((f) => headline(f).replaceAll(/\w+\[\d\]/g, ""))).size).toBe(found!.length)
  })
  it("has no colours and no spaces at ends of lines", () => {
    const text = toText(all, lines)
    expect(text).not.toContain("\u001b")
    expect(text).not.toMatch(/[ \t]$/m)
    expect(text.endsWith("\n")).toBe(true)
  })
  it("is the same each time", () => expect(toText(all, lines)).toBe(toText(all, lines)))
  it("names threads only where there are several", () => {
    const f = race(place("store", 9), place("store", 9, 10, { program: [1] }))
    expect(textOf(f, 1)).not.toContain("thread")
    expect(textOf(f, 2)).toContain("program [1], thread 0")
  })
  it("says that one thread of many starts a copy", () =>
    expect(textOf(race(place("copyStart", 7, 10, { by: "copy", thread: 3 }), place("store", 9)), 4)).toContain(
      "a copy started by program [0], thread 3 (copyStart)"
    ))
})

describe("source lines in a report", () => {
  const marked = (text: string) => text.split("\n").filter((line) => /^\s*>/.test(line))
  const shown = (text: string) => text.split("\n").filter((line) => /^\s*>?\s*\d+ \|/.test(line))

  it("are two before and one after, with a caret under the column", () => {
    const text = textOf(new F.DuplicateStore({ ...cause, first: place("store", 9) }))
    expect(shown(text)).toEqual([
      "          7 |   const v = yield* MemRef.load(MemRef.at(x, [i]))",
      "          8 |   yield* MemRef.store(MemRef.at(s, [i]), v)",
      "       >  9 |   yield* MemRef.store(MemRef.at(o, [0]), v)",
      "         10 |"
    ])
    expect(text).toContain("(o, [0]), v)\n            |          ^\n         10 |\n")
  })
  it("are shown once where both places are near, and both are marked", () => {
    const text = textOf(race(place("store", 8), place("store", 12, 19)))
    expect(marked(text).length).toBe(2)
    expect(new Set(shown(text)).size).toBe(shown(text).length)
    expect(text).toMatch(/\| {10}\^ 1\n/)
    expect(text).toMatch(/\| {19}\^ 2\n/)
  })
  it("are shown for each where places are far apart", () => {
    const text = textOf(race(place("store", 7), place("store", 12)))
    expect(marked(text).length).toBe(2)
    const order = ["1: program", "const v =", "2: program", "const w ="].map((part) => text.indexOf(part))
    expect(order.every((at) => at >= 0)).toBe(true)
    expect(order).toEqual(order.toSorted((a, b) => a - b))
  })
  it("have one caret for two places at one column", () =>
    expect(textOf(race(place("store", 9), place("store", 9)))).toMatch(/\^ 1, 2\n/))
  it("have two carets for two places on one line", () => {
    const text = textOf(race(place("store", 9, 10), place("store", 9, 23)))
    expect(text).toMatch(/\| {10}\^ 1\n.*\| {23}\^ 2\n/)
    expect(marked(text).length).toBe(1)
  })
  it("keep tabs, so that the caret stands where it should", () =>
    expect(textOf(race(place("store", 13, 2), place("store", 13, 2)))).toMatch(/\| \t\^ 1, 2\n/))
  it.each([
    ["at the first line", 1, 'const shift = Kernel.make("shift", {'],
    ["at the last line", 15, "})"]
  ])("are fewer %s", (_, line, text) =>
    expect(textOf(race(place("store", line), place("store", line)))).toContain(text)
  )
  it("give way to the equation where the file is shorter than it was", () => {
    const text = textOf(race(place("store", 90), place("store", 90)))
    expect(text).toContain("store o[0] (%1) ! Write(o)")
    expect(text).toContain(`${path}:90:10`)
  })
  it("give way to the equation where a position is no position", () => {
    const odd = new F.Place({ ...place("store"), source: "somewhere" })
    expect(textOf(race(odd, odd))).toContain("store o[0] (%1) ! Write(o)")
  })
  it("are cut where they are very long", () => {
    const text = toText(report([race(place("store", 1, 900), place("store", 1, 900))]), () => "x".repeat(1000))
    expect(text).toContain(`${"x".repeat(160)}…`)
    expect(text).not.toContain("^")
  })
  it("are asked for once per file", () => {
    const asked: Array<string> = []
    toText(all, (file) => (asked.push(file), lines(file)))
    expect(asked).toEqual([path])
  })
})

describe("a report as JSON", () => {
  const through = (r: Report) => Result.getOrThrow(fromJson(JSON.parse(JSON.stringify(toJson(r)))))
  it("comes back as what it was", () => {
    const back = through(all)
    expect(back).toEqual(all)
    expect(back.findings[0]).toBeInstanceOf(F.Race)
    expect(toText(back, lines)).toBe(toText(all, lines))
  })
  it("is told where it is wrong", () => {
    const json = JSON.parse(JSON.stringify(toJson(all)))
    json.ran.programs = "two"
    const failure = Result.getOrThrow(Result.flip(fromJson(json)))
    expect(failure).toMatchObject({ _tag: "ParseError", detail: expect.stringMatching(/^ran\.programs: /) })
  })
  it.each([null, 1, "x", [], {}])("is not %j", (json) => expect(Result.isFailure(fromJson(json))).toBe(true))
})

describe("the smallest sizes of a finding", () => {
  const p = program({ grid: [2], refs: [ref("x", "i32", [1]), ref("o", "i32", [2, 3])] }, () => {})
  it("are those of a program, beside all that the finding says already", () => {
    for (const finding of Object.values(findings).flat()) {
      const smaller = withSmallest(finding, sizesOf(p))
      expect(smaller).toEqual(Object.assign(smaller, { ...finding, smallest: smaller.smallest }))
      expect(smaller.constructor).toBe(finding.constructor)
      expect(toText(report([smaller]))).toContain("smallest: grid [2], x: i32[1], o: i32[2, 3]\n")
    }
  })
})

describe("source lines on Node", () => {
  const inFolder = (run: (file: string) => void | Promise<void>) => async () => {
    const dir = mkdtempSync(join(tmpdir(), "lines-"))
    try {
      await run(join(dir, "kernel.ts"))
    } finally {
      rmSync(dir, { recursive: true })
    }
  }
  it(
    "are read from disk",
    inFolder(async (path) => {
      writeFileSync(path, "a\nyield* here\nb\n")
      const at = new F.Place({ ...place("store"), source: `${path}:2:8` })
      const text = await Effect.runPromise(render(report([race(at, at)])).pipe(Effect.provide(NodeLines.layer)))
      expect(text).toMatch(/> 2 \| yield\* here\n +\| {8}\^ 1, 2\n/)
    })
  )
  it(
    "are read again for the next report",
    inFolder((path) => {
      const at = new F.Place({ ...place("store"), source: `${path}:1:1` })
      const shown = () => toText(report([race(at, at)]), NodeLines.sourceLines)
      writeFileSync(path, "before\n")
      expect(shown()).toContain("> 1 | before")
      writeFileSync(path, "after\n")
      expect(shown()).toContain("> 1 | after")
    })
  )
  it.each(["/nowhere/at/all.ts", "https://example.com/kernel.ts", "http://localhost/kernel.ts", "/", ""])(
    "are unknown of %j",
    (path) => expect(NodeLines.sourceLines(path)).toBeUndefined()
  )
  it("are unknown to those who ask for none", async () => {
    const known = await Effect.runPromise(Effect.map(SourceLines, (lines) => lines(path)))
    expect(known).toBeUndefined()
    expect(await Effect.runPromise(render(all))).toBe(toText(all))
  })
})
