/** The WGSL functions that change an element of atomic memory in one step and give what was there before. */
import * as DType from "../DType.ts"
import { type AtomicOp, type Memory, type Type, typeOf } from "../ir/lowered.ts"
import type { Primitive } from "../ir/primitive.ts"
import { atomicType, place, unwrap } from "./text.ts"

/** A step on values of a dtype, which may be another than the memory's. */
export interface Step {
  readonly op: AtomicOp
  readonly memory: Memory
  readonly dtype: DType.Name
}
export const stepName = ({ dtype, memory, op }: Step): string => `ek_${op}_${memory.name}_${dtype}`

const cast = (text: string, from: Type, to: Type): string => (from === to ? text : `bitcast<${to}>(${text})`)

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
  op === "exchange" || (op === "max" || op === "min" ? dtype === atomicType(memory) : !DType.isFloat(dtype))

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

export const stepFunction = (step: Step, primitive: (name: string) => Primitive): string => {
  const { dtype, memory, op } = step
  const type = typeOf(dtype)
  const word = atomicType(memory)
  const at = place(memory, "index")
  const value = (name: string): string => cast(name, type, word)
  const parameters = op === "compareExchange" ? `compared: ${type}, value: ${type}` : `value: ${type}`
  const body = (): string => {
    if (op === "compareExchange")
      return exchangeIfEqual(at, value("compared"), value("value"), cast("exchange.old_value", word, type))
    if (isBuiltin(step)) return `  return ${cast(`${builtins[op]}(&${at}, ${value("value")})`, word, type)};`
    const rule = primitive(op).wgsl
    if (rule?._tag !== "Elementwise") throw new Error(`${op} is no function of scalars`)
    const sum = rule.text([cast("old", word, type), "value"], dtype, {})
    return retry(at, cast(dtype === "f16" ? `ek_f16(${unwrap(sum)})` : sum, type, word), cast("old", word, type))
  }
  return `fn ${stepName(step)}(index: i32, ${parameters}) -> ${type} {\n${body()}\n}`
}
