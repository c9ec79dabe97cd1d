import { Result } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { InvalidProgram } from "../../src/Errors.ts"
import { check } from "../../src/ir/check.ts"
import { fromJson, toJson } from "../../src/ir/codec.ts"
import { parse } from "../../src/ir/parse.ts"
import { print } from "../../src/ir/print.ts"
import { accum, literal, type Program, read, type Region, write } from "../../src/ir/program.ts"
import { primitive } from "../../src/primitives/index.ts"
import { arbitraryProgram } from "./arbitrary.ts"
import {
  affine,
  at,
  eqn,
  index,
  inlines,
  point,
  program,
  range,
  region,
  scaledRows,
  use,
  v,
  valid
} from "./programs.ts"

const finding = (p: Program): InvalidProgram => {
  const found = check(p, primitive)
  if (found === undefined) throw new Error(`this passes:\n${print(p)}`)
  return found
}

describe("the checker accepts", () => {
  for (const [name, p] of Object.entries(valid))
    it(`"${name}", and what its text and its JSON give`, () => {
      expect(check(p, primitive)).toBeUndefined()
      expect(check(Result.getOrThrow(parse(print(p))), primitive)).toBeUndefined()
      expect(check(Result.getOrThrow(fromJson(toJson(p))), primitive)).toBeUndefined()
    })

  it("NaN, infinities and −0 as literals of float types", () => {
    const add = [NaN, Infinity, -Infinity, -0].map((x, k) =>
      eqn("neg", { operands: [literal("f32", x)], results: [v(k)] })
    )
    expect(check(program({ body: region({ eqns: add }) }), primitive)).toBeUndefined()
  })

  it("20,000 equations in less than 10 s", () => {
    const chain = Array.from({ length: 20_000 }, (_, k) =>
      eqn("add", { operands: [k === 0 ? literal("f32", 1) : v(k - 1), literal("f32", 1)], results: [v(k)] })
    )
    const start = performance.now()
    expect(check(program({ body: region({ eqns: chain }) }), primitive)).toBeUndefined()
    expect(performance.now() - start).toBeLessThan(10_000)
  })
})

const f4 = { dtype: "f32", shape: [4] } as const
const refs = [
  { name: "x", ...f4, access: "in", scalar: false },
  { name: "o", ...f4, access: "inout", scalar: false }
] as const
const one = literal("i32", 1)
const two = literal("f32", 2)
/** A program over refs x (in) and o (inout) with these equations. */
const of = (...eqns: Region["eqns"]): Program => program({ refs, body: region({ eqns }) })
const load = (result = v(0, "f32", [4]), ref = "x") =>
  eqn("load", { refs: [use(ref)], results: [result], effects: [read(ref)] })
const neg = (from: ReturnType<typeof v>, to: ReturnType<typeof v>) => eqn("neg", { operands: [from], results: [to] })
const branch = (yes: Region, no: Region, results: Region["params"] = []) =>
  eqn("cond", { operands: [literal("bool", 1)], regions: [yes, no], results })
const store = (view: Parameters<typeof use>[1], indices: Region["results"] = []) =>
  eqn("store", { operands: [two], refs: [use("o", view)], indices, effects: [write("o")] })
const scoped = (name: string, inner: Region["eqns"] = []) =>
  eqn("scoped", {
    regions: [region({ refs: [{ name, ...f4, space: "workgroup" }], eqns: inner })],
    effects: [{ _tag: "Memory" }]
  })

/** What is broken, the program, the equation at fault, what is said. */
const equations: ReadonlyArray<readonly [string, Program, string, RegExp]> = [
  ["an unknown primitive", of(eqn("frobnicate")), "frobnicate", /no primitive frobnicate/],
  ["a variable that nothing defines", of(neg(v(7), v(8))), "%8: f32[] = neg (%7)", /%7 is used before it is defined/],
  [
    "a variable used before its definition",
    of(neg(v(0, "f32", [4]), v(1, "f32", [4])), load()),
    "%1: f32[4] = neg (%0)",
    /%0 is used before/
  ],
  ["a variable in its own definition", of(neg(v(1), v(1))), "%1: f32[] = neg (%1)", /%1 is used before/],
  ["a variable defined twice", of(load(), load()), "%0: f32[4] = load x ! Read(x)", /%0 is defined twice/],
  [
    "a variable of one region used in another",
    of(branch(region({ eqns: [neg(two as never, v(0))] }), region({ eqns: [neg(v(0), v(1))] }))),
    "%1: f32[] = neg (%0)",
    /%0 is used outside the region/
  ],
  [
    "a result of a region that is not in scope",
    of(branch(region({ results: [v(9)] }), region({ results: [two] }), [v(0)])),
    "%0: f32[] = cond (true) { … } { … }",
    /%9 is used before/
  ],
  [
    "a parameter of a region that is a variable already",
    of(load(), eqn("fori", { operands: [one, one], regions: [region({ params: [v(0, "i32")] })] })),
    "fori (1i, 1i) { … }",
    /%0 is defined twice/
  ],
  [
    "an id that is no whole number",
    of(load(v(0.5, "f32", [4]))),
    "%0.5: f32[4] = load x ! Read(x)",
    /%0.5 is no variable/
  ],
  [
    "a use of another type than the definition",
    of(load(), neg(v(0, "i32", [4]), v(1, "i32", [4]))),
    "%1: i32[4] = neg (%0)",
    /used as i32\[4\] and defined as f32\[4\]/
  ],
  [
    "a literal that is no value of its type",
    of(eqn("neg", { operands: [literal("i32", 2.5)], results: [v(0, "i32")] })),
    "%0: i32[] = neg (i32(2.5))",
    /2.5 is no value of i32/
  ],
  [
    "a literal of rank 1",
    of(eqn("neg", { operands: [{ ...two, shape: [1] } as never], results: [v(0)] })),
    "%0: f32[] = neg (f32[1](2))",
    /literals are scalars/
  ],
  [
    "operands that do not fit",
    of(eqn("add", { operands: [one, two], results: [v(0)] })),
    "%0: f32[] = add (1i, 2f)",
    /operands are i32 and f32; convert/
  ],
  ["too few operands", of(eqn("add", { operands: [], results: [v(0)] })), "%0: f32[] = add", /./],
  [
    "a result type that is not the rule's",
    of(load(v(0, "f32", [5]))),
    "%0: f32[5] = load x ! Read(x)",
    /declared as f32\[5\], and load gives f32\[4\]/
  ],
  [
    "a result too many",
    of(eqn("neg", { operands: [two], results: [v(0), v(1)] })),
    "%0: f32[], %1: f32[] = neg (2f)",
    /declared as f32\[\], f32\[\], and neg gives f32\[\]/
  ],
  [
    "parameters of another kind",
    of(eqn("iota", { params: { shape: "x" }, results: [v(0)] })),
    '%0: f32[] = iota {shape: "x"}',
    /./
  ],
  [
    "an effect that is not declared",
    of(eqn("load", { refs: [use("x")], results: [v(0, "f32", [4])] })),
    "%0: f32[4] = load x",
    /declared as none, and load has Read\(x\)/
  ],
  [
    "an effect that does not happen",
    of({ ...neg(two as never, v(0)), effects: [read("x")] }),
    "%0: f32[] = neg (2f) ! Read(x)",
    /declared as Read\(x\), and neg has none/
  ],
  [
    "an effect of a region that the equation hides",
    of(branch(region({ eqns: [store([])] }), region())),
    "cond (true) { … } { … }",
    /declared as none, and cond has Write\(o\)/
  ],
  [
    "a ref that there is not",
    of(load(v(0, "f32", [4]), "y")),
    "%0: f32[4] = load y ! Read(y)",
    /no ref "y", did you mean x\?/
  ],
  [
    "a scoped ref used after its scope",
    of(scoped("s"), load(v(0, "f32", [4]), "s")),
    "%0: f32[4] = load s ! Read(s)",
    /"s" is used outside its scope/
  ],
  ["a scoped ref with the name of another", of(scoped("x")), "scoped ! Memory { … }", /two refs are named "x"/],
  ["two scopes with refs of one name", of(scoped("s"), scoped("s")), "scoped ! Memory { … }", /two refs are named "s"/],
  [
    "a write to an in ref",
    of(eqn("store", { operands: [two], refs: [use("x")], effects: [write("x")] })),
    "store x (2f) ! Write(x)",
    /Write\(x\): ref "x" is declared as in/
  ],
  [
    "an accumulation in an in ref",
    of(eqn("accumulate", { operands: [two], refs: [use("x")], effects: [accum("x")] })),
    "accumulate x (2f) ! Accum(x)",
    /Accum\(x\): ref "x" is declared as in/
  ],
  [
    "a view of the wrong rank",
    of(store(at(point(affine(0)), point(affine(0))))),
    "store o[0, 0] (2f) ! Write(o)",
    /2 indices for 1 axes/
  ],
  [
    "a view that names an index that is not there",
    of(store(at(point(affine(0, [1, index(2)]))), [one])),
    "store o[#2] #(1i) (2f) ! Write(o)",
    /names index 2, and the equation has 1/
  ],
  [
    "a view with an index that is no position",
    of(store(at(point(affine(0, [1, index(-1)]))), [one])),
    "store o[#-1] #(1i) (2f) ! Write(o)",
    /names index -1/
  ],
  [
    "a position that is no i32 scalar",
    of(store(at(point(affine(0, [1, index(0)]))), [two])),
    "store o[#0] #(2f) (2f) ! Write(o)",
    /a position is f32\[\] and must be i32\[\]/
  ],
  [
    "a gather by something other than i32",
    of(load(), store(at({ _tag: "Gather", index: 0 }), [v(0, "f32", [4])])),
    "store o[gather %0] (2f) ! Write(o)",
    /index tile must be i32/
  ],
  ["a fraction in a view", of(store(at(point(affine(0.5))))), "store o[0.5] (2f) ! Write(o)", /offset 0.5/],
  [
    "a fraction as a coefficient",
    of(store(at(point(affine(0, [0.5, index(0)]))), [one])),
    "store o[0.5*#0] #(1i) (2f) ! Write(o)",
    /coefficient 0.5/
  ],
  [
    "a division by 0 in a view",
    of(store(at(point(affine(0, [1, { _tag: "Mod", of: affine(0), by: 0 }]))))),
    "store o[(0 mod 0)] (2f) ! Write(o)",
    /divides by 0/
  ],
  ["a slice of negative size", of(store(at(range(affine(0), -1)))), "store o[0 +: -1] (2f) ! Write(o)", /size -1/],
  [
    "a slice with stride 0",
    of(store(at(range(affine(0), 2, 0)))),
    "store o[0 +: 2 step 0] (2f) ! Write(o)",
    /stride 0/
  ],
  [
    "a reshape to another size",
    of(store([{ _tag: "Reshape", shape: [5] }])),
    "store o.reshape[5] (2f) ! Write(o)",
    /cannot view \[4\] as \[5\]/
  ],
  [
    "a permutation that is none",
    of(store([{ _tag: "Transpose", perm: [1] }])),
    "store o.transpose[1] (2f) ! Write(o)",
    /not a permutation/
  ],
  [
    "a bit cast to another width",
    of(store([{ _tag: "Bitcast", dtype: "f16" }])),
    "store o.bitcast[f16] (2f) ! Write(o)",
    /cannot view f32 as f16/
  ],
  [
    "a view in parameters that names an index that is not there",
    of(
      load(),
      eqn("viewGet", {
        params: { view: at(point(affine(0, [1, index(0)]))) as never },
        operands: [v(0, "f32", [4])],
        results: [v(1)]
      })
    ),
    "%1: f32[] = viewGet &[#0] #() (%0)",
    /names index 0, and the equation has 0/
  ],
  [
    "a region too few",
    of(eqn("cond", { operands: [literal("bool", 1)], regions: [region()] })),
    "cond (true) { … }",
    /regions/
  ],
  [
    "branches of different types",
    of(branch(region({ results: [one] }), region({ results: [two] }), [v(0, "i32")])),
    "%0: i32[] = cond (true) { … } { … }",
    /./
  ],
  [
    "an inline without a definition",
    of(eqn("inline", { params: { inline: "gelo" }, operands: [two], results: [v(0)] })),
    '%0: f32[] = inline {inline: "gelo"} (2f)',
    /inline "gelo" is not defined/
  ]
]

const axis = (size: number) => ({ size, semantics: "parallel" as const })
const gelu = inlines.inlines["gelu"]!
/** What is broken in the program as a whole. */
const programs: ReadonlyArray<readonly [string, Partial<Program>, RegExp]> = [
  ["a negative grid axis", { grid: [axis(2), axis(-1)] }, /grid axis 1 has size -1/],
  ["a grid axis that is no whole number", { grid: [axis(1.5)] }, /grid axis 0 has size 1.5/],
  ["no thread", { threads: 0 }, /the kernel has 0 threads/],
  ["half a thread", { threads: 1.5 }, /the kernel has 1.5 threads/],
  ["two refs of one name", { refs: [refs[0], refs[0]] }, /two refs are named "x"/],
  ["a ref with an impossible shape", { refs: [{ ...refs[0], shape: [-1] }] }, /ref "x" has the shape \[-1\]/],
  [
    "a scalar that is no in ref of rank 0",
    { refs: [{ ...refs[0], scalar: true }] },
    /scalar "x" must be an in ref of rank 0/
  ],
  [
    "scratch with the name of a ref",
    { body: region({ refs: [{ name: "x", ...f4, space: "workgroup" }] }) },
    /two refs are named "x"/
  ],
  [
    "parameters of a body that is not discharged",
    { body: region({ params: [v(0)] }) },
    /the body has the parameters f32\[\], and the discharged refs are nothing/
  ],
  [
    "results of a body that is not discharged",
    { body: region({ results: [two] }) },
    /the body has the results f32\[\]/
  ],
  ["a discharged ref that there is not", { discharged: ["y"] }, /no ref "y" to be discharged/],
  ["a ref discharged twice", { discharged: ["o", "o"] }, /discharged twice/],
  [
    "discharge without the values of the refs",
    { discharged: ["o"] },
    /parameters nothing, and the discharged refs are f32\[4\]/
  ],
  ["an inline under another name", { inlines: { other: gelu } }, /inline "other" is defined under the name "gelu"/],
  [
    "two arguments of an inline with one name",
    { inlines: { gelu: { ...gelu, args: [gelu.args[0]!, gelu.args[0]!] } } },
    /two arguments or results of one name/
  ],
  [
    "an impossible shape in an inline",
    { inlines: { gelu: { ...gelu, results: [{ name: "y", dtype: "f32", shape: [0.5] }] } } },
    /"y" of inline "gelu" has the shape/
  ]
]

describe("the checker finds", () => {
  for (const [what, p, equation, detail] of equations)
    it(what, () => {
      const found = finding(p)
      expect(found).toBeInstanceOf(InvalidProgram)
      expect(found.detail).toMatch(detail)
      expect(found.equation).toBe(equation)
      expect(found.neighbours).toContain(`> ${equation}`)
    })

  for (const [what, parts, detail] of programs)
    it(what, () => {
      const found = finding(program({ refs, ...parts }))
      expect(found.detail).toMatch(detail)
      expect(found.equation).toBe("kernel k")
      expect(found.neighbours).toContain("effect-kernels 1")
    })

  it("a use of a ref that has been discharged", () => {
    const p = valid["discharged"]!
    const body = {
      ...p.body,
      eqns: [...p.body.eqns, eqn("store", { operands: [two], refs: [use("o")], effects: [write("o")] })]
    }
    expect(finding({ ...p, body }).detail).toBe('ref "o" is used though it has been discharged')
  })

  it("an equation that a rule cannot make sense of, without throwing", () => {
    const broken = () => {
      throw new RangeError("no such thing")
    }
    const lookup = (name: string) => ({ ...primitive(name)!, typing: broken })
    expect(check(of(load()), lookup)!.detail).toMatch(/cannot make sense of it: no such thing/)
  })
})

describe("the checker never throws", () => {
  it("on any program", () => {
    const quiet = (p: Program) => check(p, primitive) === undefined || finding(p).detail.length > 0
    fc.assert(fc.property(arbitraryProgram, quiet), { numRuns: 300 })
  })
})

describe("a finding", () => {
  it("shows three equations on either side of the offender", () => {
    const chain = Array.from({ length: 20 }, (_, k) =>
      neg(k === 0 ? (two as never) : v(k - 1), v(k, k === 10 ? "i32" : "f32"))
    )
    expect(finding(of(...chain)).neighbours).toBe(
      [
        "  %7: f32[] = neg (%6)",
        "  %8: f32[] = neg (%7)",
        "  %9: f32[] = neg (%8)",
        "> %10: i32[] = neg (%9)",
        "  %11: f32[] = neg (%10)",
        "  %12: f32[] = neg (%11)",
        "  %13: f32[] = neg (%12)"
      ].join("\n")
    )
  })
})

describe("any single equation left out of a valid program", () => {
  it("is found if a later one needs its results, and nothing is thrown", () => {
    const { eqns } = scaledRows.body
    for (const [k, left] of eqns.entries()) {
      const found = check(
        { ...scaledRows, body: { ...scaledRows.body, eqns: eqns.filter((e) => e !== left) } },
        primitive
      )
      const needed = eqns
        .slice(k + 1)
        .some((e) =>
          [...e.operands, ...e.indices].some(
            (a) => left.results.includes(a as never) || left.results.some((r) => "id" in a && a.id === r.id)
          )
        )
      expect(found !== undefined).toBe(needed)
    }
  })
})
