/** Examples of records, in few words. */
import type * as DType from "../../DType.ts"
import type { Example, ExampleArray } from "../../ir/primitive.ts"
import { formatVersion } from "../../ir/print.ts"
import type { Param, Params } from "../../ir/program.ts"
import type { View } from "../../ir/view.ts"
import type { Shape } from "../../Shape.ts"

export const array = (dtype: DType.Name, shape: Shape, ...data: ReadonlyArray<number>): ExampleArray => ({
  dtype,
  shape,
  data
})
export const scalar = (dtype: DType.Name, value: number): ExampleArray => array(dtype, [], value)
export const vector = (dtype: DType.Name, ...data: ReadonlyArray<number>): ExampleArray =>
  array(dtype, [data.length], ...data)

/** One equation over tiles. */
export const equation = (
  operands: ReadonlyArray<ExampleArray>,
  results: ReadonlyArray<ExampleArray>,
  params: Params = {}
): Example => ({ operands, params, results })

/** The parameter of operations through a view: every other element of an array of rank 1, from `start` on. */
export const everyOther = (start: number, size: number): Params => {
  const view: View = [
    { _tag: "Index", at: [{ _tag: "Range", start: { constant: start, terms: [] }, size, stride: 2 }] }
  ]
  return { view: view as unknown as Param }
}

type Elements = { readonly [ref: string]: ReadonlyArray<number> }
/** A program: all of its text after the name, indented as it stands. */
export const program = (text: string, args: Elements, results: Elements): Example => {
  const lines = text.split("\n").slice(1)
  const indent = lines[0]!.search(/\S/)
  const body = lines.map((line) => line.slice(indent)).join("\n")
  return { program: `effect-kernels ${formatVersion}\nkernel example\n${body}\n`, args, results }
}
