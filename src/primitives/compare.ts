/** Comparisons, tests of floats, and the choice between two values. */
import * as DType from "../DType.ts"
import { type Elementwise, exact } from "../ir/primitive.ts"
import { related, select as selectDefined } from "./defined/elementwise.ts"
import { elementwise } from "./elementwise.ts"
import { floats, numeric } from "./scalar/dtypes.ts"
import { always, byKind, call, infix } from "./scalar/rules.ts"

interface Relation<Dtypes> {
  readonly doc: string
  readonly dtypes: Dtypes
  readonly holds: (a: number, b: number) => boolean
  /** For floats, and for the other dtypes. */
  readonly wgsl: Parameters<typeof byKind>
  readonly values: Elementwise["values"]
}
const common = { result: "bool", accuracy: exact, generate: { weight: 1 } } as const
const comparison = <const Name extends string, const Dtypes extends ReadonlyArray<DType.Compute>>(
  name: Name,
  { doc, dtypes, holds, values, wgsl }: Relation<Dtypes>
) =>
  elementwise(name, "compare", {
    ...common,
    doc,
    values,
    operands: ["same", dtypes],
    scalar: always((a, b) => (holds(a!, b!) ? 1 : 0)),
    defined: related(holds),
    wgsl: byKind(...wgsl)
  })
const test = <const Name extends string>(
  name: Name,
  { doc, holds, values, wgsl }: Omit<Relation<unknown>, "dtypes" | "wgsl"> & { readonly wgsl: string }
) =>
  elementwise(name, "compare", {
    ...common,
    doc,
    values,
    operands: [floats],
    scalar: always((x) => (holds(x!, x!) ? 1 : 0)),
    wgsl: call(wgsl)
  })

export const lt = comparison("lt", {
  doc: "a < b; false with NaN.",
  dtypes: numeric,
  holds: (a, b) => a < b,
  wgsl: [call("ek_lt"), infix("<")],
  values: {
    f32: "1 2 = 1; 2 1 = 0; nan 1 = 0; 1 nan = 0; -0 0 = 0; -inf inf = 1",
    f16: "-2 -1 = 1",
    i32: "-1 0 = 1",
    u32: "UMAX 0 = 0"
  }
})
export const le = comparison("le", {
  doc: "a ≤ b; false with NaN.",
  dtypes: numeric,
  holds: (a, b) => a <= b,
  wgsl: [call("ek_le"), infix("<=")],
  values: { f32: "1 1 = 1; nan nan = 0; 0 -0 = 1", f16: "-2 -3 = 0", i32: "-1 -1 = 1", u32: "UMAX 0 = 0" }
})
export const gt = comparison("gt", {
  doc: "a > b; false with NaN.",
  dtypes: numeric,
  holds: (a, b) => a > b,
  wgsl: [([a, b]) => `ek_lt(${b}, ${a})`, infix(">")],
  values: { f32: "2 1 = 1; nan 1 = 0; inf -inf = 1", f16: "1 1 = 0", i32: "-1 0 = 0", u32: "UMAX 0 = 1" }
})
export const ge = comparison("ge", {
  doc: "a ≥ b; false with NaN.",
  dtypes: numeric,
  holds: (a, b) => a >= b,
  wgsl: [([a, b]) => `ek_le(${b}, ${a})`, infix(">=")],
  values: { f32: "1 1 = 1; nan nan = 0", f16: "1 2 = 0", i32: "-1 0 = 0", u32: "UMAX UMAX = 1" }
})
export const eq = comparison("eq", {
  doc: "a = b; false with NaN.",
  dtypes: DType.computeNames,
  holds: (a, b) => a === b,
  wgsl: [call("ek_eq"), infix("==")],
  values: {
    f32: "0 -0 = 1; nan nan = 0; inf inf = 1",
    f16: "1 1 = 1",
    i32: "-1 -1 = 1",
    u32: "1 2 = 0",
    bool: "1 1 = 1; 1 0 = 0"
  }
})
export const ne = comparison("ne", {
  doc: "a ≠ b; true with NaN.",
  dtypes: DType.computeNames,
  holds: (a, b) => a !== b,
  wgsl: [([a, b]) => `(!ek_eq(${a}, ${b}))`, infix("!=")],
  values: {
    f32: "0 -0 = 0; nan nan = 1; 1 nan = 1",
    f16: "1 1 = 0",
    i32: "-1 1 = 1",
    u32: "1 2 = 1",
    bool: "1 1 = 0; 1 0 = 1"
  }
})
export const isNaN = test("isNaN", {
  doc: "Whether x is NaN.",
  holds: Number.isNaN,
  wgsl: "ek_is_nan",
  values: { f32: "nan = 1; inf = 0; 0 = 0", f16: "nan = 1" }
})
export const isFinite = test("isFinite", {
  doc: "Whether x is neither infinite nor NaN.",
  holds: Number.isFinite,
  wgsl: "ek_is_finite",
  values: { f32: "nan = 0; inf = 0; -inf = 0; 3e+38 = 1", f16: "65504 = 1" }
})

/** `yes` where the tile is true, else `no`. */
export const select = elementwise("select", "compare", {
  doc: "`yes` where the condition holds, else `no`.",
  values: {
    f32: "1 nan 2 = nan; 0 nan 2 = 2",
    f16: "1 1 2 = 1",
    i32: "0 1 2 = 2",
    u32: "1 UMAX 2 = UMAX",
    bool: "1 0 1 = 0; 0 0 1 = 1"
  },
  operands: [["bool"], "same", DType.computeNames],
  result: "same",
  scalar: always((condition, yes, no) => (condition ? yes! : no!)),
  defined: selectDefined,
  wgsl: ([condition, yes, no]) => `select(${no}, ${yes}, ${condition})`,
  accuracy: exact,
  generate: { weight: 3 }
})
