/** What users are promised of `Verify.programs`. */
import { Effect } from "effect"
import { Verify } from "effect-kernels/verify"
import { describe, expect, it } from "vitest"
import { Counts } from "../../property-tests/counts.ts"
import { elements } from "../../src/ir/array.ts"
import { check } from "../../src/ir/check.ts"
import { equations, type Program } from "../../src/ir/program.ts"
import { primitive, primitives } from "../../src/primitives/index.ts"
import * as Shape from "../../src/Shape.ts"
import { expected } from "../../src/verify/agree.ts"
import { samples } from "./support.ts"

const all = samples(500)
const eqnsOf = (of: (program: Program) => boolean): ReadonlyArray<Verify.Case> => all.filter((c) => of(c.program))

describe("programs at random", () => {
  it("are well typed", () => {
    for (const c of all) expect(check(c.program, primitive)).toBeUndefined()
  })
  it("have no race, end soon, and hardly ever let control depend on what is not defined", async () => {
    let open = 0
    for (const c of all.slice(0, 250)) {
      const e = await Effect.runPromise(expected(c))
      if (e._tag === "Void" && e.why === "undefined control") open++
      else expect(e._tag, e._tag === "Void" ? `${e.why}\n${Verify.show(c)}` : "").toBe("Expected")
    }
    expect(open).toBeLessThan(10)
  })
  it("are the same for the same seed", () => {
    expect(samples(20).map(Verify.show)).toEqual(all.slice(0, 20).map(Verify.show))
  })
  it("hold every primitive that the generator can make", () => {
    const counts = new Counts()
    for (const c of all) counts.add(c)
    expect(counts.rare(1)).toEqual([])
  })
  it("are of every shape: empty grids, three axes, sequential axes, empty refs, scratch, inlines, partial blocks", () => {
    const shapes: ReadonlyArray<(program: Program) => boolean> = [
      ({ grid }) => grid.length === 0,
      ({ grid }) => grid.length === 3,
      ({ grid }) => grid.some((axis) => axis.size === 0),
      ({ grid }) => grid.some((axis) => axis.semantics === "sequential" && axis.size > 1),
      ({ refs }) => refs.some((ref) => Shape.size(ref.shape) === 0),
      ({ refs }) => refs.some((ref) => ref.scalar),
      ({ body }) => body.refs.length > 0,
      ({ inlines }) => Object.values(inlines).some((def) => def.grain === "block"),
      ({ body }) => [...equations(body)].some((eqn) => eqn.refs.some((use) => use.view.length > 2))
    ]
    for (const is of shapes) expect(eqnsOf(is).length, String(is)).toBeGreaterThan(5)
  })
  it("are made of the primitives that were asked for, and those that bring operands into shape", () => {
    const few = primitives.filter((p) => p.name === "sin")
    const names = new Set(
      samples(50, { primitives: few }).flatMap((c) => [...equations(c.program.body)].map((e) => e.primitive))
    )
    expect(names).toContain("sin")
    expect(names).not.toContain("cos")
  })
  it("leave inlines without a rule where that was asked for, and nowhere else", () => {
    const open = (cases: ReadonlyArray<Verify.Case>) =>
      cases
        .flatMap((c) => [...equations(c.program.body)])
        .filter((e) => e.primitive === "inline" && e.regions.length === 0)
    expect(open(all)).toEqual([])
    expect(open(samples(100, { unruled: 1 })).length).toBeGreaterThan(10)
  })
})

describe("the arguments of a case", () => {
  it("are small numbers, all 1 for seed 0, special ones for some seeds", () => {
    const { program } = all.find(({ program: { refs } }) =>
      refs.some((r) => r.dtype === "f32" && r.access === "in" && Shape.size(r.shape) > 20)
    )!
    const values = (seed: number) =>
      [...Verify.inputs({ program, seed })].flatMap(([name, a]) =>
        Array.from(
          elements(
            program.refs.find((r) => r.name === name)!,
            a
          )
        )
      )
    expect(new Set(values(0))).toEqual(new Set([1]))
    expect(values(1).every((x) => Math.abs(x) <= 12)).toBe(true)
    expect(values(2).every((x) => Math.abs(x) <= 12)).toBe(false)
  })
})
