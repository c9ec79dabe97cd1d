/** Expressions of the lowered form as WGSL text. */
import * as E from "../ir/expr.ts"
import { type Expr, type Memory, type Type, typeOf } from "../ir/lowered.ts"
import type { Primitive } from "../ir/primitive.ts"
import type { InlineDef } from "../ir/program.ts"
import type * as DType from "../DType.ts"
import { cast, isAtomic, isPacked, kept, loadName, storeName } from "./packed.ts"
import { intLiteral, literal, opaqueLiteral } from "../primitives/prelude.ts"

export interface Names {
  readonly memory: (name: string) => Memory
  readonly primitive: (name: string) => Primitive
  readonly inline: (name: string) => InlineDef
  readonly inlineFunction: (name: string) => string
}

/** A word of a buffer as a value. */
const fromWord = (word: string, dtype: DType.Name): string =>
  dtype === "bool" ? `(${word} != 0u)` : typeOf(dtype) === "u32" ? word : `bitcast<${typeOf(dtype)}>(${word})`
/** A value as a word of a buffer. */
export const toWord = (value: string, dtype: DType.Name): string =>
  dtype === "bool" ? `select(0u, 1u, ${value})` : typeOf(dtype) === "u32" ? value : `bitcast<u32>(${value})`
/** The WGSL type of a binding's elements. */
export const wordType = (memory: Memory): string => (isAtomic(memory) ? `atomic<${atomicType(memory)}>` : "u32")

/** Name of the function from an element of a memory that has a placement to where it lies. */
export const placeFunctionName = (memory: Memory): string => `ek_at_${memory.name}`
/** Where an element of a memory stands; registers of one element are plain variables. */
export const place = (memory: Memory, index: string): string =>
  memory.space === "register"
    ? memory.length === 1
      ? memory.name
      : `${memory.name}[${index}]`
    : memory.space === "spill"
      ? `ek_spill[ek_share + ${memory.offset === 0 ? "" : `${memory.offset} + `}${index}]`
      : memory.placement === undefined
        ? `${memory.name}[${index}]`
        : `${memory.name}[${placeFunctionName(memory)}(${index})]`
const inWords = (memory: Memory): boolean => memory.space === "storage" || memory.space === "spill" || memory.atomic
/** The WGSL type inside the atomic elements of a memory: signed where `max` and `min` need it to be. */
export const atomicType = (memory: Memory): "i32" | "u32" =>
  memory.dtype === "i32" && memory.space !== "spill" ? "i32" : "u32"

export const loadText = (memory: Memory, index: string): string => {
  if (isPacked(memory)) return `${loadName(memory)}(${index})`
  const at = place(memory, index)
  if (!inWords(memory)) return at
  if (!memory.atomic) return fromWord(at, memory.dtype)
  const word = `atomicLoad(&${at})`
  return atomicType(memory) === memory.dtype ? word : fromWord(word, memory.dtype)
}
export const storeText = (memory: Memory, index: string, given: string): string => {
  if (isPacked(memory)) return `${storeName(memory)}(${index}, ${given});`
  const at = place(memory, index)
  const value = kept(given, memory.dtype)
  if (!inWords(memory)) return `${at} = ${value};`
  if (!memory.atomic) return `${at} = ${toWord(value, memory.dtype)};`
  return `atomicStore(&${at}, ${atomicType(memory) === memory.dtype ? value : toWord(value, memory.dtype)});`
}

const infix: { readonly [op: string]: string } = { add: "+", mul: "*", div: "/", mod: "%" }
const bare = (text: string): string =>
  text.startsWith("(") && text.endsWith(")") && isOne(text) ? text.slice(1, -1) : text
/** Whether the first parenthesis closes at the end. */
const isOne = (text: string): boolean => {
  let depth = 0
  for (let k = 0; k < text.length - 1; k++) {
    if (text[k] === "(") depth++
    if (text[k] === ")" && --depth === 0) return false
  }
  return true
}
/** The text without parentheses around all of it. */
export const unwrap = bare

/** WGSL refuses constants outside, also where a condition keeps them from being looked at. */
export const indexIn = (memory: Memory, e: Expr, text: (e: Expr) => string): string =>
  e._tag === "Const" ? `${Math.min(Math.max(0, e.value), memory.length - 1)}` : unwrap(text(e))

export const makeText = (names: Names): ((e: Expr) => string) => {
  const index = (e: Expr & { readonly _tag: "Index" }): string => {
    if (e.op === "floorDiv" || e.op === "floorMod")
      return `ek_${e.op === "floorDiv" ? "floor_div" : "floor_mod"}(${unwrap(text(e.a))}, ${text(e.b)})`
    if (e.op === "add" && e.b._tag === "Const" && e.b.value < 0 && e.b.value !== -2147483648)
      return `(${text(e.a)} - ${-e.b.value})`
    if (e.op === "add" && e.a._tag === "Index" && e.a.op === "mul" && E.is(e.a.b, -1))
      return `(${text(e.b)} - ${text(e.a.a)})`
    if (e.op === "mul" && E.is(e.b, -1)) return `(-${text(e.a)})`
    return `(${text(e.a)} ${infix[e.op]} ${text(e.b)})`
  }
  const inside = (e: Expr & { readonly _tag: "Inside" }): string => {
    const at = unwrap(text(e.index))
    return e.size === 0 ? "false" : `(u32(${at}) < ${e.size}u)`
  }
  const apply = (e: Expr & { readonly _tag: "Apply" }): string => {
    if (e.primitive === "inline") return inlineCall(e)
    const primitive = names.primitive(e.primitive)
    const rule = primitive.wgsl
    if (rule?._tag !== "Elementwise") throw new Error(`${e.primitive} is no function of scalars`)
    const opaque = rule.opaque === true || e.args.every((a) => a._tag === "Const")
    const args = e.args.map((a) => (a._tag === "Const" ? (opaque ? opaqueLiteral : literal)(a.type, a.value) : text(a)))
    const value = rule.text(args, e.dtype, e.params)
    return e.result === "f16" ? `ek_f16(${unwrap(value)})` : value
  }
  const inlineCall = (e: Expr & { readonly _tag: "Apply" }): string => {
    const name = e.params.inline as string
    const args = e.args.map((a) => (a._tag === "Const" ? literal(a.type, a.value) : unwrap(text(a))))
    const call = `${names.inlineFunction(name)}(${args.join(", ")})`
    const value = e.params.member === undefined ? call : `${call}.${e.params.member as string}`
    return e.result === "f16" ? `ek_f16(${value})` : value
  }
  const constant = (type: Type, value: number): string =>
    type === "i32" && Math.abs(value) < 2 ** 31 ? (value < 0 ? `(${value})` : `${value}`) : literal(type, value)
  const text = (e: Expr): string => {
    switch (e._tag) {
      case "Const":
        return constant(e.type, e.value)
      case "Local":
        return e.name
      case "Index":
        return index(e)
      case "Inside":
        return inside(e)
      case "All":
        return `(${e.of.map(text).join(" && ")})`
      case "Select":
        return `select(${unwrap(selected(e.no))}, ${unwrap(selected(e.yes))}, ${unwrap(text(e.condition))})`
      case "Apply":
        return apply(e)
      case "Load":
        return loadText(names.memory(e.memory), indexIn(names.memory(e.memory), e.index, text))
      case "Bitcast":
        return cast(typeOf(e.from) === typeOf(e.to) ? text(e.of) : unwrap(bits(e.of)), e.from, e.to)
    }
  }
  /** WGSL refuses to look at a constant's bits as a float that is not finite. */
  const bits = (e: Expr): string => (e._tag === "Const" ? opaqueLiteral(e.type, e.value) : text(e))
  /** Both values of a selection need their exact type. */
  const selected = (e: Expr): string => (e._tag === "Const" && e.type === "i32" ? intLiteral("i32", e.value) : text(e))
  return text
}
