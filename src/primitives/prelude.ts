/** The WGSL helper functions that lowered kernels use, and how numbers are written in WGSL. */
import type { Type } from "../ir/lowered.ts"
import { primitives } from "./index.ts"
import { bits } from "./scalar/wgsl/bits.ts"
import { exponential } from "./scalar/wgsl/exponential.ts"
import { narrow } from "./scalar/wgsl/narrow.ts"
import { integers } from "./scalar/wgsl/integers.ts"
import type { Helpers } from "./scalar/wgsl/text.ts"
import { trigonometric } from "./scalar/wgsl/trigonometric.ts"

const shared: Helpers = { ...bits, ...integers, ...narrow, ...exponential, ...trigonometric }
/** What records bring along. */
const own: ReadonlyArray<Helpers> = primitives.flatMap(({ wgsl }) =>
  wgsl?._tag === "Elementwise" && wgsl.helpers !== undefined ? [wgsl.helpers] : []
)
const helpers: Helpers = Object.assign({}, shared, ...own)
/** Names of all helpers. */
export const helperNames: ReadonlyArray<string> = Object.keys(helpers)

const namesIn = (code: string): ReadonlyArray<string> =>
  (code.match(/\bek_\w+/g) ?? []).filter((name) => Object.hasOwn(helpers, name))

/**
 * The helpers that a piece of WGSL uses, transitively, each after those it uses itself; empty if it uses none.
 *
 * The module has to declare the uniform `ek_params`, whose `zero: u32` is 0.
 */
export const preludeFor = (code: string): string => {
  const texts = new Map<string, string>()
  const add = (name: string): void => {
    if (texts.has(name)) return
    const text = helpers[name]!
    for (const used of namesIn(text)) if (used !== name) add(used)
    texts.set(name, text)
  }
  namesIn(code).forEach(add)
  return [...texts.values()].join("\n")
}

const cell = new DataView(new ArrayBuffer(4))
const bitsOf = (value: number): number => {
  cell.setFloat32(0, value)
  return Number.isNaN(value) ? 0x7fc00000 : cell.getUint32(0)
}
const hex = (word: number): string => `0x${(word >>> 0).toString(16)}u`
const parenthesized = (text: string): string => (text.startsWith("-") ? `(${text})` : text)
const smallestNormal = 2 ** -126

/** A number as a WGSL expression of type f32: a literal, or, where WGSL has none that all drivers keep, run-time bits. */
export const floatLiteral = (value: number): string => {
  const x = Math.fround(value)
  const literal = Number.isFinite(x) && (Math.abs(x) >= smallestNormal || Object.is(x, 0))
  return literal ? parenthesized(`${x}f`) : opaqueLiteral("f32", x)
}
/** A number, wrapped to 32 bits, as a WGSL literal. */
export const intLiteral = (type: "i32" | "u32", value: number): string => {
  if (type === "u32") return `${value >>> 0}u`
  // The digits of the smallest i32 are one too large before the sign applies.
  return (value | 0) === -2147483648 ? "i32(-2147483648)" : parenthesized(`${value | 0}i`)
}
/** A number as a WGSL expression that is a primary expression; bool is 0 or 1. */
export const literal = (type: Type, value: number): string => {
  if (type === "bool") return value ? "true" : "false"
  return type === "f32" ? floatLiteral(value) : intLiteral(type, value)
}
/** The same value, made at run time, so that no compiler can fold it, reject it or replace a division by it. */
export const opaqueLiteral = (type: Type, value: number): string => {
  if (type === "bool") return `(ek_params.zero ${value ? "==" : "!="} 0u)`
  const word = `${hex(type === "f32" ? bitsOf(value) : value)} ^ ek_params.zero`
  return type === "u32" ? `(${word})` : `bitcast<${type}>(${word})`
}
