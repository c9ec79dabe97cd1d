/** Conversions between element types: as numbers, as WGSL, and of whole storages bit by bit. */
import * as DType from "../../DType.ts"
import type { Data } from "../../ir/array.ts"
import type { Param } from "../../ir/program.ts"
import { TypingError } from "../../ir/typing.ts"
import { type Type, typeOf } from "../../ir/lowered.ts"
import { saturate } from "./integer.ts"

/** The element type that the parameter `dtype` names, if it is among those allowed. */
export const target = (dtype: Param | undefined, allowed: ReadonlyArray<DType.Name>): DType.Name => {
  const found = allowed.find((name) => name === dtype)
  if (found === undefined)
    throw new TypingError(`there is no result of type ${String(dtype)}`, `use ${allowed.join(", ")}`)
  return found
}

/** The value in the other element type; the driver wraps integers and rounds floats. */
export const convertScalar = (from: DType.Name, to: DType.Name): ((x: number) => number) => {
  if (to === "bool") return (x) => (x !== 0 ? 1 : 0)
  return DType.isFloat(from) && DType.isInteger(to) ? saturate(to) : (x) => x
}

const zero: { readonly [T in Type]: string } = { f32: "0f", i32: "0i", u32: "0u", bool: "false" }
const one: { readonly [T in Type]: string } = { f32: "1f", i32: "1i", u32: "1u", bool: "true" }
/** The same in WGSL, where f16 is f32 that the driver rounds. */
export const convertText = (x: string, from: DType.Name, to: DType.Name): string => {
  const [a, b] = [typeOf(from), typeOf(to)]
  if (a === b) return x
  if (a === "bool") return `select(${zero[b]}, ${one[b]}, ${x})`
  if (a === "f32" || b === "f32") return `ek_${a}_to_${b}(${x})`
  return b === "bool" ? `(${x} != ${zero[a]})` : `bitcast<${b}>(${x})`
}

const views: { readonly [N in DType.Name]?: (buffer: ArrayBufferLike, offset: number, length: number) => Data } = {
  f32: (buffer, offset, length) => new Float32Array(buffer, offset, length),
  i32: (buffer, offset, length) => new Int32Array(buffer, offset, length),
  u32: (buffer, offset, length) => new Uint32Array(buffer, offset, length)
}
/** A copy of a storage, its 32-bit words read as another element type: payloads of NaNs survive. */
export const reinterpret = (data: Data, to: DType.Name): Data => {
  const copy = data.slice()
  return views[to]!(copy.buffer, copy.byteOffset, copy.length)
}
/** One number, its bits read as another element type. */
export const bitcastScalar = (from: DType.Name, to: DType.Name): ((x: number) => number) => {
  const words = new ArrayBuffer(4)
  const [input, output] = [views[from]!(words, 0, 1), views[to]!(words, 0, 1)]
  return (x) => {
    input[0] = x
    return output[0]!
  }
}
