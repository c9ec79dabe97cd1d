/** Logic on the bits of integers and on truth values; shifts. */
import { exact } from "../ir/primitive.ts"
import { elementwise } from "./elementwise.ts"
import { bitwise, words } from "./scalar/dtypes.ts"
import { shiftRight } from "./scalar/integer.ts"
import { always, infix } from "./scalar/rules.ts"

const binary = {
  arity: 2,
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
  scalar: always((a, b) => a! & b!),
  wgsl: infix("&")
})
export const or = elementwise("or", "arithmetic", {
  ...binary,
  doc: "a or b, bit by bit.",
  scalar: always((a, b) => a! | b!),
  wgsl: infix("|")
})
export const xor = elementwise("xor", "arithmetic", {
  ...binary,
  doc: "Either a or b, bit by bit.",
  scalar: always((a, b) => a! ^ b!),
  wgsl: ([a, b], dtype) => (dtype === "bool" ? `(${a} != ${b})` : `(${a} ^ ${b})`)
})
export const not = elementwise("not", "arithmetic", {
  ...binary,
  doc: "The complement of each bit, or of the truth value.",
  arity: 1,
  operands: [bitwise],
  scalar: (dtype) => (dtype === "bool" ? (x) => 1 - x! : (x) => ~x!),
  wgsl: ([x], dtype) => (dtype === "bool" ? `(!${x})` : `(~${x})`)
})
export const shl = elementwise("shl", "arithmetic", {
  ...shift,
  doc: "a shifted left by b modulo 32.",
  scalar: always((a, b) => a! << b!),
  wgsl: ([a, b], dtype) => `(${a} << ${amount(b!, dtype)})`
})
export const shr = elementwise("shr", "arithmetic", {
  ...shift,
  doc: "a shifted right by b modulo 32; keeps the sign of i32.",
  scalar: (dtype) => {
    const f = shiftRight(dtype === "u32" ? "u32" : "i32")
    return (a, b) => f(a!, b!)
  },
  wgsl: ([a, b], dtype) => `(${a} >> ${amount(b!, dtype)})`
})
