/** The elementwise primitives under test, with every dtype and parameter that they take. */
import * as DType from "../../src/DType.ts"
import type { Elementwise, Primitive } from "../../src/ir/primitive.ts"
import type { Params } from "../../src/ir/program.ts"
import { resultDtype } from "../../src/primitives/elementwise.ts"
import { primitives } from "../../src/primitives/index.ts"

export const records: ReadonlyArray<Primitive> = primitives.filter((p) => p.elementwise !== undefined)
export const record = (name: string): Primitive & { readonly elementwise: Elementwise } => {
  const found = records.find((r) => r.name === name)
  if (found?.elementwise === undefined) throw new Error(`no elementwise primitive ${name}`)
  return found as Primitive & { readonly elementwise: Elementwise }
}

/** One use of a primitive: dtypes of its operands and result. */
export interface Use {
  readonly name: string
  readonly dtype: DType.Name
  readonly operands: ReadonlyArray<DType.Name>
  readonly result: DType.Name
  readonly params: Params
}
export const use = (name: string, dtype: DType.Name, params: Params = {}): Use => {
  const { elementwise } = record(name)
  const operands = elementwise.operands.map((allowed, k) =>
    allowed === "same" || k === elementwise.operands.length - 1 ? dtype : allowed[0]!
  )
  const avals = operands.map((dtype) => ({ dtype, shape: [] }))
  return { name, dtype, operands, params, result: resultDtype(elementwise, avals, params) }
}
const parameters = (name: string): ReadonlyArray<Params> =>
  name === "convert"
    ? DType.computeNames.map((dtype) => ({ dtype }))
    : name === "bitcast"
      ? ["f32", "i32", "u32"].map((dtype) => ({ dtype }))
      : [{}]
/** Every primitive × dtype × parameters. */
export const uses: ReadonlyArray<Use> = records.flatMap(({ elementwise, name }) =>
  (elementwise!.operands.at(-1) as ReadonlyArray<DType.Name>).flatMap((dtype) =>
    parameters(name).map((params) => use(name, dtype, params))
  )
)
export const title = (u: Use): string => `${u.name} of ${u.dtype}${u.params.dtype ? ` to ${u.params.dtype}` : ""}`

/** The primitive applied to numbers on the CPU, rounded to the result's dtype. */
export const apply = (u: Use, ...args: ReadonlyArray<number>): number =>
  DType.round(u.result)(record(u.name).elementwise.scalar(u.dtype, u.params)(...args))
