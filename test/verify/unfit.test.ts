/** Programs of which nothing can be expected are told from those that are right or wrong. */
import { Effect, Result } from "effect"
import { describe, expect, it } from "vitest"
import { check } from "../../src/ir/check.ts"
import { parse } from "../../src/ir/parse.ts"
import { primitive } from "../../src/primitives/index.ts"
import { expected } from "../../src/verify/agree.ts"
import { anything, trustAt } from "../../src/verify/trust/trust.ts"

const inGrid = (grid: string, body: string) => {
  const text = `effect-kernels 1
kernel k
grid [${grid}]
inout o: i32[8]
inout x: f32[8]
in y: f32[8]
body {
  %0: i32[] = programId {axis: 0}
${body}
}`
  const program = Result.getOrThrow(parse(text))
  expect(check(program, primitive)?.message).toBeUndefined()
  return Effect.runPromise(expected({ program, seed: 1 }))
}
const why = async (grid: string, body: string): Promise<string> => {
  const e = await inGrid(grid, body)
  return e._tag === "Void" ? e.why : e._tag.toLowerCase()
}

describe("a race between program instances is found", () => {
  it.each([
    ["two write one element", "  store o[0] (%0) ! Write(o)"],
    ["one reads what another writes", "  %1: i32[8] = load o ! Read(o)\n  store o[%0] (%0) ! Write(o)"],
    [
      "each changes one element, which gives the same in any order",
      "  %1: i32[] = load o[0] ! Read(o)\n  %2: i32[] = add (%1, 1i)\n  store o[0] (%2) ! Write(o)"
    ],
    [
      "one reads what another adds to",
      "  accumulate o[0] (1i) ! Accum(o)\n  %1: i32[] = load o[1] ! Read(o)\n  %2: i32[] = load o[0] ! Read(o)"
    ],
    ["blocks overlap", '  %1: i32[3] = iota {axis: 0, dtype: "i32", shape: [3]}\n  store o[2*%0 +: 3] (%1) ! Write(o)']
  ])("%s", async (_, body) => expect(await why("2", body)).toBe("race"))

  it.each([
    ["each writes its own", "2", "  store o[%0] (%0) ! Write(o)"],
    ["each reads and writes its own", "2", "  %1: i32[] = load o[%0] ! Read(o)\n  store o[%0] (%1) ! Write(o)"],
    ["all read one", "2", "  %1: f32[8] = load y ! Read(y)"],
    ["all add to one", "2", "  accumulate o[0] (%0) ! Accum(o)"],
    ["one after the other", "2 sequential", "  %1: i32[] = load o[0] ! Read(o)\n  store o[0] (%0) ! Write(o)"],
    ["outside", "2", "  store o[9] (%0) ! Write(o)"],
    ["masked off", "2", "  %1: bool[] = eq (%0, 0i)\n  store o[0] (%0, %1) ! Write(o)"]
  ])("and none where there is none: %s", async (_, grid, body) => expect(await why(grid, body)).toBe("expected"))
})

describe("a program that runs too long, or goes where rounding sends it, says nothing", () => {
  it("an endless loop", async () => {
    expect(await why("1", "  while { () =>\n    yield true\n  } { () =>\n  }")).toBe("too long")
  })
  it("a branch on what is not exact", async () => {
    const body = `  %1: f32[] = load y[0] ! Read(y)
  %2: f32[] = sin (%1)
  %3: bool[] = lt (%2, 0.5f)
  cond (%3) {
  } {
  }`
    expect(await why("1", body)).toBe("undefined control")
  })
})

describe("a program that an assertion ends is told from others", () => {
  it("where the condition is known not to hold", async () => {
    const assertion = 'assert {detail: "above", kind: "assertion"}'
    expect(await why("2", `  %1: bool[] = lt (%0, 1i)\n  ${assertion} (%1) ! Debug`)).toBe("failing")
    expect(await why("2", `  %1: bool[] = lt (%0, 2i)\n  ${assertion} (%1) ! Debug`)).toBe("expected")
  })
})

describe("what is not defined is not compared", () => {
  const trustIn = async (ref: string, at: number, body: string): Promise<number> => {
    const e = await inGrid("1", body)
    if (e._tag !== "Expected") throw new Error(e._tag)
    return trustAt(e.tracked.trust.get(ref), at)
  }
  const zeros = "  %1: i32[3] = full {shape: [3]} (0i)\n"
  it("an element that one store writes twice", async () => {
    const body = `${zeros}  %2: i32[3] = iota {axis: 0, dtype: "i32", shape: [3]}\n  store o[gather %1] (%2) ! Write(o)`
    expect(await trustIn("o", 0, body)).toBe(anything)
    expect(await trustIn("o", 1, body)).toBeLessThan(0)
  })
  it("a sum of floats that depends on the order", async () => {
    expect(await trustIn("x", 0, `${zeros}  accumulate x[gather %1] (f32(0.10000000149011612)) ! Accum(x)`)).toBe(
      anything
    )
    expect(await trustIn("x", 0, `${zeros}  accumulate x[gather %1] (0.25f) ! Accum(x)`)).toBe(0)
  })
  it("what follows from a value that is known within bounds only", async () => {
    const sine = "  %1: f32[8] = load y ! Read(y)\n  %2: f32[8] = sin (%1)\n"
    const bound = await trustIn("x", 0, `${sine}  store x (%2) ! Write(x)`)
    expect(bound).toBeGreaterThan(0)
    expect(bound).toBeLessThan(1e-5)
    expect(await trustIn("x", 0, `${sine}  %3: f32[8] = add (%2, 1f)\n  store x (%3) ! Write(x)`)).toBe(anything)
    expect(await trustIn("x", 0, `${sine}  %3: f32[8] = neg (%2)\n  store x (%3) ! Write(x)`)).toBe(bound)
  })
  it("the bits of a zero that was computed, but not those of one that was moved", async () => {
    const zero = "  %1: f32[8] = load y ! Read(y)\n  %2: f32[8] = sub (%1, %1)\n  %3: f32[8] = full {shape: [8]} (0f)\n"
    const bits = (of: string) => `${zero}  %4: i32[8] = bitcast {dtype: "i32"} (${of})\n  store o (%4) ! Write(o)`
    expect(await trustIn("o", 0, bits("%2"))).toBe(anything)
    expect(await trustIn("o", 0, bits("%3"))).toBeLessThan(0)
  })
})
