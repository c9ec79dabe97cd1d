/** The WGSL functions that change an element of atomic memory in one step and give what was there before. */
import * as DType from "../DType.ts"
import { type AtomicOp, type Memory, type Type, typeOf } from "../ir/lowered.ts"
import type { Primitive } from "../ir/primitive.ts"
import { cast, isPacked, kept, repack, shiftOf, unpack, wordOf } from "./packed.ts"
import { atomicType, place, unwrap } from "./text.ts"

/** A step on values of a dtype, which may be another than the memory's. */
export interface Step {
  readonly op: AtomicOp
  readonly memory: Memory
  readonly dtype: DType.Name
}
export const stepName = ({ dtype, memory, op }: Step): string => `ek_${op}_${memory.name}_${dtype}`

const recast = (text: string, from: Type, to: Type): string => (from === to ? text : `bitcast<${to}>(${text})`)

const builtins: { readonly [K in Exclude<AtomicOp, "compareExchange">]: string } = {
  add: "atomicAdd",
  max: "atomicMax",
  min: "atomicMin",
  and: "atomicAnd",
  or: "atomicOr",
  xor: "atomicXor",
  exchange: "atomicExchange"
}
/** Whether WGSL has the step on the words of the memory. */
const isBuiltin = ({ dtype, memory, op }: Step): boolean =>
  !DType.isStorage(memory.dtype) &&
  (op === "exchange" || (op === "max" || op === "min" ? dtype === atomicType(memory) : !DType.isFloat(dtype)))

/** WGSL's exchange may fail where the values are equal, and is tried again then. */
const exchangeIfEqual = (at: string, compared: string, value: string, result: string): string => `  loop {
    let exchange = atomicCompareExchangeWeak(&${at}, ${compared}, ${value});
    if (exchange.exchanged || exchange.old_value != ${compared}) { return ${result}; }
  }`
/** Computes what follows from what was there, until nobody came between. */
const retry = (at: string, next: string, result: string): string => `  var old = atomicLoad(&${at});
  loop {
    let exchange = atomicCompareExchangeWeak(&${at}, old, ${next});
    if (exchange.exchanged) { break; }
    old = exchange.old_value;
  }
  return ${result};`

/** How a step sees the element in the word `old`, and the word that holds the value that it leaves. */
interface InWord {
  readonly before: string
  readonly after: (value: string) => string
}
const inWord = ({ dtype, memory }: Step): InWord => {
  if (isPacked(memory)) {
    const seen = { ...memory, dtype }
    return { before: unpack(seen, "old"), after: (value) => repack(seen, "old", value) }
  }
  const [type, word] = [typeOf(dtype), atomicType(memory)]
  if (!DType.isStorage(memory.dtype))
    return { before: recast("old", word, type), after: (value) => recast(value, type, word) }
  const own = typeOf(memory.dtype)
  return {
    before: cast(recast("old", word, own), memory.dtype, dtype),
    after: (value) => recast(kept(cast(value, dtype, memory.dtype), memory.dtype), own, word)
  }
}

export const stepFunction = (step: Step, primitive: (name: string) => Primitive): string => {
  const { dtype, memory, op } = step
  const type = typeOf(dtype)
  const word = atomicType(memory)
  const at = isPacked(memory) ? wordOf(memory) : place(memory, "index")
  const value = (name: string): string => recast(name, type, word)
  const parameters = op === "compareExchange" ? `compared: ${type}, value: ${type}` : `value: ${type}`
  const body = (): string => {
    if (op === "compareExchange")
      return exchangeIfEqual(at, value("compared"), value("value"), recast("exchange.old_value", word, type))
    if (isBuiltin(step)) return `  return ${recast(`${builtins[op]}(&${at}, ${value("value")})`, word, type)};`
    const rule = primitive(op).wgsl
    if (rule?._tag !== "Elementwise") throw new Error(`${op} is no function of scalars`)
    const { after, before } = inWord(step)
    const sum = rule.text([before, "value"], DType.widened(dtype), {})
    return retry(at, after(dtype === "f16" ? `ek_f16(${unwrap(sum)})` : sum), before)
  }
  const shift = isPacked(memory) ? `  let shift = ${shiftOf(memory)};\n` : ""
  return `fn ${stepName(step)}(index: i32, ${parameters}) -> ${type} {\n${shift}${body()}\n}`
}
