/** Text and JSON that are no program: a typed error with the position, the word in question, and what would be right. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { Control, f32, Kernel, MemRef } from "../../src/index.ts"
import { failure, onEach, single } from "../support/kernels.ts"

const sample = single({ x: MemRef.in(f32, [4]), o: MemRef.out(f32, [4]) }, function* ({ o, x }) {
  yield* Control.forEach(0, 2, function* (i) {
    yield* MemRef.store(MemRef.at(o, [i]), (yield* MemRef.load(MemRef.at(x, [i]))).add(1))
  })
})
const text = await Effect.runPromise(Kernel.print(sample))
const json = await Effect.runPromise(Kernel.toJson(sample))

const parsed = async (source: any) => (await failure(Kernel.parse(source))) as any
const read = async (source: unknown) => (await failure(Kernel.fromJson(source))) as any
/** Where in the text a word stands, as messages count. */
const placeOf = (source: string, word: string, nth = 0) => {
  let at = -1
  for (let k = 0; k <= nth; k++) at = source.indexOf(word, at + 1)
  const before = source.slice(0, at).split("\n")
  return { line: before.length, column: before.at(-1)!.length + 1 }
}

describe("text", () => {
  it("that was printed parses, and runs", async () => {
    const k = await Effect.runPromise(Kernel.parse(text))
    await onEach(k, { x: Float32Array.of(1, 2, 3, 4) }, { o: [2, 3, 0, 0] })
  })
  it("with an unknown primitive is a ParseError at its name, with the name that was meant", async () => {
    const source = text.replace("= add ", "= ad ")
    const error = await parsed(source)
    expect(error.reason).toMatchObject({ _tag: "ParseError", ...placeOf(source, "ad (") })
    expect(error.message).toContain("unknown primitive ad, did you mean add?")
  })
  it.each<[string, (s: string) => string]>([
    ["that is empty", () => ""],
    ["that is something else", () => "hello world"],
    ["that ends early", (s) => s.slice(0, s.length / 2)],
    ["with a stray character", (s) => s.replace("load", "load §")],
    ["with a brace too few", (s) => s.trimEnd().replace(/\}$/, "")],
    ["with more after its end", (s) => `${s}\nmore`],
    ["with an unknown dtype", (s) => s.replaceAll("f32", "f33")],
    ["with a value that nothing defines", (s) => s.replace("(%1, 1f)", "(%999, 1f)")],
    ["of another version", (s) => s.replace(/\d+/, "999")]
  ])("%s is a ParseError or InvalidProgram, and never a defect", async (_, change) => {
    const source = change(text)
    expect(source).not.toBe(text)
    const error = await parsed(source)
    expect(error._tag).toBe("KernelError")
    expect(["ParseError", "InvalidProgram"]).toContain(error.reason._tag)
    expect(error.reason.detail).not.toBe("")
    if (error.reason._tag === "ParseError") {
      expect(error.reason.line).toBeGreaterThanOrEqual(1)
      expect(error.reason.line).toBeLessThanOrEqual(source.split("\n").length)
      expect(error.message).toContain(`line ${error.reason.line}, column ${error.reason.column}`)
    }
  })
  it("with any one character taken out never defects", async () => {
    for (let at = 0; at < text.length; at++) {
      const exit = await Effect.runPromiseExit(Kernel.parse(text.slice(0, at) + text.slice(at + 1)))
      if (exit._tag === "Failure") expect(exit.cause.reasons.map((r) => r._tag)).toEqual(["Fail"])
    }
  })
  it("that is no string is a ParseError", async () => {
    for (const source of [undefined, null, 1, {}]) expect((await parsed(source)).reason._tag).toBe("ParseError")
  })
  it("whose program breaks a rule is InvalidProgram, with the equation and its neighbours", async () => {
    const error = await parsed(text.replace("(%1, 1f)", "(%1, 1i)"))
    expect(error.reason).toMatchObject({ _tag: "InvalidProgram", equation: expect.stringContaining("add (%1, 1i)") })
    expect(error.message).toContain("load x[%0]")
    expect(error.message).toContain("store o[%0]")
  })
})

describe("JSON", () => {
  it("that was made from a kernel reads, and runs", async () => {
    const k = await Effect.runPromise(Kernel.fromJson(JSON.parse(JSON.stringify(json))))
    await onEach(k, { x: Float32Array.of(1, 2, 3, 4) }, { o: [2, 3, 0, 0] })
  })
  const changed = (change: (copy: any) => void) => {
    const copy = JSON.parse(JSON.stringify(json))
    change(copy)
    return copy
  }
  it.each<[string, unknown]>([
    ["that is nothing", undefined],
    ["that is null", null],
    ["that is a string", "program"],
    ["that is a list", []],
    ["that is an empty record", {}]
  ])("%s is a ParseError", async (_, source) => {
    const error = await read(source)
    expect(error.reason._tag).toBe("ParseError")
    expect(error.reason.detail).not.toBe("")
  })
  it("with a wrong field is a ParseError with the path", async () => {
    const walk = (u: any, path: Array<string | number>, into: Array<Array<string | number>>): typeof into => {
      if (typeof u !== "object" || u === null) into.push(path)
      else for (const [k, v] of Object.entries(u)) walk(v, [...path, k], into)
      return into
    }
    for (const path of walk(json, [], [])) {
      const source = changed((copy) => {
        let at = copy
        for (const key of path.slice(0, -1)) at = at[key]
        at[path.at(-1)!] = { nonsense: true }
      })
      const exit = await Effect.runPromiseExit(Kernel.fromJson(source))
      if (exit._tag === "Success") continue
      expect(
        exit.cause.reasons.map((r) => r._tag),
        path.join(".")
      ).toEqual(["Fail"])
    }
    const error = await read(changed((copy) => (copy.grid = "none")))
    expect(error.reason._tag).toBe("ParseError")
    expect(error.message).toContain("grid")
  })
  it("with an unknown primitive is a ParseError that names it", async () => {
    const source = JSON.parse(JSON.stringify(json).replace('"primitive":"add"', '"primitive":"ad"'))
    const error = await read(source)
    expect(error.reason._tag).toBe("ParseError")
    expect(error.message).toContain(
      "body.eqns[0].regions[0].eqns[1].primitive: unknown primitive ad, did you mean add?"
    )
  })
})

describe("a program that was parsed", () => {
  it("checks its arguments as others do", async () => {
    const k = await Effect.runPromise(Kernel.parse(text))
    const error: any = await failure((Kernel.run as any)(k, { x: Int32Array.of(1) }) as Effect.Effect<unknown>)
    expect(error.reason).toMatchObject({ _tag: "InvalidArgument", ref: "x" })
  })
})
