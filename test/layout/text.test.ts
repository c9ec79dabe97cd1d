/** Layouts as data: printed, parsed, in JSON, and checked. */
import { Effect, Result } from "effect"
import { describe, expect, it } from "vitest"
import { f32, Kernel, MemRef, Scratch } from "../../src/index.ts"
import { check } from "../../src/ir/check.ts"
import { fromJson, toJson } from "../../src/ir/codec.ts"
import { parse } from "../../src/ir/parse.ts"
import type { Program, Scratch as Ref } from "../../src/ir/program.ts"
import { print } from "../../src/ir/print.ts"
import { primitive } from "../../src/primitives/index.ts"
import { discharge } from "../../src/discharge/discharge.ts"
import { failure } from "../support/kernels.ts"
import { program, scratch } from "../support/ir.ts"

const layouts: ReadonlyArray<Partial<Ref>> = [
  {},
  { tiling: [2, 8] },
  { swizzle: 128 },
  { tiling: [4, 16], swizzle: 64 },
  { tiling: [] }
]
const holding = (layout: Partial<Ref>): Program =>
  program({ scratch: [{ ...scratch("a b", "f32", [8, 32]), ...layout }], refs: [] }, () => {})

describe.each(layouts)("scratch with the layout %j", (layout) => {
  const p = holding(layout)
  it("is what its text and its JSON say", () => {
    expect(Result.getOrThrow(parse(print(p)))).toEqual(p)
    expect(Result.getOrThrow(fromJson(JSON.parse(JSON.stringify(toJson(p)))))).toEqual(p)
    expect(check(p, primitive)).toBeUndefined()
  })
})

describe("a layout", () => {
  it("prints behind the space", () => {
    expect(print(holding({ tiling: [4, 16], swizzle: 64 }))).toContain(
      'scratch "a b": f32[8, 32] workgroup tiling[4, 16] swizzle 64\n'
    )
    const said = 'scratch "a b": f32[8, 32] workgroup tiling[4 16]'
    expect(Result.isFailure(parse(print(holding({})).replace(/scratch .*/, said)))).toBe(true)
  })
  it("of another form in JSON is told with its path", () => {
    const json = JSON.stringify(toJson(holding({ tiling: [2], swizzle: 32 })))
    const told = (from: string, to: string) => {
      const read = fromJson(JSON.parse(json.replace(from, to)))
      return Result.isFailure(read) ? read.failure.detail : "nothing"
    }
    expect(told('"tiling":[2]', '"tiling":2')).toContain("body.refs[0].tiling")
    expect(told('"swizzle":32', '"swizzle":"wide"')).toContain("body.refs[0].swizzle")
    expect(told('"swizzle":32', '"swizzling":32')).toContain("swizzling")
  })
  it("that does not fit breaks a rule of the IR", () => {
    expect(check(holding({ tiling: [3, 8] }), primitive)?.detail).toContain('axis 0 of scratch "a b" has size 8')
    expect(check(holding({ tiling: [4, 8], swizzle: 64 }), primitive)?.detail).toContain(
      "does not divide its rows of 32 bytes"
    )
    expect(check(holding({ swizzle: 8 }), primitive)?.detail).toContain("a swizzle of 8 bytes")
  })
  it("survives its text as part of a kernel, and partial discharge; whole discharge leaves scopes none", async () => {
    const k = Kernel.make(
      "kept",
      {
        grid: [1],
        refs: { o: MemRef.out(f32, [8]) },
        scratch: { s: Scratch.workgroup(f32, [8], { swizzle: 32 }) }
      },
      function* ({ o, s }) {
        yield* Scratch.scoped(Scratch.workgroup(f32, [2, 8], { tiling: [1, 4] }), function* (inner) {
          yield* MemRef.store(MemRef.at(inner, [0]), yield* MemRef.load(s))
          yield* MemRef.store(o, yield* MemRef.load(MemRef.at(inner, [1])))
        })
      }
    )
    const program = (await Effect.runPromise(k.trace as any)) as Program
    expect(Result.getOrThrow(parse(print(program))).body.refs).toEqual(program.body.refs)
    const partial = await Effect.runPromise(discharge(program, { only: ["o"] }) as Effect.Effect<Program>)
    expect(check(partial, primitive)).toBeUndefined()
    expect(print(partial)).toContain("scratch s: f32[8] workgroup swizzle 32")
    expect(print(partial)).toContain('scratch "scratch": f32[2, 8] workgroup tiling[1, 4]')
    const pure = await Effect.runPromise(discharge(program))
    expect(check(pure, primitive)).toBeUndefined()
    expect(print(pure)).toContain("discharged o, s\n")
    expect(print(pure)).not.toContain("tiling")
  })
  it("that does not fit, in a text, is an InvalidProgram", async () => {
    const text = print(holding({ tiling: [3] }))
    expect(await failure(Kernel.parse(text))).toMatchObject({ reason: { _tag: "InvalidProgram" } })
  })
})
