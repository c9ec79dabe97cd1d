/** Where values live. */
import { describe, expect, it } from "vitest"
import { type Eqn, literal, type Program, read, write } from "../../src/ir/program.ts"
import { primitive } from "../../src/primitives/index.ts"
import { prepare } from "../../src/wgsl/compile.ts"
import { gatherFacts, type Resolved } from "../../src/wgsl/facts.ts"
import { layouts } from "../../src/wgsl/layouts.ts"
import { decide } from "../../src/wgsl/schedule.ts"
import { eqn, program, region, v } from "../ir/programs.ts"

const n = [64]
const t = (id: number, shape: ReadonlyArray<number> = n) => v(id, "f32", shape)
const load = (id: number, from = "x", shape = n): Eqn =>
  eqn("load", { refs: [{ name: from, view: [] }], results: [t(id, shape)], effects: [read(from)] })
const store = (id: number, to = "o", shape = n): Eqn =>
  eqn("store", { refs: [{ name: to, view: [] }], operands: [t(id, shape)], effects: [write(to)] })
const exp = (from: number, to: number, shape = n): Eqn =>
  eqn("exp", { operands: [t(from, shape)], results: [t(to, shape)] })
const add = (a: number, b: number, to: number): Eqn => eqn("add", { operands: [t(a), t(b)], results: [t(to)] })
const sum = (from: number, to: number): Eqn =>
  eqn("reduceSum", { params: { axes: [0], keepDims: false }, operands: [t(from)], results: [t(to, [])] })
const flip = (from: number, to: number): Eqn =>
  eqn("flip", { params: { axes: [0] }, operands: [t(from)], results: [t(to)] })

const kernel = (eqns: ReadonlyArray<Eqn>, shape = n): Program => {
  const ref = { dtype: "f32", shape, scalar: false } as const
  return program({
    refs: [
      { name: "x", access: "in", ...ref },
      { name: "o", access: "out", ...ref },
      { name: "p", access: "out", ...ref }
    ],
    body: region({ eqns })
  })
}
const resolve = (e: Eqn): Resolved => ({
  primitive: primitive(e.primitive)!,
  rule: primitive(e.primitive)!.wgsl as Resolved["rule"]
})
const layoutOf = (p: Program, id: number, shape = n): string => {
  const schedule = decide(p, {}, 1)
  return layouts(gatherFacts(p, schedule.workgroupSize, resolve), schedule).of(t(id, shape))
}

describe("a value", () => {
  it("that is used once is computed where it is used, however much it costs", () => {
    expect(layoutOf(kernel([load(0), exp(0, 1), store(1)]), 1)).toBe("Lazy")
  })
  it("that costs much and is used twice where it stands is kept by each invocation", () => {
    expect(layoutOf(kernel([load(0), exp(0, 1), store(1), store(1, "p")]), 1)).toBe("Register")
    expect(
      layoutOf(
        kernel([load(0), exp(0, 1), sum(1, 2), eqn("div", { operands: [t(1), t(2, [])], results: [t(3)] }), store(3)]),
        1
      )
    ).toBe("Register")
  })
  it("that costs little is computed again", () => {
    expect(
      layoutOf(
        kernel([
          load(0),
          eqn("add", { operands: [t(0), literal("f32", 1)], results: [t(1)] }),
          store(1),
          store(1, "p")
        ]),
        1
      )
    ).toBe("Lazy")
  })
  it("that is needed at other elements, more than once, is kept where all see it", () => {
    expect(layoutOf(kernel([load(0), exp(0, 1), flip(1, 2), add(1, 2, 3), store(3)]), 1)).toBe("Shared")
  })
  it("that is only moved is read where it came from", () => {
    expect(layoutOf(kernel([load(0), exp(0, 1), flip(1, 2), store(2), store(2, "p")]), 2)).toBe("Lazy")
    expect(layoutOf(kernel([load(0), exp(0, 1), flip(1, 2), store(2), store(2, "p")]), 1)).toBe("Shared")
  })
  it("that is read from a ref that is written is the value of that moment", () => {
    expect(layoutOf(kernel([load(0, "o"), exp(0, 1), store(1)]), 0)).toBe("Register")
    expect(layoutOf(kernel([load(0, "x"), exp(0, 1), store(1)]), 0)).toBe("Lazy")
  })
  it("that is one number is held by each invocation", () => {
    expect(
      layoutOf(
        kernel([
          load(0),
          sum(0, 1),
          eqn("full", { params: { shape: n }, operands: [t(1, [])], results: [t(2)] }),
          store(2)
        ]),
        1,
        []
      )
    ).toBe("Splat")
  })
  it("that nothing looks at is not computed", () => {
    expect(layoutOf(kernel([load(0), exp(0, 1), exp(1, 2), store(0)]), 1)).toBe("Dead")
  })
  it("that is too large for registers is kept where all see it", () => {
    const big = [64 * 1000]
    expect(
      layoutOf(kernel([load(0, "x", big), exp(0, 1, big), store(1, "o", big), store(1, "p", big)], big), 1, big)
    ).toBe("Shared")
  })
})

describe("memory", () => {
  const turns = (count: number, shape: ReadonlyArray<number>) => {
    const eqns: Array<Eqn> = [load(0, "x", shape as Array<number>)]
    for (let k = 0; k < count; k++) {
      const [a, b, c] = [t(3 * k, shape), t(3 * k + 1, shape), t(3 * k + 2, shape)]
      eqns.push(
        exp(a.id, b.id, shape as Array<number>),
        eqn("flip", { params: { axes: [0] }, operands: [b], results: [c] })
      )
      eqns.push(eqn("add", { operands: [b, c], results: [t(3 * k + 3, shape)] }))
    }
    return kernel([...eqns, store(3 * count, "o", shape as Array<number>)], shape as Array<number>)
  }
  it("is given on when what it held is no longer read", () => {
    const { lowered } = prepare(turns(20, n))
    expect(lowered.memories.filter((m) => m.space === "workgroup").length).toBeLessThanOrEqual(3)
  })
  it("that a workgroup does not have is a share of a buffer", () => {
    const { lowered, spillWords } = prepare(turns(2, [5000]))
    const spilled = lowered.memories.filter((m) => m.space === "spill")
    expect(spilled.length).toBeGreaterThan(0)
    expect(spillWords).toBe(5000 * spilled.length)
    expect(prepare(turns(2, [500])).spillWords).toBe(0)
    expect(prepare(turns(2, [500]), { schedule: { workgroupBytes: 1000 } }).spillWords).toBeGreaterThan(0)
  })
})
