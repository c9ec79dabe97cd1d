/** Comparisons, tests of floats, and the choice between two values. */
import * as DType from "../DType.ts"
import { exact, type Primitive } from "../ir/primitive.ts"
import { elementwise } from "./elementwise.ts"
import { floats, numeric } from "./scalar/dtypes.ts"
import { always, byKind, call, infix } from "./scalar/rules.ts"

const comparison = <const Name extends string>(
  name: Name,
  doc: string,
  dtypes: ReadonlyArray<DType.Name>,
  holds: (a: number, b: number) => boolean,
  wgsl: Parameters<typeof byKind>
): Primitive<Name> =>
  elementwise(name, "compare", {
    doc,
    arity: 2,
    operands: ["same", dtypes],
    result: "bool",
    scalar: always((a, b) => (holds(a!, b!) ? 1 : 0)),
    wgsl: byKind(...wgsl),
    accuracy: exact,
    generate: { weight: 1 }
  })
const test = <const Name extends string>(name: Name, doc: string, holds: (x: number) => boolean, wgsl: string) =>
  elementwise(name, "compare", {
    doc,
    arity: 1,
    operands: [floats],
    result: "bool",
    scalar: always((x) => (holds(x!) ? 1 : 0)),
    wgsl: call(wgsl),
    accuracy: exact,
    generate: { weight: 1 }
  })

export const lt = comparison("lt", "a < b; false with NaN.", numeric, (a, b) => a < b, [call("ek_lt"), infix("<")])
export const le = comparison("le", "a ≤ b; false with NaN.", numeric, (a, b) => a <= b, [call("ek_le"), infix("<=")])
export const gt = comparison("gt", "a > b; false with NaN.", numeric, (a, b) => a > b, [
  ([a, b]) => `ek_lt(${b}, ${a})`,
  infix(">")
])
export const ge = comparison("ge", "a ≥ b; false with NaN.", numeric, (a, b) => a >= b, [
  ([a, b]) => `ek_le(${b}, ${a})`,
  infix(">=")
])
export const eq = comparison("eq", "a = b; false with NaN.", DType.computeNames, (a, b) => a === b, [
  call("ek_eq"),
  infix("==")
])
export const ne = comparison("ne", "a ≠ b; true with NaN.", DType.computeNames, (a, b) => a !== b, [
  ([a, b]) => `(!ek_eq(${a}, ${b}))`,
  infix("!=")
])
export const isNaN = test("isNaN", "Whether x is NaN.", Number.isNaN, "ek_is_nan")
export const isFinite = test("isFinite", "Whether x is neither infinite nor NaN.", Number.isFinite, "ek_is_finite")

export const select = elementwise("select", "compare", {
  doc: "`yes` where the condition holds, else `no`.",
  arity: 3,
  operands: [["bool"], "same", DType.computeNames],
  result: "same",
  scalar: always((condition, yes, no) => (condition ? yes! : no!)),
  wgsl: ([condition, yes, no]) => `select(${no}, ${yes}, ${condition})`,
  accuracy: exact,
  generate: { weight: 3 }
})
