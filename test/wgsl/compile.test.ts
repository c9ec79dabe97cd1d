/** What `compile` promises about errors, bindings and names. */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { type KernelError, NotImplemented } from "../../src/Errors.ts"
import { accum, literal, type Program, read, write } from "../../src/ir/program.ts"
import { primitive } from "../../src/primitives/index.ts"
import { compile, type Options } from "../../src/wgsl/compile.ts"
import { Namer } from "../../src/wgsl/names.ts"
import { eqn, program, region, v } from "../ir/programs.ts"

const ref = (name: string, access: "in" | "out" | "inout", shape: ReadonlyArray<number> = [8]) => ({
  name,
  dtype: "f32" as const,
  shape,
  access,
  scalar: false
})
const x = v(0, "f32", [8])
const load = (from: string) => eqn("load", { refs: [{ name: from, view: [] }], results: [x], effects: [read(from)] })
const store = (to: string) => eqn("store", { refs: [{ name: to, view: [] }], operands: [x], effects: [write(to)] })
const copy = (parts: Partial<Program> = {}): Program =>
  program({
    grid: [{ size: 3, semantics: "parallel" }],
    refs: [ref("unused", "in"), ref("x", "in"), ref("o", "out")],
    body: region({ eqns: [load("x"), store("o")] }),
    ...parts
  })
const failure = (p: Program, options?: Options): KernelError | NotImplemented => {
  const result = compile(p, options)
  if (Result.isSuccess(result)) throw new Error("expected a failure")
  return result.failure
}
const reason = (p: Program, options?: Options) => (failure(p, options) as KernelError).reason

describe("what cannot be compiled is a typed error", () => {
  it("NotImplemented for a primitive without a rule, with the record's reason", () => {
    const lookup = (name: string) => {
      const { wgsl: _, ...rest } = primitive(name)!
      return name === "load"
        ? { ...rest, gaps: { Gpu: { reason: "nobody wrote it", hint: "write it" } } }
        : primitive(name)
    }
    const error = failure(copy(), { lookup })
    expect(error).toBeInstanceOf(NotImplemented)
    expect(error).toMatchObject({ primitive: "load", interpreter: "Gpu", reason: "nobody wrote it", hint: "write it" })
    expect(failure(copy(), { lookup: () => undefined })).toMatchObject({ _tag: "NotImplemented", primitive: "load" })
  })
  it("Unsupported for a program that was discharged", () => {
    expect(reason(copy({ discharged: ["x"] }))).toMatchObject({ _tag: "Unsupported", interpreter: "Gpu" })
  })
  it("LimitExceeded for a grid whose positions are no i32", () => {
    const axis = { size: 65536, semantics: "parallel" } as const
    expect(reason(copy({ grid: [axis, axis] }))).toMatchObject({ _tag: "LimitExceeded", requested: 2 ** 32 })
  })
  it("InvalidKernel for a workgroup that cannot be", () => {
    for (const workgroupSize of [0, -1, 1.5, NaN])
      expect(reason(copy(), { schedule: { workgroupSize } })._tag).toBe("InvalidKernel")
  })
})

const moduleOf = (p: Program) => Result.getOrThrow(compile(p))
describe("a module", () => {
  it("binds the refs that are used, in order, as they are used", () => {
    expect(moduleOf(copy()).bindings).toEqual([
      { name: "x", access: "read", words: 8 },
      { name: "o", access: "read_write", words: 8 }
    ])
  })
  it("binds what starts as zeros so that it can", () => {
    const reading = copy({ refs: [ref("x", "out"), ref("o", "out")] })
    expect(moduleOf(reading).bindings.map((b) => b.access)).toEqual(["read_write", "read_write"])
  })
  it("has a word for refs of size 0", () => {
    const none = v(0, "f32", [0])
    const empty = copy({
      refs: [ref("o", "out", [0])],
      body: region({
        eqns: [
          eqn("iota", { params: { dtype: "f32", shape: [0], axis: 0 }, results: [none] }),
          { ...store("o"), operands: [none] }
        ]
      })
    })
    expect(moduleOf(empty).bindings).toEqual([{ name: "o", access: "read_write", words: 1 }])
  })
  it("has one workgroup per cell of the parallel axes", () => {
    const grid = [
      { size: 3, semantics: "parallel" },
      { size: 5, semantics: "sequential" },
      { size: 4, semantics: "parallel" }
    ] as const
    expect(moduleOf(copy({ grid })).programs).toBe(12)
    expect(moduleOf(copy({ grid: [{ size: 0, semantics: "parallel" }] })).programs).toBe(0)
  })
  it("adds atomically only where program instances may meet", () => {
    const adding = (size: number) =>
      copy({
        grid: [{ size, semantics: "parallel" }],
        body: region({
          eqns: [
            eqn("accumulate", { refs: [{ name: "o", view: [] }], operands: [literal("f32", 1)], effects: [accum("o")] })
          ]
        })
      })
    expect(moduleOf(adding(1)).code).not.toContain("atomic")
    expect(moduleOf(adding(2)).code).toContain("atomicCompareExchangeWeak")
  })
  it("takes no longer because a grid or an array is large", () => {
    expect(moduleOf(copy({ grid: [{ size: 2 ** 30, semantics: "parallel" }] })).code).toBe(
      moduleOf(copy({ grid: [{ size: 2, semantics: "parallel" }] })).code
    )
  })
})

describe("names in WGSL", () => {
  it("are the kernel's where WGSL allows them, and never given twice", () => {
    const names = new Namer()
    expect(["x", "x", "fn", "ek_share", "_a", "9", "π r", "max", "lane", "x_1"].map((n) => names.fresh(n))).toEqual([
      "x",
      "x_1",
      "fn_",
      "ek_share_",
      "a",
      "r_9",
      "r",
      "max_",
      "lane_",
      "x_1_1"
    ])
  })
  it("of refs may be anything", () => {
    const odd = ["let", "a b", "日本", "ek_params", "main", "", "f32", "__x"]
    for (const name of odd) {
      const p = copy({ refs: [ref(name, "in"), ref("o", "out")], body: region({ eqns: [load(name), store("o")] }) })
      expect(moduleOf(p).bindings[0]!.name).toBe(name)
    }
  })
})
