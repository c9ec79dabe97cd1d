/** The rows of numbers in which elementwise records say what they give. */
import * as DType from "../../DType.ts"
import type { Elementwise, Example, ExampleArray } from "../../ir/primitive.ts"

const named: { readonly [name: string]: number } = {
  inf: Infinity,
  nan: NaN,
  MIN: -2147483648,
  MAX: 2147483647,
  UMAX: 4294967295,
  π: Math.PI,
  "π/2": Math.PI / 2,
  "π/4": Math.PI / 4,
  "3π/4": (3 * Math.PI) / 4
}
const number = (text: string): number => (text.startsWith("-") ? -number(text.slice(1)) : (named[text] ?? Number(text)))

/** One dtype's rows of a record. */
export interface Values {
  readonly from: DType.Name
  /** Dtype of the result, where it is a parameter. */
  readonly to: DType.Name | undefined
  /** Operands, then the result, as written. */
  readonly rows: ReadonlyArray<ReadonlyArray<number>>
}
/** What the record says, dtype by dtype. */
export const valuesOf = ({ values }: Pick<Elementwise, "values">): ReadonlyArray<Values> =>
  Object.entries(values).map(([dtypes, rows]) => {
    const [from, to] = dtypes.split(">") as [DType.Name, DType.Name | undefined]
    return { from, to, rows: rows.split(";").map((row) => row.trim().split(/[ =]+/).map(number)) }
  })

/** The rows of one dtype as one equation over tiles. */
export const exampleOf = (e: Pick<Elementwise, "operands" | "result">, { from, rows, to }: Values): Example => {
  const column = (dtype: DType.Name, k: number): ExampleArray => ({
    dtype,
    shape: [rows.length],
    data: rows.map((row) => DType.round(dtype)(row[k]!))
  })
  const last = e.operands.length - 1
  const operands = e.operands.map((allowed, k) => column(allowed === "same" || k === last ? from : allowed[0]!, k))
  const result = to ?? (typeof e.result === "string" && e.result !== "same" ? e.result : from)
  return { operands, ...(to === undefined ? {} : { params: { dtype: to } }), results: [column(result, last + 1)] }
}
