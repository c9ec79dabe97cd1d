/** Typing rules meet programs from anywhere: they give a type, or say in a TypingError why there is none. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as DType from "../../src/DType.ts"
import type { Draft, Scope } from "../../src/ir/primitive.ts"
import {
  type Atom,
  type Aval,
  type Eqn,
  type InlineDef,
  type Params,
  type Region,
  read,
  type Scratch,
  write
} from "../../src/ir/program.ts"
import { TypingError } from "../../src/ir/typing.ts"
import { primitive, primitives } from "../../src/primitives/index.ts"

const v = (dtype: DType.Name, ...shape: ReadonlyArray<number>): Atom => ({ _tag: "Var", id: 0, dtype, shape })
const def = (over: Partial<InlineDef>): InlineDef => ({
  name: "n",
  grain: "block",
  args: [],
  results: [],
  wgsl: "",
  source: null,
  ...over
})
const scope = (inline: InlineDef = def({})): Scope => ({
  ref: (name) => {
    if (name !== "r") throw new TypingError(`there is no ref "${name}"`)
    return { dtype: "f32", shape: [4, 4] }
  },
  rank: 2,
  inline: () => inline
})
const draft = (over: Partial<Draft>): Draft => ({
  params: {},
  operands: [],
  indices: [],
  refs: [],
  regions: [],
  ...over
})
const region = (
  params: ReadonlyArray<Atom>,
  results: ReadonlyArray<Atom>,
  refs: ReadonlyArray<Scratch> = [],
  eqns: ReadonlyArray<Eqn> = []
): Region => ({ params, results, refs, eqns }) as Region
const typed = (name: string, over: Partial<Draft>, inline?: InlineDef): ReadonlyArray<Aval> =>
  primitive(name)!.typing(draft(over), scope(inline))

const refused = (name: string, over: Partial<Draft>, message: RegExp, inline?: InlineDef) => {
  const show = (atoms: ReadonlyArray<Atom> = []) => atoms.map((a) => `${a.dtype}[${a.shape.join(", ")}]`).join(", ")
  it(`${name}(${show(over.operands)}) ${JSON.stringify(over.params ?? {})}: ${message.source}`, () => {
    let thrown: unknown
    try {
      typed(name, over, inline)
    } catch (e) {
      thrown = e
    }
    expect(thrown).toBeInstanceOf(TypingError)
    expect((thrown as TypingError).detail).toMatch(message)
  })
}
const on = (params: Params, ...operands: ReadonlyArray<Atom>): Partial<Draft> => ({ params, operands })

describe("shape primitives refuse", () => {
  refused("broadcast", on({ shape: [2, 3] }, v("f32", 2)), /cannot broadcast \[2\] to \[2, 3\]/)
  refused("broadcast", on({ shape: [2] }, v("f32", 3)), /cannot broadcast/)
  refused("broadcast", on({ shape: [-1] }, v("f32")), /"shape"/)
  refused("broadcast", on({ shape: [65536, 65536] }, v("f32")), /more than 2\^31/)
  refused("broadcast", on({}, v("f32")), /missing/)
  refused("broadcast", on({ shape: [2] }), /takes 1 operand, got 0/)
  refused("broadcast", { ...on({ shape: [2] }, v("f32")), refs: [{ name: "r", view: [] }] }, /tiles only/)
  refused("reshape", on({ shape: [4] }, v("f32", 2, 3)), /cannot reshape/)
  refused("transpose", on({ perm: [0, 0] }, v("f32", 2, 3)), /not a permutation/)
  refused("transpose", on({ perm: [0] }, v("f32", 2, 3)), /1 entries for 2 axes/)
  refused("expandDims", on({ axes: [2] }, v("f32", 2)), /for rank 2/)
  refused("expandDims", on({ axes: [1, 0] }, v("f32", 2)), /for rank 3/)
  refused("squeeze", on({ axes: [0] }, v("f32", 2)), /axis 0 has size 2/)
  refused("squeeze", on({ axes: [0, 0] }, v("f32", 1)), /\[0, 0\]/)
  refused("concat", on({ axis: 0 }), /at least one/)
  refused("concat", on({ axis: 0 }, v("f32", 2), v("i32", 2)), /f32 and i32/)
  refused("concat", on({ axis: 0 }, v("f32", 2, 3), v("f32", 2, 4)), /cannot concatenate/)
  refused("concat", on({ axis: 0 }, v("f32")), /outside rank 0/)
  refused("slice", on({ starts: [1], sizes: [2], strides: [2] }, v("f32", 3)), /outside axis 0 of size 3/)
  refused("slice", on({ starts: [-1], sizes: [1], strides: [1] }, v("f32", 3)), /outside axis 0/)
  refused("slice", on({ starts: [0], sizes: [1], strides: [0] }, v("f32", 3)), /stride 0/)
  refused("flip", on({ axes: [1] }, v("f32", 3)), /for rank 1/)
  refused("pad", on({ low: [-1], high: [0] }, v("f32", 3), v("f32")), /negative/)
  refused("pad", on({ low: [0], high: [0] }, v("f32", 3), v("f32", 1)), /padding value has shape/)
  refused("pad", on({ low: [0], high: [0] }, v("f32", 3), v("i32")), /f32 and i32/)
  refused("take", on({ axis: 0 }, v("f32", 3), v("u32", 2)), /index is u32/)
  refused("iota", on({ dtype: "bool", shape: [2], axis: 0 }), /cannot be bool/)
  refused("iota", on({ dtype: "f64", shape: [2], axis: 0 }), /"dtype" is "f64"/)
  refused("iota", on({ dtype: "f32", shape: [], axis: 0 }), /outside rank 0/)
  refused("full", on({ shape: [2] }, v("f32", 2)), /the value has shape/)
})

describe("reductions and dot refuse", () => {
  refused("reduceSum", on({ axes: [0], keepDims: false }, v("bool", 2)), /operand is bool/)
  refused("reduceAny", on({ axes: [0], keepDims: false }, v("i32", 2)), /operand is i32/)
  refused("reduceSum", on({ axes: [], keepDims: false }, v("f32", 2)), /no axis/)
  refused("reduceSum", on({ axes: [0] }, v("f32", 2)), /"keepDims" is missing/)
  for (const name of ["reduceMax", "reduceMin", "argmax", "argmin"])
    refused(name, on({ axes: [1], keepDims: false }, v("f32", 2, 0)), /nothing to reduce/)
  refused("cumsum", on({ axis: 0, reverse: false }, v("bool", 2)), /operand is bool/)
  refused("cumsum", on({ axis: 0, reverse: false }, v("f32")), /outside rank 0/)
  const d = { transposeA: false, transposeB: false }
  refused("dot", on(d, v("f32", 2, 3), v("f32", 2, 3)), /cannot multiply 2×3 by 2×3/)
  refused("dot", on(d, v("f32", 2), v("f32", 2)), /ranks 1 and 1/)
  refused("dot", on(d, v("f32", 1, 2, 3), v("f32", 2, 3, 2)), /batch axes differ/)
  refused("dot", on(d, v("f32", 2, 2), v("f16", 2, 2)), /f32 and f16/)
  refused("dot", on(d, v("bool", 2, 2), v("bool", 2, 2)), /bool/)
  refused("programId", on({ axis: 2 }), /outside rank 2/)
})

const r = (view: unknown = []) => ({ refs: [{ name: "r", view: view as never }] })
const index = (...at: ReadonlyArray<unknown>) => [{ _tag: "Index", at }]
const constant = { constant: 0, terms: [] }
const scalarIndex = { constant: 0, terms: [{ coefficient: 1, term: { _tag: "Index", index: 0 } }] }
describe("memory primitives refuse", () => {
  refused("load", {}, /takes 1 ref, got 0/)
  refused("load", { refs: [{ name: "q", view: [] }] }, /no ref "q"/)
  refused("load", { ...r(), operands: [v("bool")] }, /a mask and another value/)
  refused("load", { ...r(), operands: [v("i32"), v("f32")] }, /mask is i32/)
  refused("load", { ...r(), operands: [v("bool"), v("i32")] }, /other value is i32, the view f32/)
  refused("load", { ...r(), operands: [v("bool", 4), v("f32")] }, /mask has shape \[4\]/)
  refused("store", r(), /takes a value/)
  refused("store", { ...r(), operands: [v("f32", 4)] }, /value has shape \[4\], the view \[4, 4\]/)
  refused("store", { ...r(), operands: [v("f32"), v("bool"), v("bool")] }, /got 3 operands/)
  refused(
    "accumulate",
    { operands: [v("bool", 2), v("bool")], params: {}, ...r([{ _tag: "Bitcast", dtype: "bool" }]) },
    /bool/
  )
  refused("viewAdd", { operands: [v("bool", 2), v("bool")], params: { view: [] } }, /add to bool/)
  refused("viewGet", { params: { view: [] } }, /takes an array/)
  refused("viewGet", { operands: [v("f32", 2)] }, /malformed form/)
})
describe("views are refused that", () => {
  const cases: ReadonlyArray<readonly [unknown, RegExp]> = [
    [5, /malformed form/],
    [[null], /malformed step/],
    [[{ _tag: "Sideways" }], /malformed step/],
    [[{ _tag: "Index" }], /malformed index/],
    [index(7, 7), /malformed index/],
    [index({ _tag: "Point", at: constant }), /1 indices for 2 axes/],
    [index({ _tag: "Point", at: 3 }, { _tag: "Point", at: constant }), /malformed affine form/],
    [
      index({ _tag: "Point", at: scalarIndex }, { _tag: "Point", at: constant }),
      /names index 0, and the equation has 0/
    ],
    [index({ _tag: "Gather", index: 3 }, { _tag: "Point", at: constant }), /names index 3, and the equation has 0/],
    [
      index({ _tag: "Range", start: constant, size: -1, stride: 1 }, { _tag: "Point", at: constant }),
      /slice of size -1/
    ],
    [
      index(
        { _tag: "Point", at: { constant: 0, terms: [{ coefficient: 1, term: { _tag: "Mod", of: constant, by: 0 } }] } },
        { _tag: "Point", at: constant }
      ),
      /divides by 0/
    ],
    [
      index({ _tag: "Range", start: constant, size: 1, stride: 1, padded: false }, { _tag: "Point", at: constant }),
      /an index with the mark false/
    ],
    [
      index({ _tag: "Point", at: constant, padded: "wholly" }, { _tag: "Point", at: constant }),
      /an index with the mark wholly/
    ],
    [[{ _tag: "Reshape", shape: [3] }], /sizes must be equal|cannot view/],
    [[{ _tag: "Reshape", shape: "16" }], /malformed shape/],
    [[{ _tag: "Transpose", perm: [1, 1] }], /not a permutation/],
    [[{ _tag: "Bitcast", dtype: "f16" }], /cannot view f32 as f16/]
  ]
  for (const [view, message] of cases) refused("load", r(view), message)
  refused(
    "load",
    { ...r(index({ _tag: "Point", at: scalarIndex }, { _tag: "Point", at: constant })), indices: [v("f32")] },
    /position is f32/
  )
  refused(
    "load",
    { ...r(index({ _tag: "Gather", index: 0 }, { _tag: "Point", at: constant })), indices: [v("u32", 2)] },
    /must be i32/
  )
})

describe("control primitives refuse", () => {
  const none = region([], [])
  const own: Scratch = { name: "s", dtype: "f32", shape: [1], space: "workgroup" }
  const b = v("bool")
  refused("cond", { operands: [b], regions: [none] }, /takes 2 regions, got 1/)
  refused("cond", { operands: [v("i32")], regions: [none, none] }, /condition is i32/)
  refused("cond", { operands: [], regions: [none, none] }, /takes 1 operand/)
  refused(
    "cond",
    { operands: [b], regions: [none, region([], [v("f32")])] },
    /1 results of the second branch, expected 0/
  )
  refused("cond", { operands: [b], regions: [region([v("f32")], []), none] }, /parameters of the branch/)
  refused("cond", { operands: [b], regions: [region([], [], [own]), none] }, /declares scratch/)
  refused("cond", { operands: [b], regions: [none, none], ...r() }, /takes no refs/)
  refused("fori", { operands: [v("i32")], regions: [none] }, /upper bound is missing/)
  refused("fori", { operands: [v("i32"), v("f32")], regions: [none] }, /upper bound is f32/)
  refused("fori", { operands: [v("i32"), v("i32")], regions: [none] }, /0 parameters of the body, expected 1/)
  refused(
    "fori",
    { operands: [v("i32"), v("i32"), v("f32", 2)], regions: [region([v("i32"), v("f32", 2)], [v("f32", 3)])] },
    /f32\[3\] where f32\[2\]/
  )
  refused("while", { operands: [], regions: [none, none] }, /0 results of the condition, expected 1/)
  refused(
    "while",
    { operands: [v("f32")], regions: [region([v("f32")], [b]), region([v("i32")], [v("f32")])] },
    /i32\[\] where f32\[\]/
  )
  refused("scoped", { operands: [b], regions: [none] }, /no operands/)
  refused("scoped", { regions: [region([], [], [{ ...own, shape: [-1] }])] }, /not a shape/)
  it("nothing that is right", () => {
    const types = typed("fori", {
      operands: [v("i32"), v("i32"), v("f32", 2)],
      regions: [region([v("i32"), v("f32", 2)], [v("f32", 2)])]
    })
    expect(types).toEqual([{ dtype: "f32", shape: [2] }])
    expect(typed("scoped", { regions: [region([], [v("i32", 3)], [own])] })).toEqual([{ dtype: "i32", shape: [3] }])
  })
})

describe("an inline refuses", () => {
  const params = { inline: "n" }
  const x = { name: "x", kind: "tile", dtype: "f32", shape: null } as const
  const w = { name: "w", kind: "write", dtype: "f32", shape: [4, 4] } as const
  const lifted = def({
    grain: "elementwise",
    args: [x, { ...x, name: "y" }],
    results: [{ name: "z", dtype: "i32", shape: null }]
  })
  const stored = (ref: string): Eqn => ({
    ...draft({}),
    primitive: "store",
    results: [],
    source: undefined,
    effects: [write(ref)]
  })
  refused("inline", { params: {} }, /"inline" is missing/)
  refused("inline", { params, operands: [v("f32")] }, /takes 2 operands, got 1/, lifted)
  refused("inline", { params, operands: [v("f32"), v("i32")] }, /"y" is i32/, lifted)
  refused("inline", { params, operands: [v("f32", 2), v("f32", 3)] }, /shapes \[2\] and \[3\]/, lifted)
  refused("inline", { params, ...r() }, /takes 0 refs, got 1/)
  refused("inline", { params, ...r([{ _tag: "Reshape", shape: [16] }]) }, /"w" has shape \[16\]/, def({ args: [w] }))
  refused("inline", { params }, /"z" has no shape/, def({ results: [{ name: "z", dtype: "f32", shape: null }] }))
  refused("inline", { params, regions: [region([], [v("f32")])] }, /results of the rule/)
  refused("inline", { params, regions: [region([], [], [], [stored("r")])] }, /the rule has the effect Write\(r\)/)
  it("nothing that is right, and has the effects that it declares", () => {
    expect(typed("inline", { params, operands: [v("f32", 2), v("f32")] }, lifted)).toEqual([
      { dtype: "i32", shape: [2] }
    ])
    const one = { params, ...r(), regions: [region([], [], [], [stored("r")])] }
    expect(typed("inline", one, def({ args: [w] }))).toEqual([])
    const effects = (over: Partial<Draft>, arg: InlineDef["args"][number]) =>
      primitive("inline")!.effects(draft(over), scope(def({ args: [arg] })))
    expect(effects(one, w)).toEqual([write("r")])
    expect(effects({ params, ...r() }, w)).toEqual([{ _tag: "Inline", name: "n" }, write("r")])
    expect(effects(one, { ...w, kind: "readwrite" })).toEqual([read("r"), write("r")])
  })
})

describe("whatever the equation", () => {
  const aval = fc.record({ dtype: fc.constantFrom(...DType.names), shape: fc.array(fc.nat(3), { maxLength: 3 }) })
  const atom: fc.Arbitrary<Atom> = aval.map((a) => v(a.dtype, ...a.shape))
  const names = [
    "shape",
    "perm",
    "axes",
    "axis",
    "starts",
    "sizes",
    "strides",
    "low",
    "high",
    "dtype",
    "keepDims",
    "reverse",
    "transposeA",
    "view",
    "inline"
  ]
  const value = fc.oneof(
    fc.integer({ min: -2, max: 4 }),
    fc.array(fc.integer({ min: -1, max: 3 }), { maxLength: 3 }),
    fc.boolean(),
    fc.constantFrom("f32", "i32"),
    fc.jsonValue()
  )
  const loose = fc.oneof(
    fc.anything(),
    fc.array(
      fc.record({
        _tag: fc.constantFrom("Index", "Reshape", "Transpose", "Bitcast"),
        at: fc.anything(),
        shape: fc.anything(),
        perm: fc.anything(),
        dtype: fc.anything()
      })
    )
  )
  const drafts = fc.record({
    params: fc.dictionary(fc.constantFrom(...names), value),
    operands: fc.array(atom, { maxLength: 4 }),
    indices: fc.array(atom, { maxLength: 2 }),
    refs: fc.array(fc.record({ name: fc.constantFrom("r", "q"), view: loose }), { maxLength: 2 }),
    regions: fc.array(
      fc.record({
        params: fc.array(atom, { maxLength: 2 }),
        results: fc.array(atom, { maxLength: 2 }),
        refs: fc.constant([]),
        eqns: fc.constant([])
      }),
      { maxLength: 2 }
    )
  }) as unknown as fc.Arbitrary<Draft>
  for (const record of primitives)
    it(`${record.name} gives valid types or a TypingError`, () => {
      fc.assert(
        fc.property(drafts, (d) => {
          try {
            for (const { dtype, shape } of record.typing(d, scope())) {
              expect(DType.names).toContain(dtype)
              expect(shape.every((n) => Number.isInteger(n) && n >= 0)).toBe(true)
            }
            record.effects(d, scope())
          } catch (e) {
            if (!(e instanceof TypingError)) throw e
          }
        }),
        { numRuns: 200 }
      )
    })
})
