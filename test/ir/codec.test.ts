import { Result, Schema } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { ParseError } from "../../src/Errors.ts"
import { fromJson, ProgramJson, toJson } from "../../src/ir/codec.ts"
import type { Program } from "../../src/ir/program.ts"
import { primitives } from "../../src/primitives/index.ts"
import { arbitraryProgram } from "./arbitrary.ts"
import { all, canonical, eqn, program, region } from "./programs.ts"

/** Through the text that a file would hold. */
const written = (p: Program): unknown => JSON.parse(JSON.stringify(toJson(p)))
const failure = (json: unknown, names?: ReadonlySet<string>): ParseError => {
  const result = fromJson(json, names)
  if (Result.isSuccess(result)) throw new Error("this decodes")
  return result.failure
}

describe("fromJson(toJson(p)) is p", () => {
  for (const [name, p] of Object.entries(all))
    it(`for "${name}"`, () => expect(canonical(Result.getOrThrow(fromJson(written(p))))).toBe(canonical(p)))

  it("for any program", () => {
    fc.assert(
      fc.property(arbitraryProgram, (p) => {
        expect(canonical(Result.getOrThrow(fromJson(written(p))))).toBe(canonical(p))
      }),
      { numRuns: 500 }
    )
  })

  it("for 10,000 equations, in less than 20 s", () => {
    const p = program({ body: region({ eqns: Array.from({ length: 10_000 }, () => all["views"]!.body.eqns[3]!) }) })
    const start = performance.now()
    expect(Result.getOrThrow(fromJson(written(p))).body.eqns.length).toBe(10_000)
    expect(performance.now() - start).toBeLessThan(20_000)
  })

  it("at 200 levels of regions", () => {
    const body = Array.from({ length: 200 }).reduce<Program["body"]>(
      (r) => region({ eqns: [eqn("loop", { regions: [r] })] }),
      region()
    )
    const p = program({ body })
    expect(canonical(Result.getOrThrow(fromJson(written(p))))).toBe(canonical(p))
  })
})

describe("the JSON form", () => {
  it("carries the format and its version", () => {
    expect(toJson(program())).toMatchObject({ format: "effect-kernels", version: 1, name: "k" })
  })

  it("leaves out a position that is not known", () => {
    const source = { show: () => undefined }
    expect(JSON.stringify(toJson(program({ body: region({ eqns: [eqn("add", { source })] }) })))).not.toContain(
      "source"
    )
  })

  it("is an Effect Schema, for use within others", () => {
    const File = Schema.Struct({ title: Schema.String, kernel: ProgramJson })
    const decoded = Schema.decodeUnknownSync(File)({ title: "t", kernel: written(all["control"]!) })
    expect(canonical(decoded.kernel)).toBe(canonical(all["control"]))
  })
})

type Json = { [key: string]: Json } & Array<Json>
/** "control" with something changed. */
const changed = (change: (p: Json) => void): unknown => {
  const json = written(all["control"]!) as Json
  change(json)
  return json
}
const body = (p: Json): Json => p["body"]!["eqns"]!
const set = (o: Json | undefined, key: string | number, to: unknown): void => {
  ;(o as unknown as { [key: string]: unknown })[key] = to
}

const mistakes: ReadonlyArray<readonly [string, (p: Json) => void, string]> = [
  ["an unknown version", (p) => set(p, "version", 2), "version: Expected format version 1, got 2"],
  ["another format", (p) => set(p, "format", "onnx"), 'format: Expected "effect-kernels", got "onnx"'],
  [
    "an unknown dtype",
    (p) => set(p["refs"]![0], "dtype", "f33"),
    'refs[0].dtype: Expected "f32" | "f16" | "i32" | "u32" | "bool" | "bf16" | "i8" | "u8" | "i4" | "u4", got "f33"'
  ],
  ["a missing field", (p) => delete body(p)[1]!["operands"], "body.eqns[1].operands: Missing key"],
  ["a field too many", (p) => set(body(p)[1], "extra", 1), "body.eqns[1].extra: Unexpected key with value 1"],
  [
    "a value that is neither variable nor literal",
    (p) => set(body(p)[0]!["operands"], 2, { _tag: "Tile" }),
    'body.eqns[0].operands[2]: Expected a Var or a Literal, got {"_tag":"Tile"}'
  ],
  [
    "a mistake in a region",
    (p) => set(body(p)[0]!["regions"]![0]!["eqns"]![1]!["regions"]![0]!["eqns"]![0]!["effects"]![0], "ref", 7),
    "body.eqns[0].regions[0].eqns[1].regions[0].eqns[0].effects[0].ref: Expected string, got 7"
  ],
  [
    "a string that is no number",
    (p) => set(p["refs"]![0]!["shape"], 0, "4"),
    'refs[0].shape[0]: Expected a number, "NaN", "Infinity", "-Infinity", "-0", got "4"'
  ],
  [
    "an unknown primitive",
    (p) => set(body(p)[0]!["regions"]![0]!["eqns"]![0], "primitive", "lts"),
    "body.eqns[0].regions[0].eqns[0].primitive: unknown primitive lts, did you mean lt?"
  ]
]

describe("the mark of a block specification in JSON", () => {
  const marked = (padded: unknown): unknown => {
    const view = [
      { _tag: "Index", at: [{ _tag: "Range", start: { constant: 0, terms: [] }, size: 1, stride: 1, padded }] }
    ]
    return JSON.parse(
      JSON.stringify({
        ...(toJson(program({ body: region({ eqns: [eqn("load", { refs: [{ name: "x", view: [] }] })] }) })) as object)
      }),
      (key, value: unknown) => (key === "view" ? view : value)
    )
  }
  it("is true, or that all may be padding", () => {
    for (const mark of [true, "wholly"])
      expect(written(Result.getOrThrow(fromJson(marked(mark))))).toEqual(marked(mark))
  })
  it("is nothing else", () => {
    for (const mark of [false, null, 1, "partly"]) expect(failure(marked(mark)).detail).toContain("padded")
  })
})

describe("a mistake in JSON is told with its path:", () => {
  const names = new Set(primitives.map((p) => p.name))
  for (const [what, change, detail] of mistakes)
    it(what, () => {
      const error = failure(changed(change), names)
      expect(error).toBeInstanceOf(ParseError)
      expect(error.detail).toBe(detail)
      expect([error.line, error.column]).toEqual([0, 0])
    })

  it("what is no program at all", () => {
    for (const json of [undefined, null, 3, "x", [], {}, Number.NaN, new Date(), () => 1])
      expect(failure(json)).toBeInstanceOf(ParseError)
  })

  it("nesting that would exhaust the stack, and cycles", () => {
    let deep: unknown = 1
    for (let k = 0; k < 100_000; k++) deep = [deep]
    expect(failure(changed((p) => set(body(p)[0]!["params"], "deep", deep))).detail).toMatch(/nested deeper than/)
    const cycle: Array<unknown> = []
    cycle.push(cycle)
    expect(failure(changed((p) => set(body(p)[0]!["params"], "deep", cycle))).detail).toMatch(/nested deeper than/)
  })
})

describe("fromJson", () => {
  /** Paths of everything inside a JSON value. */
  const paths = (json: unknown, path: ReadonlyArray<string> = []): ReadonlyArray<ReadonlyArray<string>> =>
    typeof json !== "object" || json === null
      ? [path]
      : [path, ...Object.entries(json).flatMap(([key, value]) => paths(value, [...path, key]))]
  const replace = (json: Json, path: ReadonlyArray<string>, change: (parent: Json, key: string) => void): unknown => {
    const copy = structuredClone(json)
    change(
      path.slice(0, -1).reduce((o, key) => o[key]!, copy),
      path.at(-1)!
    )
    return copy
  }

  it("never throws: any part replaced or left out gives an error, or a program that is written back as it was", () => {
    for (const name of ["control", "inlines", "data"]) {
      const json = written(all[name]!) as Json
      for (const path of paths(json).slice(1))
        for (const put of [undefined, null, -1.5, "NaN", [], {}]) {
          const mutant = replace(json, path, (parent, key) =>
            put === undefined ? delete parent[key] : set(parent, key, put)
          )
          const result = fromJson(mutant)
          if (Result.isSuccess(result))
            expect(canonical(Result.getOrThrow(fromJson(written(result.success))))).toBe(canonical(result.success))
          else expect(result.failure.detail.length).toBeGreaterThan(0)
        }
    }
  })

  it("never throws: any JSON gives an error", () => {
    fc.assert(fc.property(fc.jsonValue(), (json) => Result.isFailure(fromJson(json))))
  })
})
