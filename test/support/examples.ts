/** Examples of records as programs that an interpreter runs. */
import { Effect } from "effect"
import * as DType from "../../src/DType.ts"
import type { Example, ExampleArray, Primitive } from "../../src/ir/primitive.ts"
import { type Eqn, equations, type Program } from "../../src/ir/program.ts"
import { parse } from "../../src/ir/parse.ts"
import { primitives } from "../../src/primitives/index.ts"
import { program, ref } from "./ir.ts"

export interface Runnable {
  readonly program: Program
  readonly args: { readonly [ref: string]: DType.HostArray }
  /** What each ref holds in the end. */
  readonly results: { readonly [ref: string]: ReadonlyArray<number> }
}

const host = (dtype: DType.Name, data: ReadonlyArray<number>): DType.HostArray => {
  const array = DType.hostArray(dtype, data.length)
  data.forEach((x, k) => (array[k] = x))
  return array
}
const named = <A>(prefix: string, arrays: ReadonlyArray<ExampleArray>, of: (array: ExampleArray) => A) =>
  Object.fromEntries(arrays.map((array, k) => [`${prefix}${k}`, of(array)] as const))

const known = new Set(primitives.map((p) => p.name))

/** A program that loads the operands and stores the results, or the program that the example is. */
export const runnable = (record: Primitive, example: Example): Runnable => {
  if ("program" in example) {
    const parsed = Effect.runSync(Effect.fromResult(parse(example.program, known)))
    const dtype = (name: string) => parsed.refs.find((r) => r.name === name)!.dtype
    const args = Object.entries(example.args).map(([name, data]) => [name, host(dtype(name), data)] as const)
    return { program: parsed, args: Object.fromEntries(args), results: example.results }
  }
  const { operands, params = {}, results } = example
  const refs = [
    ...operands.map((o, k) => ref(`x${k}`, o.dtype, o.shape, "in")),
    ...results.map((o, k) => ref(`o${k}`, o.dtype, o.shape, "out"))
  ]
  const made = program({ name: "example", grid: [1], refs }, (b) => {
    const loaded = operands.map((_, k) => b.load(`x${k}`))
    b.op(record.name, loaded, { params }).forEach((value, k) => b.store(`o${k}`, value))
  })
  return {
    program: made,
    args: named("x", operands, ({ data, dtype }) => host(dtype, data)),
    results: named("o", results, ({ data }) => data)
  }
}
/** The equations of the primitive in its example. */
export const equationsOf = (record: Primitive, { program }: Runnable): ReadonlyArray<Eqn> =>
  [...equations(program.body)].filter((eqn) => eqn.primitive === record.name)
