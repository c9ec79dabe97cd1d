/** Programs made by hand, which together use every construct of the IR. */
import * as DType from "../../src/DType.ts"
import {
  accum,
  type Atom,
  type Aval,
  type Eqn,
  type InlineDef,
  literal,
  memory,
  type Program,
  read,
  type RefUse,
  type Region,
  type Var,
  write
} from "../../src/ir/program.ts"
import type { Affine, Entry, Term, View } from "../../src/ir/view.ts"
import { toParam } from "../../src/ir/viewText.ts"

export const v = (id: number, dtype: DType.Name = "f32", shape: ReadonlyArray<number> = []): Var => ({
  _tag: "Var",
  id,
  dtype,
  shape
})
export const eqn = (primitive: string, parts: Partial<Eqn> = {}): Eqn => ({
  primitive,
  params: {},
  operands: [],
  indices: [],
  refs: [],
  regions: [],
  results: [],
  effects: [],
  source: undefined,
  ...parts
})
export const region = (parts: Partial<Region> = {}): Region => ({
  params: [],
  refs: [],
  eqns: [],
  results: [],
  ...parts
})
export const program = (parts: Partial<Program> = {}): Program => ({
  name: "k",
  grid: [],
  refs: [],
  body: region(),
  discharged: [],
  inlines: {},
  ...parts
})

export const index = (index: number): Term => ({ _tag: "Index", index })
export const affine = (constant: number, ...terms: ReadonlyArray<readonly [number, Term]>): Affine => ({
  constant,
  terms: terms.map(([coefficient, term]) => ({ coefficient, term }))
})
export const point = (at: Affine): Entry => ({ _tag: "Point", at })
export const range = (start: Affine, size: number, stride = 1): Entry => ({ _tag: "Range", start, size, stride })
export const at = (...entries: ReadonlyArray<Entry>): View => [{ _tag: "Index", at: entries }]
export const use = (name: string, view: View = []): RefUse => ({ name, view })
const ref = (name: string, access: "in" | "out" | "inout", aval: Aval, scalar = false) => ({
  name,
  ...aval,
  access,
  scalar
})
const f32 = (...shape: ReadonlyArray<number>): Aval => ({ dtype: "f32", shape })
const source = (text: string) => ({ show: () => text })

const int = (value: number): Atom => literal("i32", value)
const programId = (result: Var, axis = 0): Eqn => eqn("programId", { params: { axis }, results: [result] })

/** A row per program: load, reduce, elementwise, store; with positions. */
export const scaledRows = program({
  name: "scaledRows",
  grid: [
    { size: 64, semantics: "parallel" },
    { size: 4, semantics: "sequential" }
  ],
  refs: [ref("x", "in", f32(64, 1000)), ref("alpha", "in", f32(), true), ref("o", "out", f32(64, 1000))],
  body: region({
    refs: [{ name: "sum", dtype: "f32", shape: [1, 1], space: "workgroup" }],
    eqns: [
      programId(v(0, "i32")),
      eqn("load", {
        indices: [v(0, "i32")],
        refs: [use("x", at(range(affine(0, [1, index(0)]), 1), range(affine(0), 1000)))],
        results: [v(1, "f32", [1, 1000])],
        effects: [read("x")],
        source: source("rows.ts:12:5")
      }),
      eqn("load", { refs: [use("alpha")], results: [v(2)], effects: [read("alpha")] }),
      eqn("mul", { operands: [v(1, "f32", [1, 1000]), v(2)], results: [v(3, "f32", [1, 1000])] }),
      eqn("reduceSum", {
        params: { axes: [1], keepDims: true },
        operands: [v(3, "f32", [1, 1000])],
        results: [v(4, "f32", [1, 1])],
        source: source("rows.ts:14:9")
      }),
      eqn("accumulate", { operands: [v(4, "f32", [1, 1])], refs: [use("sum")], effects: [accum("sum")] }),
      eqn("store", {
        operands: [v(3, "f32", [1, 1000])],
        indices: [v(0, "i32")],
        refs: [use("o", at(range(affine(0, [1, index(0)]), 1), range(affine(0), 1000)))],
        effects: [write("o")]
      })
    ]
  })
})

/** Every kind of view: affine forms, strides, gathers, the four transforms, indices that the views do not imply. */
export const views = program({
  name: "views",
  grid: [{ size: 8, semantics: "parallel" }],
  refs: [ref("x", "in", f32(16, 8)), ref("o", "inout", f32(16, 8)), ref("n", "in", { dtype: "i32", shape: [] }, true)],
  body: region({
    eqns: [
      programId(v(0, "i32")),
      eqn("load", { refs: [use("n")], results: [v(1, "i32")], effects: [read("n")] }),
      eqn("iota", { params: { dtype: "i32", shape: [4], axis: 0 }, results: [v(2, "i32", [4])] }),
      eqn("load", {
        indices: [v(0, "i32"), v(1, "i32")],
        refs: [
          use("x", [
            ...at(
              range(affine(1, [4, index(0)], [-1, { _tag: "FloorDiv", of: affine(-3, [2, index(1)]), by: 8 }]), 4, 2),
              range(affine(-2, [-2, { _tag: "Mod", of: affine(0, [1, index(0)]), by: 3 }]), 8)
            ),
            { _tag: "Reshape", shape: [8, 4] },
            { _tag: "Transpose", perm: [1, 0] },
            { _tag: "Bitcast", dtype: "u32" },
            ...at(point(affine(3)), range(affine(0), 8))
          ])
        ],
        results: [v(3, "u32", [8])],
        effects: [read("x")]
      }),
      eqn("load", {
        indices: [v(2, "i32", [4])],
        refs: [use("o", at({ _tag: "Gather", index: 0 }, point(affine(5))))],
        results: [v(4, "f32", [4])],
        effects: [read("o")]
      }),
      eqn("store", {
        operands: [v(4, "f32", [4]), literal("bool", 1)],
        indices: [v(1, "i32"), int(3), v(0, "i32"), v(1, "i32")],
        refs: [use("o", at(point(affine(0, [1, index(2)])), range(affine(0, [1, index(1)], [2, index(3)]), 4)))],
        effects: [write("o")]
      }),
      eqn("full", { params: { shape: [16] }, operands: [literal("f32", 0)], results: [v(5, "f32", [16])] }),
      eqn("viewGet", {
        params: { view: toParam(at(range(affine(0, [1, index(0)]), 4))) },
        operands: [v(5, "f32", [16])],
        indices: [v(0, "i32")],
        results: [v(6, "f32", [4])]
      }),
      eqn("viewPut", {
        params: { view: [] },
        operands: [v(5, "f32", [16]), v(5, "f32", [16])],
        results: [v(7, "f32", [16])]
      })
    ]
  })
})

const isSmall = (id: number, of: Var): Eqn => eqn("lt", { operands: [of, int(10)], results: [v(id, "bool")] })
/** Loops, branches and scopes, one inside the other. */
export const control = program({
  name: "control",
  grid: [],
  refs: [ref("o", "inout", { dtype: "i32", shape: [4] })],
  body: region({
    eqns: [
      eqn("fori", {
        operands: [int(0), int(10), int(7)],
        regions: [
          region({
            params: [v(0, "i32"), v(1, "i32")],
            eqns: [
              isSmall(2, v(1, "i32")),
              eqn("cond", {
                operands: [v(2, "bool")],
                regions: [
                  region({
                    eqns: [
                      eqn("store", {
                        operands: [v(1, "i32")],
                        refs: [use("o", at(point(affine(1))))],
                        effects: [write("o")]
                      })
                    ],
                    results: [v(0, "i32")]
                  }),
                  region({ results: [int(-1)] })
                ],
                results: [v(3, "i32")],
                effects: [write("o")]
              })
            ],
            results: [v(3, "i32")]
          })
        ],
        results: [v(4, "i32")],
        effects: [write("o")],
        source: source("control.ts:3:1")
      }),
      eqn("while", {
        operands: [v(4, "i32")],
        regions: [
          region({ params: [v(5, "i32")], eqns: [isSmall(6, v(5, "i32"))], results: [v(6, "bool")] }),
          region({
            params: [v(7, "i32")],
            eqns: [eqn("add", { operands: [v(7, "i32"), int(1)], results: [v(8, "i32")] })],
            results: [v(8, "i32")]
          })
        ],
        results: [v(9, "i32")]
      }),
      eqn("scoped", {
        regions: [
          region({
            refs: [
              { name: "tmp", dtype: "i32", shape: [4], space: "register" },
              { name: "yield", dtype: "f16", shape: [0], space: "workgroup" }
            ],
            eqns: [
              eqn("store", { operands: [v(9, "i32")], refs: [use("tmp")], effects: [write("tmp")] }),
              eqn("load", { refs: [use("tmp")], results: [v(10, "i32", [4])], effects: [read("tmp")] })
            ],
            results: [v(10, "i32", [4])]
          })
        ],
        results: [v(11, "i32", [4])],
        effects: [memory]
      })
    ]
  })
})

const gelu: InlineDef = {
  name: "gelu",
  grain: "elementwise",
  args: [{ name: "x", kind: "tile", dtype: "f32", shape: null }],
  results: [{ name: "y", dtype: "f32", shape: null }],
  wgsl: 'let a = x * 0.5f; // "half"\nreturn a;',
  source: "gelu.ts:1:1"
}
const block: InlineDef = {
  name: 'a strange name\n"\\',
  grain: "block",
  args: [
    { name: "read", kind: "tile", dtype: "f32", shape: [4] },
    { name: "x", kind: "read", dtype: "f32", shape: null },
    { name: "o", kind: "readwrite", dtype: "f32", shape: [4] },
    { name: "w", kind: "write", dtype: "f32", shape: [4] }
  ],
  results: [{ name: "sum", dtype: "f32", shape: [] }],
  wgsl: "",
  source: null
}
/** Inlines of both grains, with and without a meaning; names that are no identifiers. */
export const inlines = program({
  name: "no identifier",
  refs: [ref("in put", "in", f32(4)), ref("scratch", "inout", f32(4)), ref("ünïcode \u2028", "out", f32(4))],
  body: region({
    eqns: [
      eqn("load", { refs: [use("in put")], results: [v(0, "f32", [4])], effects: [read("in put")] }),
      eqn("inline", {
        params: { inline: "gelu" },
        operands: [v(0, "f32", [4])],
        regions: [
          region({
            params: [v(1, "f32", [4])],
            eqns: [eqn("mul", { operands: [v(1, "f32", [4]), literal("f32", 0.5)], results: [v(2, "f32", [4])] })],
            results: [v(2, "f32", [4])]
          })
        ],
        results: [v(3, "f32", [4])]
      }),
      eqn("inline", {
        params: { inline: block.name },
        operands: [v(3, "f32", [4])],
        refs: [use("in put"), use("scratch"), use("ünïcode \u2028")],
        results: [v(4)],
        effects: [
          { _tag: "Inline", name: block.name },
          read("in put"),
          read("scratch"),
          write("scratch"),
          write("ünïcode \u2028")
        ]
      })
    ]
  }),
  inlines: { gelu, [block.name]: block }
})

/** After discharge of `o` and of the scratch: a parameter and a result for each; `x` is still a ref. */
export const discharged = program({
  name: "discharged",
  refs: [ref("x", "in", f32(4)), ref("o", "out", f32(4))],
  discharged: ["o", "acc"],
  body: region({
    refs: [{ name: "acc", dtype: "f32", shape: [], space: "register" }],
    params: [v(0, "f32", [4]), v(1)],
    eqns: [
      eqn("load", { refs: [use("x")], results: [v(2, "f32", [4])], effects: [read("x")] }),
      eqn("viewPut", {
        params: { view: toParam(at(range(affine(0), 4))) },
        operands: [v(0, "f32", [4]), v(2, "f32", [4])],
        results: [v(3, "f32", [4])]
      })
    ],
    results: [v(3, "f32", [4]), v(1)]
  })
})

const values: { readonly [N in DType.Name]: ReadonlyArray<number> } = {
  f32: [
    0,
    -0,
    1,
    -2.5,
    Math.fround(0.1),
    Math.fround(1 / 3),
    16777216,
    Math.fround(3.4028234663852886e38),
    2 ** -149,
    NaN,
    Infinity,
    -Infinity
  ],
  f16: [0.5, -0, DType.round("f16")(0.1), 65504, 2 ** -24, NaN, -Infinity],
  i32: [0, -1, 2147483647, -2147483648],
  u32: [0, 7, 4294967295],
  bool: [0, 1],
  bf16: [0.5, -0, DType.round("bf16")(0.1), NaN, Infinity],
  i8: [-128, 127],
  u8: [255],
  i4: [-8, 7],
  u4: [15]
}
/** A literal of each kind, and those that are no value of their type, which the text form must carry all the same. */
export const literals: ReadonlyArray<Atom> = [
  ...DType.names.flatMap((dtype) => values[dtype].map((value) => literal(dtype, value))),
  literal("f32", 0.1),
  literal("i32", 2.5),
  literal("i32", -0),
  literal("u32", -1),
  literal("bool", 2),
  { _tag: "Literal", dtype: "f32", shape: [2, 0], value: 1 }
]
/** Literals, parameters of each kind and nesting, effects of each kind; no meaning. */
export const data = program({
  name: "data",
  body: region({
    eqns: [
      eqn("id", { operands: literals }),
      eqn("id", {
        params: {
          text: 'a "quoted"\n\\ line',
          view: "not a view",
          numbers: [0, -0, 1.5e-7, 1e21, NaN, Infinity, -Infinity],
          nested: { list: [[], [[true, false, null]], {}], "no identifier": { yield: 1 } },
          words: ["NaN", "'-0", "Infinity"]
        }
      }),
      eqn("id", {
        effects: [memory, { _tag: "Pipeline" }, accum("a b"), read("r"), { _tag: "Inline", name: "f g" }],
        operands: [v(77, "i32", [3])]
      })
    ],
    results: [v(78, "bool")]
  })
})

/** Programs that `check` accepts. */
export const valid: { readonly [name: string]: Program } = { scaledRows, views, control, inlines, discharged }
export const all: { readonly [name: string]: Program } = { ...valid, data, empty: program({ name: "" }) }

/** A string that is equal for equal programs only: key order and the way in which a position is held do not count. */
export const canonical = (u: unknown): string => {
  if (typeof u === "number") return Object.is(u, -0) ? "-0" : String(u)
  if (typeof u !== "object" || u === null) return typeof u === "string" ? JSON.stringify(u) : String(u)
  if (Array.isArray(u)) return `[${u.map(canonical).join(",")}]`
  if ("show" in u && typeof u.show === "function") return `@${canonical(u.show())}`
  const fields = Object.keys(u).sort()
  return `{${fields.map((k) => `${JSON.stringify(k)}:${canonical((u as { readonly [key: string]: unknown })[k])}`).join(",")}}`
}
