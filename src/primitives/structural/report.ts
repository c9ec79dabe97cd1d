/** What prints and assertions say, as text and as plain data. */
import * as DType from "../../DType.ts"
import { AssertionFailed, Deadlock, type Reason } from "../../Errors.ts"
import type { ArrayValue } from "../../ir/array.ts"
import type { Eqn } from "../../ir/program.ts"
import * as Shape from "../../Shape.ts"

/** What an equation said, with the position of the program instance in the grid. */
export interface Report {
  readonly eqn: Eqn
  readonly program: ReadonlyArray<number>
  readonly values: ReadonlyArray<ArrayValue>
}

export const positionOf = (eqn: Eqn): { readonly source?: string } => {
  const source = eqn.source?.show()
  return source === undefined ? {} : { source }
}

/** Why a run ends whose assertion did not hold; `values` are those that it shows. */
export const failureOf = ({ eqn, program, values }: Report): Reason => {
  const shown = values.map((v) => v.data[0]!)
  const common = { detail: String(eqn.params["detail"]), program: [...program], values: shown, ...positionOf(eqn) }
  return eqn.params["kind"] === "deadlock"
    ? new Deadlock({ ...common, ref: String(eqn.params["ref"]) })
    : new AssertionFailed(common)
}

// --- text ---------------------------------------------------------------------------------------------------------------

/** Elements of one tile that a message shows, in row-major order; it says how many there are. */
export const shownElements = 64

/** The shortest decimal that stands for this value of the dtype; whole numbers with all their digits. */
const showFloat = (dtype: DType.Name, x: number): string => {
  if (Object.is(x, -0)) return "-0"
  if (Number.isInteger(x) && Math.abs(x) < 1e9) return String(x)
  const round = DType.round(dtype)
  for (let digits = 1; digits < 10; digits++) {
    const short = Number(x.toPrecision(digits))
    if (round(short) === x) return String(short)
  }
  return String(x)
}
const showElement = (dtype: DType.Name, x: number): string =>
  dtype === "bool" ? String(x !== 0) : DType.isFloat(dtype) ? showFloat(dtype, x) : String(x)

/** The axes from `axis` on, at element `from`, as nested lists that break off after `shownElements`. */
const showAxes = ({ data, dtype, shape }: ArrayValue, axis: number, from: number): string => {
  if (axis === shape.length) return showElement(dtype, data[from]!)
  const stride = Shape.size(shape.slice(axis + 1))
  const parts: Array<string> = []
  for (let k = 0; k < shape[axis]!; k++) {
    const at = from + k * stride
    if (at >= shownElements) {
      parts.push("…")
      break
    }
    parts.push(showAxes({ data, dtype, shape }, axis + 1, at))
  }
  return `[${parts.join(", ")}]`
}
const showValue = (value: ArrayValue): string => {
  const size = Shape.size(value.shape)
  if (size === 0) return "[]"
  const text = showAxes(value, 0, 0)
  return size > shownElements ? `${text} (${shownElements} of ${size} elements)` : text
}

const namesOf = (eqn: Eqn): ReadonlyArray<string> => eqn.params["names"] as ReadonlyArray<string>
/** `label: 1, [2, 3]`, or `label: i = 1, x = [2, 3]`. */
export const textOf = ({ eqn, values }: Report): string => {
  const names = namesOf(eqn)
  const shown = values.map((v, k) => (names.length === 0 ? showValue(v) : `${names[k]} = ${showValue(v)}`))
  return [String(eqn.params["label"]), ...(shown.length === 0 ? [] : [shown.join(", ")])].join(": ")
}

// --- data ---------------------------------------------------------------------------------------------------------------

type Nested = number | boolean | ReadonlyArray<Nested>
const nested = (value: ArrayValue, axis = 0, from = 0): Nested => {
  const { data, dtype, shape } = value
  if (axis === shape.length) return dtype === "bool" ? data[from] !== 0 : data[from]!
  if (Shape.size(shape) === 0) return []
  const stride = Shape.size(shape.slice(axis + 1))
  return Array.from({ length: shape[axis]! }, (_, k) => nested(value, axis + 1, from + k * stride))
}
/** All values, whole: a list, or by their names. */
export const dataOf = ({ eqn, values }: Report): ReadonlyArray<Nested> | { readonly [name: string]: Nested } => {
  const names = namesOf(eqn)
  const all = values.map((v) => nested(v))
  return names.length === 0 ? all : Object.fromEntries(names.map((name, k) => [name, all[k]!]))
}
