/** Logic on the bits of integers and on truth values; shifts. */
import { exact } from "../ir/primitive.ts"
import { absorbed, settledBy } from "./defined/elementwise.ts"
import { elementwise } from "./elementwise.ts"
import { bitwise, words } from "./scalar/dtypes.ts"
import { shiftRight } from "./scalar/integer.ts"
import { always, infix } from "./scalar/rules.ts"

const binary = {
  operands: ["same", bitwise],
  result: "same",
  accuracy: exact,
  generate: { weight: 1 }
} as const
const shift = { ...binary, operands: ["same", words], opaque: true } as const
const amount = (b: string, dtype: string): string => `(${dtype === "u32" ? b : `bitcast<u32>(${b})`} & 31u)`

export const and = elementwise("and", "arithmetic", {
  ...binary,
  doc: "a and b, bit by bit.",
  values: { i32: "-1 6 = 6", u32: "UMAX 6 = 6", bool: "1 0 = 0; 1 1 = 1" },
  scalar: always((a, b) => a! & b!),
  defined: absorbed("and"),
  wgsl: infix("&")
})
export const or = elementwise("or", "arithmetic", {
  ...binary,
  doc: "a or b, bit by bit.",
  values: { i32: "-8 1 = -7", u32: "2147483648 1 = 2147483649", bool: "1 0 = 1; 0 0 = 0" },
  scalar: always((a, b) => a! | b!),
  defined: absorbed("or"),
  wgsl: infix("|")
})
export const xor = elementwise("xor", "arithmetic", {
  ...binary,
  doc: "Either a or b, bit by bit.",
  values: { i32: "-1 1 = -2", u32: "UMAX 1 = 4294967294", bool: "1 1 = 0; 1 0 = 1" },
  scalar: always((a, b) => a! ^ b!),
  wgsl: ([a, b], dtype) => (dtype === "bool" ? `(${a} != ${b})` : `(${a} ^ ${b})`)
})
export const not = elementwise("not", "arithmetic", {
  ...binary,
  doc: "The complement of each bit, or of the truth value.",
  values: { i32: "0 = -1", u32: "0 = UMAX", bool: "0 = 1; 1 = 0" },
  operands: [bitwise],
  scalar: (dtype) => (dtype === "bool" ? (x) => 1 - x! : (x) => ~x!),
  wgsl: ([x], dtype) => (dtype === "bool" ? `(!${x})` : `(~${x})`)
})
/** Shift amounts are taken modulo 32. */
export const shl = elementwise("shl", "arithmetic", {
  ...shift,
  doc: "a shifted left by b modulo 32.",
  values: { i32: "1 31 = MIN; 1 33 = 2; 1 -1 = MIN; 5 32 = 5", u32: "1 31 = 2147483648; 3 32 = 3" },
  scalar: always((a, b) => a! << b!),
  defined: settledBy(() => [[0], []]),
  wgsl: ([a, b], dtype) => `(${a} << ${amount(b!, dtype)})`
})
/** Arithmetic for i32, logical for u32; shift amounts are taken modulo 32. */
export const shr = elementwise("shr", "arithmetic", {
  ...shift,
  doc: "a shifted right by b modulo 32; keeps the sign of i32.",
  values: { i32: "-8 1 = -4; -1 31 = -1; 8 33 = 4", u32: "UMAX 31 = 1; 8 32 = 8" },
  scalar: (dtype) => {
    const f = shiftRight(dtype === "u32" ? "u32" : "i32")
    return (a, b) => f(a!, b!)
  },
  defined: settledBy((dtype) => [dtype === "i32" ? [0, -1] : [0], []]),
  wgsl: ([a, b], dtype) => `(${a} >> ${amount(b!, dtype)})`
})
