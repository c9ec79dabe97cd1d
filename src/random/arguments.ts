/** What the functions of `Random` accept, checked before any cipher runs: a mistake is told by the name the user called. */
import type * as DType from "../DType.ts"
import { i32, u32 } from "../DType.ts"
import type { Source } from "../ir/program.ts"
import { TypingError } from "../ir/typing.ts"
import * as Shape from "../Shape.ts"
import * as Tile from "../Tile.ts"
import { capture } from "../trace/position.ts"
import { operand, OperandError } from "../trace/tile.ts"

/** 32-bit words of any shape, as the ciphers take and give them. */
export type Words = Tile.Tile<"u32", Shape.Shape>
export type Key = readonly [Tile.Scalar<"u32">, Tile.Scalar<"u32">]
export type Whole = number | Tile.Scalar<"i32"> | Tile.Scalar<"u32">

/** A function that the user called, and from where. */
export interface Call {
  readonly name: string
  readonly source: Source
}
/** To be made first: positions are found no more than a few functions deep. */
export const called = (name: string): Call => ({ name: `Random.${name}`, source: capture() })

export const mistake = ({ name, source }: Call, detail: string, hint?: string): OperandError =>
  new OperandError(name, new TypingError(detail, hint), source)

const isWord = (u: unknown): u is Words => Tile.isTile(u) && u.dtype === "u32"
const isScalar = (u: unknown, dtype: string): boolean => Tile.isTile(u) && u.dtype === dtype && u.shape.length === 0
const shown = (u: unknown): string => (Array.isArray(u) ? `[${u.map(String).join(", ")}]` : String(u))

export const checkKey = (call: Call, key: Key): void => {
  if (!Array.isArray(key) || key.length !== 2 || !key.every((word) => isScalar(word, "u32")))
    throw mistake(call, `${shown(key)} is not a key`, "make one with Random.key, Random.split or Random.foldIn")
}

/** The counter words of a cipher: `count` u32 tiles whose shapes broadcast. */
export const checkWords = (call: Call, words: ReadonlyArray<Words>, count: number): void => {
  if (!Array.isArray(words) || words.length !== count || !words.every(isWord))
    throw mistake(call, `the counter is ${shown(words)}`, `give a list of ${count} u32 tiles`)
  words.reduce<Shape.Shape>((shape, word) => {
    const common = Shape.broadcast(shape, word.shape)
    if (common !== undefined) return common
    throw mistake(call, `counter words of shapes ${Shape.show(shape)} and ${Shape.show(word.shape)} do not broadcast`)
  }, [])
}

export const checkShape = (call: Call, shape: Shape.Shape): void => {
  if (!Array.isArray(shape) || !Shape.isValid(shape))
    throw mistake(call, `${shown(shape)} is not a shape`, "give a list of whole numbers of at least 0")
}

/** A u32 scalar: a whole number, or an i32 or u32 scalar taken by its bits. */
export const word = (call: Call, what: string, u: Whole): Tile.Scalar<"u32"> => {
  if (typeof u === "number") {
    if (u >>> 0 === u) return Tile.of(u32, u)
  } else if (isScalar(u, "u32") || isScalar(u, "i32")) return Tile.bitcast(u, u32)
  throw mistake(call, `the ${what} is ${shown(u)}`, "give a whole number from 0 to 2^32 - 1, or an i32 or u32 scalar")
}

/** An i32 scalar: a whole number in range, or one already. */
export const integer = (call: Call, u: number | Tile.Scalar<"i32">): Tile.Scalar<"i32"> => {
  const tile = operand(call.name, u, i32.name, call.source)
  if (isScalar(tile, "i32")) return tile as unknown as Tile.Scalar<"i32">
  throw mistake(call, `a bound is ${shown(u)}`, "give a whole number or an i32 scalar")
}

/** An f32 scalar, or a finite number. */
export const bound = (call: Call, u: number | Tile.Scalar<"f32">): number | Tile.Scalar<"f32"> => {
  if (typeof u === "number" ? Number.isFinite(Math.fround(u)) : isScalar(u, "f32")) return u
  throw mistake(call, `a bound is ${shown(u)}`, "give a finite number or an f32 scalar")
}

export const checkRounding = (call: Call, x: unknown, to: DType.DType<DType.Name>): void => {
  if (!Tile.isTile(x) || x.dtype !== "f32") throw mistake(call, `${shown(x)} is rounded`, "give an f32 tile")
  if (to?.name !== "f16" && to?.name !== "bf16")
    throw mistake(call, `${shown(to?.name)} is rounded to`, "round to f16 or bf16")
}
