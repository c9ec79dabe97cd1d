/** Prints and assertions, as the trace emits them. */
import type { Source } from "../ir/program.ts"
import { isTile, operand, overAll, refuse, type TileImpl } from "./tile.ts"
import { operation } from "./tracer.ts"

const checkText = (name: string, what: string, u: unknown, source: Source): string =>
  typeof u === "string" ? u : refuse(name, source, `the ${what} is ${isTile(u) ? "a tile" : `of type ${typeof u}`}`, "give a string first") // prettier-ignore

/** A tile as it is; what else may stand here has no dtype, or is a mistake. */
const tile = (name: string, u: unknown, source: Source): TileImpl =>
  typeof u === "number" || typeof u === "boolean"
    ? refuse(name, source, `${u} is not a tile`, "write it into the text, or make it a tile with Tile.of")
    : operand(name, u, "f32", source)

const isRecord = (u: unknown): u is { readonly [name: string]: unknown } =>
  typeof u === "object" && u !== null && [Object.prototype, null].includes(Object.getPrototypeOf(u))

export const print = (label: unknown, values: ReadonlyArray<unknown>) =>
  operation("print", (state, source) => {
    const text = checkText("print", "label", label, source)
    const [first] = values
    const named = values.length === 1 && isRecord(first) ? Object.entries(first) : undefined
    const operands = (named?.map(([, u]) => u) ?? values).map((u) => tile("print", u, source))
    const params = { label: text, names: named?.map(([name]) => name) ?? [] }
    state.emit({ primitive: "print", params, operands, source })
  })

const checkCondition = (u: unknown, source: Source): TileImpl => {
  const test = operand("assert", u, "bool", source)
  return test.dtype === "bool"
    ? test
    : refuse("assert", source, `the condition is a tile of ${test.dtype}`, "compare to get a bool")
}

export const assert = (condition: unknown, message: unknown, values: ReadonlyArray<unknown>) =>
  operation("assert", (state, source) => {
    const detail = checkText("assert", "message", message, source)
    const operands = [
      overAll("reduceAll", checkCondition(condition, source), source),
      ...values.map((u) => tile("assert", u, source))
    ]
    state.emit({ primitive: "assert", params: { kind: "assertion", detail }, operands, source })
  })
