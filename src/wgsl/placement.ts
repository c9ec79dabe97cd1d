/** The WGSL functions from an element's row-major position to where it lies in workgroup memory that is tiled or swizzled. */
import type { Memory } from "../ir/lowered.ts"
import { placed, type WordAlgebra } from "../ir/placement.ts"
import { placeFunctionName, unwrap } from "./text.ts"

/** Arithmetic on `u32` in WGSL: positions have no sign, and what divides is mostly a power of two. */
const words: Omit<WordAlgebra<string>, "share"> = {
  constant: (n) => `${n}u`,
  add: (a, b) => (a === "0u" ? b : b === "0u" ? a : `(${a} + ${b})`),
  mul: (a, n) => (n === 1 || a === "0u" ? a : `(${a} * ${n}u)`),
  div: (a, n) => (n === 1 || a === "0u" ? a : `(${a} / ${n}u)`),
  mod: (a, n) => (n === 1 || a === "0u" ? "0u" : `(${a} % ${n}u)`),
  xor: (a, b) => `(${a} ^ ${b})`
}

/** The function of a memory that has a placement. Every access goes through it, so an element stays an element's own cell. */
export const placeFunction = (memory: Memory): string => {
  const { shape, ...placement } = memory.placement!
  const lines = ["let i = u32(index);"]
  const share = (word: string): string => {
    if (word === "i") return word
    lines.push(`let word = ${unwrap(word)};`)
    return "word"
  }
  const at = placed({ ...words, share }, shape, placement, "i")
  lines.push(`return i32(${unwrap(at)});`)
  return `fn ${placeFunctionName(memory)}(index: i32) -> i32 {\n${lines.map((l) => `  ${l}`).join("\n")}\n}`
}
