/**
 * Elements that share a word of a binding: the WGSL functions that load, store and add to one and leave its neighbours alone.
 *
 * Whoever writes a word may share it with other invocations and program instances. So words that are written are atomic, and
 * only the bits of the element are cleared and set.
 */
import * as DType from "../DType.ts"
import { type Memory, perWord, typeOf } from "../ir/lowered.ts"

/** Whether elements share words. */
export const isPacked = (memory: Memory): boolean => perWord(memory) > 1
/** Whether the words, or elements, of a memory are changed by atomic steps. */
export const isAtomic = (memory: Memory): boolean => memory.atomic || (memory.writable && isPacked(memory))

export const loadName = (memory: Memory): string => `ek_load_${memory.name}`
export const storeName = (memory: Memory): string => `ek_store_${memory.name}`

/** A value as memory of that dtype keeps it. */
export const kept = (value: string, dtype: DType.Name): string =>
  DType.isStorage(dtype) ? `ek_${dtype}(${value})` : value
/** The same bits as another dtype. */
export const cast = (value: string, from: DType.Name, to: DType.Name): string =>
  from === to ? value : kept(typeOf(from) === typeOf(to) ? value : `bitcast<${typeOf(to)}>(${value})`, to)

const bitsOf = (memory: Memory): number => 32 / perWord(memory)
const ones = (memory: Memory): string => `0x${(2 ** bitsOf(memory) - 1).toString(16)}u`
/** Where element `index` lies: the word, and how far up in it. */
export const wordOf = (memory: Memory): string => `${memory.name}[index >> ${Math.log2(perWord(memory))}u]`
export const shiftOf = (memory: Memory): string =>
  `(bitcast<u32>(index) & ${perWord(memory) - 1}u) << ${Math.log2(bitsOf(memory))}u`

/** The value of the element at `shift` of a word, of the dtype that the memory is seen as. */
export const unpack = (memory: Memory, word: string): string => {
  const low = `${word} >> shift`
  const up = 32 - bitsOf(memory)
  switch (memory.dtype) {
    case "f16":
      return `ek_from_f16(${low})`
    case "bf16":
      return `bitcast<f32>((${low}) << ${up}u)`
    case "i8":
    case "i4":
      return `(bitcast<i32>((${low}) << ${up}u) >> ${up}u)`
    default:
      return `((${low}) & ${ones(memory)})`
  }
}
/** The bits of a value, at `shift` of a word. */
const pack = (memory: Memory, value: string): string => {
  const { dtype } = memory
  if (dtype === "f16" || dtype === "bf16") return `(ek_to_${dtype}(${value}) << shift)`
  return `((${typeOf(dtype) === "u32" ? value : `bitcast<u32>(${value})`} & ${ones(memory)}) << shift)`
}
/** The word with the element at `shift` replaced. */
export const repack = (memory: Memory, word: string, value: string): string =>
  `(${word} & ~(${ones(memory)} << shift)) | ${pack(memory, value)}`

const loadFunction = (memory: Memory): string => {
  const word = isAtomic(memory) ? `atomicLoad(&${wordOf(memory)})` : wordOf(memory)
  return `fn ${loadName(memory)}(index: i32) -> ${typeOf(memory.dtype)} {
  let shift = ${shiftOf(memory)};
  return ${unpack(memory, word)};
}`
}
const storeFunction = (memory: Memory): string => `fn ${storeName(memory)}(index: i32, value: ${typeOf(memory.dtype)}) {
  let shift = ${shiftOf(memory)};
  let bits = ${pack(memory, "value")};
  atomicAnd(&${wordOf(memory)}, ~(${ones(memory)} << shift));
  atomicOr(&${wordOf(memory)}, bits);
}`

/** The functions of packed memories that a piece of WGSL calls. */
export const packedFunctions = (memories: ReadonlyArray<Memory>, code: string): ReadonlyArray<string> =>
  memories
    .filter(isPacked)
    .flatMap((memory) => [
      ...(code.includes(`${loadName(memory)}(`) ? [loadFunction(memory)] : []),
      ...(code.includes(`${storeName(memory)}(`) ? [storeFunction(memory)] : [])
    ])
