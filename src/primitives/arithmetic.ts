/** Arithmetic on f32, f16, i32 and u32; integers as WGSL has them. */
import { isInteger } from "../DType.ts"
import { exact, rounded } from "../ir/primitive.ts"
import { absorbed, clamp as clampDefined, multiplyAdd, settledBy } from "./defined/elementwise.ts"
import { elementwise } from "./elementwise.ts"
import { ulp } from "./scalar/float.ts"
import { ulps } from "./scalar/accuracy.ts"
import { numeric } from "./scalar/dtypes.ts"
import { divide, remainder } from "./scalar/integer.ts"
import { always, byKind, call, floatOrInteger, infix } from "./scalar/rules.ts"

const unary = { operands: [numeric], result: "same" } as const
const binary = { operands: ["same", numeric], result: "same" } as const
const ternary = { operands: ["same", "same", numeric], result: "same" } as const

export const add = elementwise("add", "arithmetic", {
  ...binary,
  doc: "a + b; integers wrap around.",
  values: {
    f32: "1 2 = 3; 16777216 1 = 16777216; inf -inf = nan; 3e+38 3e+38 = inf",
    f16: "2048 1 = 2048; 65504 32 = inf; 1 2 = 3",
    i32: "MAX 1 = MIN",
    u32: "UMAX 2 = 1"
  },
  scalar: always((a, b) => a! + b!),
  wgsl: infix("+"),
  accuracy: rounded,
  generate: { weight: 4 }
})
export const sub = elementwise("sub", "arithmetic", {
  ...binary,
  doc: "a - b; integers wrap around.",
  values: { f32: "inf inf = nan; 1 3 = -2", f16: "-65504 32 = -inf", i32: "MIN 1 = MAX", u32: "0 1 = UMAX" },
  scalar: always((a, b) => a! - b!),
  wgsl: infix("-"),
  accuracy: rounded,
  generate: { weight: 4 }
})
export const mul = elementwise("mul", "arithmetic", {
  ...binary,
  doc: "a × b; integers wrap around.",
  values: {
    f32: "inf 0 = nan; 1e+30 1e+30 = inf; 3 -4 = -12",
    f16: "300 300 = inf; 3 5 = 15",
    i32: "65537 65537 = 131073; MAX MAX = 1",
    u32: "UMAX UMAX = 1; 65537 65537 = 131073"
  },
  scalar: floatOrInteger(
    (a, b) => a! * b!,
    (a, b) => Math.imul(a!, b!)
  ),
  defined: absorbed("mul"),
  wgsl: infix("*"),
  accuracy: rounded,
  generate: { weight: 4 }
})
/** Integers: x / 0 = x, MIN / -1 = MIN. */
export const div = elementwise("div", "arithmetic", {
  ...binary,
  doc: "a / b; integers truncate, x / 0 = x and MIN / -1 = MIN.",
  values: {
    f32: "1 4 = 0.25; 1 0 = inf; -1 0 = -inf; 0 0 = nan; inf inf = nan; 41 41 = 1",
    f16: "1 3 = 0.333251953125",
    i32: "7 2 = 3; -7 2 = -3; 5 0 = 5; MIN -1 = MIN; MIN 0 = MIN",
    u32: "UMAX 2 = MAX; 9 0 = 9; UMAX UMAX = 1"
  },
  scalar: floatOrInteger(
    (a, b) => a! / b!,
    (a, b) => divide(a!, b!)
  ),
  defined: settledBy((dtype) => [isInteger(dtype) ? [0] : [], []]),
  wgsl: infix("/"),
  opaque: true,
  accuracy: ulps(2.5, "WGSL, for divisors of magnitude in [2^-126, 2^126]"),
  generate: { weight: 2 }
})
/** Sign of the dividend; integers: x % 0 = 0. */
export const rem = elementwise("rem", "arithmetic", {
  ...binary,
  doc: "Remainder of the truncated quotient, with the sign of a; x % 0 is NaN for floats, 0 for integers.",
  values: {
    f32: "7 3 = 1; -7 3 = -1; 7 -3 = 1; 1 0 = nan; inf 2 = nan; 5 inf = 5; 6 3 = 0; nan 1 = nan",
    f16: "7.5 2 = 1.5",
    i32: "-7 3 = -1; 7 -3 = 1; 5 0 = 0; MIN -1 = 0",
    u32: "UMAX 10 = 5; 5 0 = 0"
  },
  scalar: floatOrInteger(
    (a, b) => a! % b!,
    (a, b) => remainder(a!, b!)
  ),
  defined: settledBy((dtype) => (isInteger(dtype) ? [[0], [0, 1, -1]] : [[], []])),
  wgsl: byKind(call("ek_rem"), infix("%")),
  opaque: true,
  accuracy: rounded,
  generate: { weight: 1 }
})
export const neg = elementwise("neg", "arithmetic", {
  ...unary,
  doc: "-x; integers wrap around, so u32 gives 2^32 - x.",
  values: {
    f32: "1.5 = -1.5; 0 = -0; inf = -inf; nan = nan",
    f16: "2 = -2",
    i32: "MIN = MIN; 5 = -5",
    u32: "1 = UMAX; 0 = 0"
  },
  scalar: always((x) => -x!),
  wgsl: ([x], dtype) => (dtype === "u32" ? `(0u - ${x})` : `(-${x})`),
  accuracy: rounded,
  generate: { weight: 2 }
})
export const abs = elementwise("abs", "arithmetic", {
  ...unary,
  doc: "Magnitude; the smallest i32 stays itself.",
  values: { f32: "-inf = inf; nan = nan; -2 = 2", f16: "-2 = 2", i32: "MIN = MIN; -3 = 3", u32: "UMAX = UMAX" },
  scalar: always((x) => Math.abs(x!)),
  wgsl: call("abs"),
  accuracy: rounded,
  generate: { weight: 2 }
})
export const sign = elementwise("sign", "arithmetic", {
  ...unary,
  doc: "-1, 0 or 1; NaN of NaN.",
  values: {
    f32: "nan = nan; -inf = -1; 0 = 0; 2 = 1",
    f16: "-2 = -1",
    i32: "MIN = -1; 0 = 0; 9 = 1",
    u32: "0 = 0; UMAX = 1"
  },
  scalar: always((x) => Math.sign(x!)),
  wgsl: ([x], dtype) => (dtype === "u32" ? `min(${x}, 1u)` : dtype === "i32" ? `ek_sign_i32(${x})` : `ek_sign(${x})`),
  accuracy: exact,
  generate: { weight: 1 }
})
/** NaN if either is. */
export const min = elementwise("min", "arithmetic", {
  ...binary,
  doc: "The smaller operand; NaN if either is NaN.",
  values: {
    f32: "1 2 = 1; nan 1 = nan; 1 nan = nan; -inf 1 = -inf",
    f16: "1 2 = 1",
    i32: "-1 1 = -1",
    u32: "1 UMAX = 1"
  },
  scalar: always((a, b) => Math.min(a!, b!)),
  defined: absorbed("min"),
  wgsl: byKind(call("ek_min"), call("min")),
  accuracy: rounded,
  generate: { weight: 2 }
})
/** NaN if either is. */
export const max = elementwise("max", "arithmetic", {
  ...binary,
  doc: "The larger operand; NaN if either is NaN.",
  values: {
    f32: "1 2 = 2; nan 1 = nan; 1 nan = nan; -inf 1 = 1",
    f16: "1 2 = 2",
    i32: "-1 1 = 1",
    u32: "1 UMAX = UMAX"
  },
  scalar: always((a, b) => Math.max(a!, b!)),
  defined: absorbed("max"),
  wgsl: byKind(call("ek_max"), call("max")),
  accuracy: rounded,
  generate: { weight: 2 }
})
/** Between a lower and an upper bound; NaN if any is. */
export const clamp = elementwise("clamp", "arithmetic", {
  ...ternary,
  doc: "min(max(x, lo), hi), also where lo > hi; NaN if any operand is NaN.",
  values: {
    f32: "5 0 1 = 1; nan 0 1 = nan; 0 nan 1 = nan; 0 0 nan = nan; 5 3 1 = 1; inf 0 2 = 2",
    f16: "-5 0 1 = 0",
    i32: "5 3 1 = 1; -5 -2 2 = -2",
    u32: "UMAX 1 9 = 9"
  },
  scalar: always((x, lo, hi) => Math.min(Math.max(x!, lo!), hi!)),
  defined: clampDefined,
  wgsl: byKind(
    ([x, lo, hi]) => `ek_min(ek_max(${x}, ${lo}), ${hi})`,
    ([x, lo, hi]) => `min(max(${x}, ${lo}), ${hi})`
  ),
  accuracy: rounded,
  generate: { weight: 1 }
})
/** `this * second + third`. */
export const fma = elementwise("fma", "arithmetic", {
  ...ternary,
  doc: "a × b + c; for floats the product may or may not be rounded before the sum.",
  values: {
    f32: "2 3 4 = 10; inf 0 1 = nan; 100000000000000000000 100000000000000000000 -inf = nan",
    f16: "2 3 4 = 10; 256 256 -256 = 65280",
    i32: "65537 65537 1 = 131074",
    u32: "UMAX UMAX UMAX = 0"
  },
  scalar: floatOrInteger(
    (a, b, c) => Math.fround(a! * b!) + c!,
    (a, b, c) => Math.imul(a!, b!) + c!
  ),
  defined: multiplyAdd,
  wgsl: ([a, b, c]) => `(${a} * ${b} + ${c})`,
  accuracy: {
    _tag: "Bounded",
    spec: "one ULP of the product and one of the result: WGSL leaves fusion open, and either neighbour",
    bound: ([a, b], result) => ulp(a! * b!) + ulp(result) + 2 ** -126
  },
  generate: { weight: 1 }
})
