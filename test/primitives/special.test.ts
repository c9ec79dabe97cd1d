import { describe, expect, it } from "vitest"
import type * as DType from "../../src/DType.ts"
import { apply, records, use } from "./families.ts"

/** Per primitive, per dtype ("from>to" for conversions): operands = result; and so on. */
type Tables = { readonly [name: string]: { readonly [dtype: string]: string } }
const tables: Tables = {
  add: {
    f32: "16777216 1 = 16777216; inf -inf = nan; 3e+38 3e+38 = inf",
    f16: "2048 1 = 2048; 65504 32 = inf; 1 2 = 3",
    i32: "MAX 1 = MIN",
    u32: "UMAX 2 = 1"
  },
  sub: {
    f32: "inf inf = nan; 1 3 = -2",
    f16: "-65504 32 = -inf",
    i32: "MIN 1 = MAX",
    u32: "0 1 = UMAX"
  },
  mul: {
    f32: "inf 0 = nan; 1e+30 1e+30 = inf; 3 -4 = -12",
    f16: "300 300 = inf; 3 5 = 15",
    i32: "65537 65537 = 131073; MAX MAX = 1",
    u32: "UMAX UMAX = 1; 65537 65537 = 131073"
  },
  div: {
    f32: "1 0 = inf; -1 0 = -inf; 0 0 = nan; inf inf = nan; 41 41 = 1",
    f16: "1 3 = 0.333251953125",
    i32: "7 2 = 3; -7 2 = -3; 5 0 = 5; MIN -1 = MIN; MIN 0 = MIN",
    u32: "UMAX 2 = MAX; 9 0 = 9; UMAX UMAX = 1"
  },
  rem: {
    f32: "7 3 = 1; -7 3 = -1; 7 -3 = 1; 1 0 = nan; inf 2 = nan; 5 inf = 5; 6 3 = 0; nan 1 = nan",
    f16: "7.5 2 = 1.5",
    i32: "-7 3 = -1; 7 -3 = 1; 5 0 = 0; MIN -1 = 0",
    u32: "UMAX 10 = 5; 5 0 = 0"
  },
  neg: {
    f32: "0 = -0; inf = -inf; nan = nan",
    f16: "2 = -2",
    i32: "MIN = MIN; 5 = -5",
    u32: "1 = UMAX; 0 = 0"
  },
  abs: {
    f32: "-inf = inf; nan = nan; -2 = 2",
    f16: "-2 = 2",
    i32: "MIN = MIN; -3 = 3",
    u32: "UMAX = UMAX"
  },
  sign: {
    f32: "nan = nan; -inf = -1; 0 = 0; 2 = 1",
    f16: "-2 = -1",
    i32: "MIN = -1; 0 = 0; 9 = 1",
    u32: "0 = 0; UMAX = 1"
  },
  min: {
    f32: "nan 1 = nan; 1 nan = nan; -inf 1 = -inf",
    f16: "1 2 = 1",
    i32: "-1 1 = -1",
    u32: "1 UMAX = 1"
  },
  max: {
    f32: "nan 1 = nan; 1 nan = nan; -inf 1 = 1",
    f16: "1 2 = 2",
    i32: "-1 1 = 1",
    u32: "1 UMAX = UMAX"
  },
  clamp: {
    f32: "nan 0 1 = nan; 0 nan 1 = nan; 0 0 nan = nan; 5 0 1 = 1; 5 3 1 = 1; inf 0 2 = 2",
    f16: "-5 0 1 = 0",
    i32: "5 3 1 = 1; -5 -2 2 = -2",
    u32: "UMAX 1 9 = 9"
  },
  fma: {
    f32: "2 3 4 = 10; inf 0 1 = nan; 100000000000000000000 100000000000000000000 -inf = nan",
    f16: "2 3 4 = 10; 256 256 -256 = 65280",
    i32: "65537 65537 1 = 131074",
    u32: "UMAX UMAX UMAX = 0"
  },
  exp: {
    f32: "-inf = 0; inf = inf; nan = nan; 0 = 1; 89 = inf; -200 = 0",
    f16: "12 = inf; 0 = 1"
  },
  exp2: {
    f32: "-inf = 0; inf = inf; nan = nan; 10 = 1024; 128 = inf; -1 = 0.5",
    f16: "16 = inf; 3 = 8"
  },
  log: {
    f32: "0 = -inf; -0 = -inf; -1 = nan; inf = inf; -inf = nan; nan = nan; 1 = 0",
    f16: "0 = -inf"
  },
  log2: {
    f32: "0 = -inf; -1 = nan; inf = inf; nan = nan; 8 = 3; 1.1754943508222875e-38 = -126",
    f16: "1024 = 10"
  },
  sqrt: {
    f32: "-0 = -0; -1 = nan; inf = inf; -inf = nan; nan = nan; 9 = 3",
    f16: "4 = 2"
  },
  rsqrt: {
    f32: "0 = inf; -0 = -inf; -1 = nan; inf = 0; nan = nan; 4 = 0.5",
    f16: "4 = 0.5"
  },
  sin: {
    f32: "0 = 0; inf = nan; -inf = nan; nan = nan",
    f16: "0 = 0"
  },
  cos: {
    f32: "0 = 1; inf = nan; nan = nan",
    f16: "0 = 1"
  },
  tan: {
    f32: "0 = 0; inf = nan; nan = nan",
    f16: "0 = 0"
  },
  asin: {
    f32: "1.5 = nan; -1.5 = nan; 1 = π/2; nan = nan; inf = nan",
    f16: "0 = 0"
  },
  acos: {
    f32: "1 = 0; -1 = π; 2 = nan; nan = nan; -inf = nan",
    f16: "1 = 0"
  },
  atan: {
    f32: "inf = π/2; -inf = -π/2; nan = nan; 0 = 0",
    f16: "0 = 0"
  },
  atan2: {
    f32: "0 0 = 0; 0 -0 = π; -0 -0 = -π; 0 -1 = π; 1 0 = π/2; inf inf = π/4; inf -inf = 3π/4; 1 inf = 0; 1 -inf = π; nan 1 = nan; 1 nan = nan",
    f16: "0 1 = 0"
  },
  sinh: {
    f32: "inf = inf; -inf = -inf; nan = nan; 0 = 0; 100 = inf",
    f16: "12 = inf"
  },
  cosh: {
    f32: "inf = inf; -inf = inf; nan = nan; 0 = 1; -100 = inf",
    f16: "12 = inf"
  },
  tanh: {
    f32: "inf = 1; -inf = -1; nan = nan; 0 = 0; 100 = 1; 9.999999717180685e-10 = 9.999999717180685e-10",
    f16: "9 = 1"
  },
  pow: {
    f32: "nan 0 = 1; inf 0 = 1; 0 0 = 1; 1 nan = 1; 1 inf = 1; -1 inf = 1; -1 -inf = 1; nan 1 = nan; 2 nan = nan; 0 -1 = inf; -0 -1 = -inf; -0 -2 = inf; 0 2 = 0; -0 3 = -0; -8 0.3333333333333333 = nan; -2 3 = -8; -2 4 = 16; 0.5 inf = 0; 0.5 -inf = inf; 2 inf = inf; 2 -inf = 0; -inf 3 = -inf; -inf 2 = inf; -inf -3 = -0; inf -1 = 0; -2 inf = inf; 2 128 = inf; 2 -200 = 0",
    f16: "2 16 = inf; -2 3 = -8"
  },
  erf: {
    f32: "inf = 1; -inf = -1; nan = nan; 0 = 0; 5 = 1; -5 = -1; 1 = 0.8427007794380188",
    f16: "0 = 0"
  },
  floor: {
    f32: "-0.5 = -1; 2.7 = 2; inf = inf; nan = nan",
    f16: "-1.5 = -2"
  },
  ceil: {
    f32: "-0.5 = -0; 2.1 = 3; -inf = -inf; nan = nan",
    f16: "-1.5 = -1"
  },
  round: {
    f32: "0.5 = 0; 1.5 = 2; 2.5 = 2; -0.5 = -0; -1.5 = -2; -2.5 = -2; 8388609 = 8388609; 0.49999997 = 0; inf = inf; nan = nan",
    f16: "0.5 = 0; 2.5 = 2"
  },
  trunc: {
    f32: "-1.9 = -1; 1.9 = 1; inf = inf; nan = nan",
    f16: "-1.5 = -1"
  },
  fract: {
    f32: "-0.25 = 0.75; 2.5 = 0.5; inf = nan; nan = nan; 3 = 0",
    f16: "-0.25 = 0.75"
  },
  lt: {
    f32: "1 2 = 1; 2 1 = 0; nan 1 = 0; 1 nan = 0; -0 0 = 0; -inf inf = 1",
    f16: "-2 -1 = 1",
    i32: "-1 0 = 1",
    u32: "UMAX 0 = 0"
  },
  le: {
    f32: "1 1 = 1; nan nan = 0; 0 -0 = 1",
    f16: "-2 -3 = 0",
    i32: "-1 -1 = 1",
    u32: "UMAX 0 = 0"
  },
  gt: {
    f32: "2 1 = 1; nan 1 = 0; inf -inf = 1",
    f16: "1 1 = 0",
    i32: "-1 0 = 0",
    u32: "UMAX 0 = 1"
  },
  ge: {
    f32: "1 1 = 1; nan nan = 0",
    f16: "1 2 = 0",
    i32: "-1 0 = 0",
    u32: "UMAX UMAX = 1"
  },
  eq: {
    f32: "0 -0 = 1; nan nan = 0; inf inf = 1",
    f16: "1 1 = 1",
    i32: "-1 -1 = 1",
    u32: "1 2 = 0",
    bool: "1 1 = 1; 1 0 = 0"
  },
  ne: {
    f32: "0 -0 = 0; nan nan = 1; 1 nan = 1",
    f16: "1 1 = 0",
    i32: "-1 1 = 1",
    u32: "1 2 = 1",
    bool: "1 1 = 0; 1 0 = 1"
  },
  isNaN: {
    f32: "nan = 1; inf = 0; 0 = 0",
    f16: "nan = 1"
  },
  isFinite: {
    f32: "nan = 0; inf = 0; -inf = 0; 3e+38 = 1",
    f16: "65504 = 1"
  },
  select: {
    f32: "1 nan 2 = nan; 0 nan 2 = 2",
    f16: "1 1 2 = 1",
    i32: "0 1 2 = 2",
    u32: "1 UMAX 2 = UMAX",
    bool: "1 0 1 = 0; 0 0 1 = 1"
  },
  and: {
    i32: "-1 6 = 6",
    u32: "UMAX 6 = 6",
    bool: "1 0 = 0; 1 1 = 1"
  },
  or: {
    i32: "-8 1 = -7",
    u32: "2147483648 1 = 2147483649",
    bool: "1 0 = 1; 0 0 = 0"
  },
  xor: {
    i32: "-1 1 = -2",
    u32: "UMAX 1 = 4294967294",
    bool: "1 1 = 0; 1 0 = 1"
  },
  not: {
    i32: "0 = -1",
    u32: "0 = UMAX",
    bool: "0 = 1; 1 = 0"
  },
  shl: {
    i32: "1 31 = MIN; 1 33 = 2; 1 -1 = MIN; 5 32 = 5",
    u32: "1 31 = 2147483648; 3 32 = 3"
  },
  shr: {
    i32: "-8 1 = -4; -1 31 = -1; 8 33 = 4",
    u32: "UMAX 31 = 1; 8 32 = 8"
  },
  convert: {
    "f32>i32": "nan = 0; inf = MAX; -inf = MIN; 2.9 = 2; -2.9 = -2; 2147483648 = MAX; -3000000000 = MIN",
    "f32>u32": "nan = 0; -1 = 0; inf = UMAX; 4294967296 = UMAX; -0.5 = 0; 3000000000 = 3000000000",
    "f32>bool": "0 = 0; -0 = 0; nan = 1; 0.5 = 1",
    "f32>f16":
      "65520 = inf; 65519 = 65504; -1000000000 = -inf; 2.9802322387695312e-8 = 0; 5.960464477539063e-8 = 5.960464477539063e-8; 8.940696716308594e-8 = 1.1920928955078125e-7; nan = nan; 2049 = 2048",
    "f16>f32": "65504 = 65504; -inf = -inf",
    "f16>i32": "-2.5 = -2; inf = MAX",
    "i32>f32": "16777217 = 16777216; 16777219 = 16777220; MIN = MIN; MAX = 2147483648",
    "u32>f32": "UMAX = 4294967296; 16777217 = 16777216; 16777219 = 16777220",
    "i32>f16": "100000 = inf; 2049 = 2048",
    "i32>u32": "-1 = UMAX",
    "u32>i32": "UMAX = -1",
    "i32>bool": "0 = 0; -5 = 1",
    "u32>bool": "0 = 0; UMAX = 1",
    "bool>f32": "1 = 1; 0 = 0",
    "bool>f16": "1 = 1",
    "bool>i32": "1 = 1",
    "bool>u32": "1 = 1"
  },
  bitcast: {
    "f32>u32": "1 = 1065353216; -0 = 2147483648; inf = 2139095040",
    "f32>i32": "-0 = MIN; 2 = 1073741824",
    "u32>f32": "1065353216 = 1; 2147483648 = -0; 2143289344 = nan",
    "i32>f32": "MIN = -0; 1065353216 = 1",
    "i32>u32": "-1 = UMAX",
    "u32>i32": "UMAX = -1"
  }
}

const names: { readonly [name: string]: number } = {
  inf: Infinity,
  nan: NaN,
  MIN: -2147483648,
  MAX: 2147483647,
  UMAX: 4294967295,
  π: Math.fround(Math.PI),
  "π/2": Math.fround(Math.PI / 2),
  "π/4": Math.fround(Math.PI / 4),
  "3π/4": Math.fround((3 * Math.PI) / 4)
}
const number = (text: string): number => (text.startsWith("-") ? -number(text.slice(1)) : (names[text] ?? Number(text)))
const row = (text: string): ReadonlyArray<number> => text.trim().split(/[ =]+/).map(number)

describe("special values on the CPU", () => {
  const cases = Object.entries(tables).flatMap(([name, byDtype]) =>
    Object.entries(byDtype).map(([dtype, rows]) => [name, dtype, rows.split(";").map(row)] as const)
  )
  it.each(cases)("%s of %s gives what the table says", (name, dtype, rows) => {
    const [from, to] = dtype.split(">") as [DType.Name, DType.Name | undefined]
    const subject = use(name, from, to === undefined ? {} : { dtype: to })
    for (const values of rows) {
      const args = values.slice(0, -1)
      const result = apply(subject, ...args)
      expect([...args, result]).toEqual(values)
    }
  })
  it("has rows for every primitive and dtype", () => {
    expect(Object.keys(tables).sort()).toEqual(records.map(({ name }) => name).sort())
    for (const { elementwise, name } of records) {
      if (name === "convert" || name === "bitcast") continue
      expect(Object.keys(tables[name]!)).toEqual(elementwise!.operands.at(-1))
    }
  })
})
