/** Reads the parameters of an equation; those of a parsed program may be anything. */
import * as DType from "../../DType.ts"
import type { Aval, Param, Params } from "../../ir/program.ts"
import { TypingError } from "../../ir/typing.ts"
import * as Shape from "../../Shape.ts"

const wrong = (name: string, expected: string, value: Param | undefined): TypingError =>
  new TypingError(`parameter "${name}" is ${JSON.stringify(value) ?? "missing"}`, `it must be ${expected}`)

const isIntegers = (value: unknown): value is ReadonlyArray<number> =>
  Array.isArray(value) && value.every(Number.isInteger)

/** A parameter that is a whole number. */
export const integer = (params: Params, name: string): number => {
  const value = params[name]
  if (!Number.isInteger(value)) throw wrong(name, "a whole number", value)
  return value as number
}
/** A parameter that is a list of whole numbers, of `length` entries if that is given. */
export const integers = (params: Params, name: string, length?: number): ReadonlyArray<number> => {
  const value = params[name]
  if (!isIntegers(value)) throw wrong(name, "a list of whole numbers", value)
  if (length !== undefined && value.length !== length)
    throw new TypingError(`parameter "${name}" has ${value.length} entries for ${length} axes`, "give one per axis")
  return value
}
export const flag = (params: Params, name: string): boolean => {
  const value = params[name]
  if (typeof value !== "boolean") throw wrong(name, "true or false", value)
  return value
}
export const text = (params: Params, name: string): string => {
  const value = params[name]
  if (typeof value !== "string") throw wrong(name, "a name", value)
  return value
}
/** A parameter that is a list of strings. */
export const texts = (params: Params, name: string): ReadonlyArray<string> => {
  const value = params[name]
  if (!Array.isArray(value) || !value.every((v) => typeof v === "string")) throw wrong(name, "a list of names", value)
  return value
}
/** A parameter that names a dtype of tiles. */
export const dtype = (params: Params, name: string): DType.Name => {
  const value = params[name]
  if (!DType.computeNames.includes(value as DType.Compute)) throw wrong(name, DType.computeNames.join(", "), value)
  return value as DType.Name
}
export const shape = (params: Params, name: string): Shape.Shape => {
  const value = integers(params, name)
  if (!Shape.isValid(value)) throw wrong(name, "a shape: whole numbers of at least 0", value)
  return value
}
/** A parameter that names one axis of `rank`. */
export const axis = (params: Params, name: string, rank: number): number => {
  const value = integer(params, name)
  if (value < 0 || value >= rank)
    throw new TypingError(`parameter "${name}" is ${value}, outside rank ${rank}`, "axes count from 0")
  return value
}
/** A parameter that names axes of `rank`, ascending. */
export const axes = (params: Params, name: string, rank: number): ReadonlyArray<number> => {
  const value = integers(params, name)
  if (value.some((a, k) => a < 0 || a >= rank || (k > 0 && a <= value[k - 1]!)))
    throw new TypingError(
      `parameter "${name}" is [${value.join(", ")}] for rank ${rank}`,
      "list each axis once, ascending"
    )
  return value
}

/** Largest number of elements that a value may have: positions are i32. */
const most = 2 ** 31 - 1
/** The type of a result, if it can exist. */
export const result = (dtype: DType.Name, shape: Shape.Shape): Aval => {
  if (!Shape.isValid(shape)) throw new TypingError(`${Shape.show(shape)} is not a shape`)
  if (Shape.size(shape) > most)
    throw new TypingError(`a tile of shape ${Shape.show(shape)} has more than 2^31 - 1 elements`)
  return { dtype, shape }
}
