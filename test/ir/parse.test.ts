import { Result } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as DType from "../../src/DType.ts"
import { ParseError } from "../../src/Errors.ts"
import { parse } from "../../src/ir/parse.ts"
import { print } from "../../src/ir/print.ts"
import { literal, type Program, type Region } from "../../src/ir/program.ts"
import { arbitraryProgram } from "./arbitrary.ts"
import { all, canonical, eqn, program, region, v } from "./programs.ts"

const parsed = (text: string): Program => Result.getOrThrow(parse(text))
const failure = (text: string, primitives?: ReadonlySet<string>): ParseError => {
  const result = parse(text, primitives)
  if (Result.isSuccess(result)) throw new Error(`this parses:\n${text}`)
  return result.failure
}
const positions = { positions: true }

describe("parse(print(p)) is p", () => {
  for (const [name, p] of Object.entries(all))
    it(`for "${name}"`, () => {
      expect(canonical(parsed(print(p, positions)))).toBe(canonical(p))
      expect(print(parsed(print(p)))).toBe(print(p))
    })

  it("for any program", () => {
    fc.assert(
      fc.property(arbitraryProgram, (p) => {
        const text = print(p, positions)
        expect(canonical(parsed(text))).toBe(canonical(p))
        expect(print(parsed(text), positions)).toBe(text)
      }),
      { numRuns: 1000 }
    )
  })

  it("for any value of each element type, to the bit", () => {
    const bits = fc.integer({ min: 0, max: 0xffffffff })
    const f32 = (word: number) => new Float32Array(Uint32Array.of(word).buffer)[0]!
    fc.assert(
      fc.property(bits, fc.constantFrom(...DType.names), (word, dtype) => {
        const value = dtype === "f32" ? f32(word) : DType.round(dtype)(dtype === "f16" ? f32(word) / 2 ** 100 : word)
        const p = program({ body: region({ results: [literal(dtype, value)] }) })
        expect(canonical(parsed(print(p)))).toBe(canonical(p))
      }),
      { numRuns: 2000 }
    )
  })

  it("at 200 levels of regions, parameters and indices", () => {
    const nest = <A>(inner: A, wrap: (a: A) => A): A => Array.from({ length: 200 }).reduce<A>(wrap, inner)
    const loops = nest<Region>(region({ results: [v(1)] }), (r) => region({ eqns: [eqn("loop", { regions: [r] })] }))
    const p = program({ body: loops })
    expect(canonical(parsed(print(p)))).toBe(canonical(p))
    const list = nest("1", (s) => `[${s}]`)
    const term = nest("#0", (s) => `(${s} mod 7)`)
    expect(Result.isSuccess(parse(text(`f {a: ${list}} x[${term}] #(1i)`)))).toBe(true)
  })
})

/** A program with one line in its body, on line 5. */
const text = (line: string): string => `effect-kernels 1\nkernel k\ngrid [2]\nbody {\n${line}\n}\n`

describe("hand-written text", () => {
  it("may have comments, blank lines, other spacing and Windows line ends", () => {
    const loose =
      "\n// a kernel\neffect-kernels   1\r\nkernel k // its name\n\n\ngrid [ 2 ]\r\nbody{\n\n  %0:i32[ ]=f{a:1}(  1i,2i )\r\n}"
    expect(canonical(parsed(loose))).toBe(canonical(parsed(text("%0: i32[] = f {a: 1} (1i, 2i)"))))
  })

  it("may put constants anywhere in an index, and repeat variables", () => {
    const line = (at: string) => text(`%0: i32[] = f\n%1: i32[] = f\nload x[${at}]`)
    expect(canonical(parsed(line("1 + 4*%1 + 2 - %0")))).toBe(canonical(parsed(line("4*%1 - %0 + 3"))))
    expect(parsed(line("%1 + 2*%0 - 3*%1")).body.eqns[2]!.indices).toEqual([v(1, "i32"), v(0, "i32")])
  })

  it("marks positions of block specifications, in views of refs and of arrays", () => {
    const view = "[3*%0 +: 3 padded, 3*%0 + 1 +: 2 step 2 padded wholly, 2 padded][0 +: 1, 0]"
    const body = `%0: i32[] = f\nload x${view}\nload through ${view} (3i)`
    expect(print(parsed(text(body)))).toContain(`load x${view}`)
    expect(parsed(text(body)).body.eqns[1]!.refs[0]!.view[0]).toMatchObject({
      at: [
        { size: 3, stride: 1, padded: true },
        { size: 2, stride: 2, padded: "wholly" },
        { _tag: "Point", padded: true }
      ]
    })
    expect(print(parsed(text(body)))).toContain(`through${view}`)
  })
})

const primitives = new Set(["add", "mul", "fori", "load"])
/** The text, the position of the mistake, and what must be said of it. */
const mistakes: ReadonlyArray<readonly [string, number, number, RegExp]> = [
  ["", 1, 1, /expected 'effect-kernels 1', found the end of the text/],
  ["hello", 1, 1, /expected 'effect-kernels 1', found 'hello'/],
  ["effect-kernels 2\n", 1, 16, /version 2; this library reads version 1/],
  ["effect-kernels 1\nkernel\ngrid []", 2, 7, /expected the name of the kernel, found the end of the line/],
  ["effect-kernels 1\nkernel k\ngrid [x]", 3, 7, /expected the size of a grid axis, found 'x'/],
  ["effect-kernels 1\nkernel k\ngrid [1 2]", 3, 9, /expected ',' or '\]', found '2'/],
  [
    "effect-kernels 1\nkernel k\ngrid []\nin x: f33[2]",
    4,
    7,
    /expected an element type \(f32, f16, i32, u32, bool, bf16, i8, u8, i4, u4\), found 'f33'/
  ],
  [
    "effect-kernels 1\nkernel k\ngrid []\nim x: f32[2]",
    4,
    1,
    /expected a ref, 'discharged', 'inline' or 'body', found 'im'/
  ],
  ["effect-kernels 1\nkernel k\ngrid []\nbody {\n", 5, 1, /expected an equation, found the end of the text/],
  [`${text("")}extra`, 7, 1, /expected the end of the text, found 'extra'/],
  [text("%0: f32[] = ad (1f, 2f)"), 5, 13, /unknown primitive ad, did you mean add\?/],
  [text("%0: f32[] = convolve (1f)"), 5, 13, /unknown primitive convolve$/],
  [text("%0: f32[] = add (%1, 2f)"), 5, 18, /%1 is used before it is defined/],
  [text("%0 = add (1f, 2f)"), 5, 4, /expected ':', found '='/],
  [text("%0: f32[] add (1f, 2f)"), 5, 11, /expected '=', found 'add'/],
  [text("%0: f32[] = add (1, 2f)"), 5, 18, /expected a literal with its type, such as 0\.5f or 3i, found '1'/],
  [text("%0: i32[] = add (3000000000i)"), 5, 18, /3000000000i is no value of i32/],
  [text("%0: f32[] = add (1e99f)"), 5, 18, /1e99f is no value of f32/],
  [text("%0: f32[] = add (1f"), 5, 20, /expected ',' or '\)', found the end of the line/],
  [text("add (1f) 2f"), 5, 10, /expected the end of the line, found '2f'/],
  [text("add ! Reads(x)"), 5, 7, /expected an effect \(Read, Write/],
  [text("add {a: 1, a: 2}"), 5, 12, /the parameter a is given twice/],
  [text("add {a 1}"), 5, 8, /expected ':', found '1'/],
  [text("add {a: b}"), 5, 9, /expected the value of a parameter, found 'b'/],
  [text('add {a: "b}'), 5, 9, /a string that does not end on its line/],
  [text('add {a: "\\x"}'), 5, 9, /an escape or a character that JSON does not allow/],
  [text("add $"), 5, 5, /found '\$'/],
  [text("load x[1 +: ]"), 5, 13, /expected a size, found '\]'/],
  [text("load x[1 +: 2 padded partly]"), 5, 22, /expected ',' or '\]', found 'partly'/],
  [text("load x[1 padded wholly]"), 5, 17, /expected ',' or '\]', found 'wholly'/],
  [text("load x[%0]"), 5, 8, /%0 is used before it is defined/],
  [text("load x[#0]"), 5, 8, /a numbered index needs the list of indices/],
  [text("load x[gather 3]"), 5, 15, /expected a variable, found '3'/],
  [text("load x[(1 div 2)]"), 5, 11, /expected 'floordiv' or 'mod', found 'div'/],
  [text("load x.shape[2]"), 5, 8, /expected 'reshape', 'transpose' or 'bitcast', found 'shape'/],
  [text("fori {\nyield 1i\nadd (1f)\n}"), 7, 1, /expected '}', found 'add'/],
  [text("fori {\nscratch s: f32[2] global\n}"), 6, 19, /expected 'workgroup' or 'register', found 'global'/],
  [text("fori { (%0: i32[]) 3\n}"), 5, 20, /expected '=>', found '3'/],
  [
    "effect-kernels 1\nkernel k\ngrid []\ninline f scalar () -> ()",
    4,
    10,
    /expected 'elementwise' or 'block', found 'scalar'/
  ],
  [
    "effect-kernels 1\nkernel k\ngrid []\ninline f block () -> ()\nbody {\n}",
    5,
    1,
    /expected a quoted line of WGSL, found 'body'/
  ],
  [
    'effect-kernels 1\nkernel k\ngrid []\ninline f block () -> ()\n""\ninline f block () -> ()\n""',
    6,
    8,
    /inline f is defined twice/
  ]
]

describe("a mistake in the text", () => {
  for (const [source, line, column, detail] of mistakes)
    it(`is told with its position and what was expected: ${detail.source}`, () => {
      const error = failure(source, primitives)
      expect(error).toBeInstanceOf(ParseError)
      expect(error.detail).toMatch(detail)
      expect([error.line, error.column]).toEqual([line, column])
    })

  it("such as 100,000 brackets does not exhaust the stack", () => {
    for (const open of ["[", "{a: ", "(", "x[(", "fori {\n"]) {
      const source = text(`add ${open === "[" ? "{a: " : open === "(" ? "x[" : ""}${open.repeat(100_000)}`)
      expect(failure(source)).toBeInstanceOf(ParseError)
    }
    expect(failure(text(`add {a: ${"[".repeat(300)}`)).detail).toBe("nested deeper than 256 levels")
  })

  it("never throws or hangs: any change of a character gives an error or a program that prints back", () => {
    const put = ["\n", "%", "}", '"', "-", "0", "x", "#", ",", "("]
    for (const name of ["views", "control", "inlines", "data"]) {
      const source = print(all[name]!, positions)
      for (let at = 0; at < source.length; at++)
        for (const replacement of ["", put[at % put.length], put[(at + 3) % put.length]]) {
          const result = parse(source.slice(0, at) + replacement + source.slice(at + 1))
          if (Result.isFailure(result)) {
            expect(result.failure.line).toBeGreaterThan(0)
            expect(result.failure.column).toBeGreaterThan(0)
          } else expect(canonical(parsed(print(result.success, positions)))).toBe(canonical(result.success))
        }
    }
  })

  it("never throws: any text, and any text cut off, gives an error or a program", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (s) => Result.isResult(parse(s))))
    const source = print(all["inlines"]!)
    const cuts = Array.from(source, (_, at) => parse(source.slice(0, at)))
    expect(cuts.slice(0, -1).every(Result.isFailure)).toBe(true)
  })

  it("is found in time in proportion to the text", () => {
    const lines = Array.from({ length: 40_000 }, (_, k) => `%${k}: f32[] = add (1f, 2f)`).join("\n")
    const start = performance.now()
    expect(failure(`${text(lines)}oops`).line).toBe(40_006)
    expect(performance.now() - start).toBeLessThan(20_000)
  })
})
