/** Arithmetic on f32, f16, i32 and u32; integers as WGSL has them. */
import { exact, rounded } from "../ir/primitive.ts"
import { elementwise } from "./elementwise.ts"
import { ulp } from "./scalar/float.ts"
import { ulps } from "./scalar/accuracy.ts"
import { numeric } from "./scalar/dtypes.ts"
import { divide, remainder } from "./scalar/integer.ts"
import { always, byKind, call, floatOrInteger, infix } from "./scalar/rules.ts"

const unary = { arity: 1, operands: [numeric], result: "same" } as const
const binary = { arity: 2, operands: ["same", numeric], result: "same" } as const
const ternary = { arity: 3, operands: ["same", "same", numeric], result: "same" } as const

export const add = elementwise("add", "arithmetic", {
  ...binary,
  doc: "a + b; integers wrap around.",
  scalar: always((a, b) => a! + b!),
  wgsl: infix("+"),
  accuracy: rounded,
  generate: { weight: 4 }
})
export const sub = elementwise("sub", "arithmetic", {
  ...binary,
  doc: "a - b; integers wrap around.",
  scalar: always((a, b) => a! - b!),
  wgsl: infix("-"),
  accuracy: rounded,
  generate: { weight: 4 }
})
export const mul = elementwise("mul", "arithmetic", {
  ...binary,
  doc: "a × b; integers wrap around.",
  scalar: floatOrInteger(
    (a, b) => a! * b!,
    (a, b) => Math.imul(a!, b!)
  ),
  wgsl: infix("*"),
  accuracy: rounded,
  generate: { weight: 4 }
})
export const div = elementwise("div", "arithmetic", {
  ...binary,
  doc: "a / b; integers truncate, x / 0 = x and MIN / -1 = MIN.",
  scalar: floatOrInteger(
    (a, b) => a! / b!,
    (a, b) => divide(a!, b!)
  ),
  wgsl: infix("/"),
  opaque: true,
  accuracy: ulps(2.5, "WGSL, for divisors of magnitude in [2^-126, 2^126]"),
  generate: { weight: 2 }
})
export const rem = elementwise("rem", "arithmetic", {
  ...binary,
  doc: "Remainder of the truncated quotient, with the sign of a; x % 0 is NaN for floats, 0 for integers.",
  scalar: floatOrInteger(
    (a, b) => a! % b!,
    (a, b) => remainder(a!, b!)
  ),
  wgsl: byKind(call("ek_rem"), infix("%")),
  opaque: true,
  accuracy: rounded,
  generate: { weight: 1 }
})
export const neg = elementwise("neg", "arithmetic", {
  ...unary,
  doc: "-x; integers wrap around, so u32 gives 2^32 - x.",
  scalar: always((x) => -x!),
  wgsl: ([x], dtype) => (dtype === "u32" ? `(0u - ${x})` : `(-${x})`),
  accuracy: rounded,
  generate: { weight: 2 }
})
export const abs = elementwise("abs", "arithmetic", {
  ...unary,
  doc: "Magnitude; the smallest i32 stays itself.",
  scalar: always((x) => Math.abs(x!)),
  wgsl: call("abs"),
  accuracy: rounded,
  generate: { weight: 2 }
})
export const sign = elementwise("sign", "arithmetic", {
  ...unary,
  doc: "-1, 0 or 1; NaN of NaN.",
  scalar: always((x) => Math.sign(x!)),
  wgsl: ([x], dtype) => (dtype === "u32" ? `min(${x}, 1u)` : dtype === "i32" ? `ek_sign_i32(${x})` : `ek_sign(${x})`),
  accuracy: exact,
  generate: { weight: 1 }
})
export const min = elementwise("min", "arithmetic", {
  ...binary,
  doc: "The smaller operand; NaN if either is NaN.",
  scalar: always((a, b) => Math.min(a!, b!)),
  wgsl: byKind(call("ek_min"), call("min")),
  accuracy: rounded,
  generate: { weight: 2 }
})
export const max = elementwise("max", "arithmetic", {
  ...binary,
  doc: "The larger operand; NaN if either is NaN.",
  scalar: always((a, b) => Math.max(a!, b!)),
  wgsl: byKind(call("ek_max"), call("max")),
  accuracy: rounded,
  generate: { weight: 2 }
})
export const clamp = elementwise("clamp", "arithmetic", {
  ...ternary,
  doc: "min(max(x, lo), hi), also where lo > hi; NaN if any operand is NaN.",
  scalar: always((x, lo, hi) => Math.min(Math.max(x!, lo!), hi!)),
  wgsl: byKind(
    ([x, lo, hi]) => `ek_min(ek_max(${x}, ${lo}), ${hi})`,
    ([x, lo, hi]) => `min(max(${x}, ${lo}), ${hi})`
  ),
  accuracy: rounded,
  generate: { weight: 1 }
})
export const fma = elementwise("fma", "arithmetic", {
  ...ternary,
  doc: "a × b + c; for floats the product may or may not be rounded before the sum.",
  scalar: floatOrInteger(
    (a, b, c) => Math.fround(a! * b!) + c!,
    (a, b, c) => Math.imul(a!, b!) + c!
  ),
  wgsl: ([a, b, c]) => `(${a} * ${b} + ${c})`,
  accuracy: {
    _tag: "Bounded",
    spec: "one ULP of the product and one of the result: WGSL leaves fusion open, and either neighbour",
    bound: ([a, b], result) => ulp(a! * b!) + ulp(result) + 2 ** -126
  },
  generate: { weight: 1 }
})
