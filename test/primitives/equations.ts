/** Equations of pure primitives as they occur in generated programs, with values for their operands. */
import { Effect } from "effect"
import { expect } from "vitest"
import * as DType from "../../src/DType.ts"
import { discharge } from "../../src/discharge/discharge.ts"
import { evaluate } from "../../src/discharge/evaluate.ts"
import { type ArrayValue, storage } from "../../src/ir/array.ts"
import type { EvalContext, Primitive } from "../../src/ir/primitive.ts"
import type { Atom, Aval, Eqn, Params } from "../../src/ir/program.ts"
import { primitive } from "../../src/primitives/index.ts"
import * as Shape from "../../src/Shape.ts"
import { silent } from "../../src/verify/agree.ts"
import { argumentsOf } from "../../src/verify/case.ts"
import { Draw, seeded } from "../../src/verify/generate/draw.ts"
import { program as generate } from "../../src/verify/generate/program.ts"

/** An equation, and what it may look up besides its operands. */
export interface Met {
  readonly record: Primitive
  readonly eqn: Eqn
  readonly ctx: EvalContext
}

/** Equations of one primitive that are taken from one program. */
const perProgram = 2
/** Equations that a program may run: some take very long. */
const patience = 20_000

/** The equation where it was met: the values of its indices, and its place in the grid. */
const meet = (record: Primitive, eqn: Eqn, ctx: EvalContext): Met => {
  const values = new Map<Atom, ArrayValue>(
    eqn.indices.map((atom) => {
      const value = ctx.value(atom)
      return [atom, { ...value, data: value.data.slice() }]
    })
  )
  const value: EvalContext["value"] = (atom) => values.get(atom)!
  return { record, eqn, ctx: { ...ctx, value, mayReuse: () => false } }
}

/** What the generated program of that seed runs, once it is discharged. */
const equationsOf = async (seed: number): Promise<ReadonlyArray<Met>> => {
  const met: Array<Met> = []
  const seen = new Map<string, number>()
  let steps = 0
  const program = await Effect.runPromise(discharge(generate(new Draw(seeded(seed)))))
  const watched = (name: string): Primitive | undefined => {
    const record = primitive(name)
    if (record?.evaluate === undefined || record.family === "debug") return record
    const rule = record.evaluate
    return {
      ...record,
      evaluate: (ctx, eqn, operands) => {
        if (++steps > patience) throw new Error("too long")
        const before = seen.get(name) ?? 0
        seen.set(name, before + 1)
        if (before < perProgram) met.push(meet(record, eqn, ctx))
        return rule(ctx, eqn, operands)
      }
    }
  }
  await Effect.runPromiseExit(silent(evaluate(program, argumentsOf({ program, seed }), { primitives: watched })))
  return met
}
/** Equations of the programs of as many seeds, by primitive. */
export const equationsByName = async (seeds: number): Promise<ReadonlyMap<string, ReadonlyArray<Met>>> => {
  const out = new Map<string, Array<Met>>()
  for (let seed = 0; seed < seeds; seed++)
    for (const met of await equationsOf(seed)) out.set(met.record.name, [...(out.get(met.record.name) ?? []), met])
  return out
}

const numbers: { readonly [N in DType.Compute]: ReadonlyArray<number> } = {
  f32: [0, -0, 1, -1, 2.5, NaN, Infinity, -Infinity, 3.4028234663852886e38],
  f16: [0, -0, 1, -1, 2.5, NaN, Infinity, -Infinity, 65504],
  i32: [0, 1, -1, 2, 3, 2147483647, -2147483648],
  u32: [0, 1, 2, 3, 2147483648, 4294967295],
  bool: [0, 1]
}
/** Values from which elements are drawn: small ones, and those that primitives treat differently. */
export const values = (dtype: DType.Name): ReadonlyArray<number> => {
  const round = DType.round(dtype)
  return [...new Set(numbers[DType.widened(dtype)].map((x) => round(x)))]
}
export const randomValue = (draw: Draw, { dtype, shape }: Pick<ArrayValue, "dtype" | "shape">): ArrayValue => {
  const data = storage(dtype, Shape.size(shape))
  const from = values(dtype)
  for (let i = 0; i < data.length; i++) data[i] = draw.of(from)
  return { dtype, shape, data }
}

/** An equation of that primitive on operands of these types. */
export const equationOf = (name: string, params: Params, operands: ReadonlyArray<Aval>): Eqn => {
  const variable = ({ dtype, shape }: Aval, id: number) => ({ _tag: "Var", id, dtype, shape }) as const
  const draft = { params, operands: operands.map(variable), indices: [], refs: [], regions: [] }
  const none = (): never => expect.fail("there are no refs and no inlines")
  const types = primitive(name)!.typing(draft, { ref: none, rank: 0, inline: none })
  const results = types.map((type, k) => variable(type, operands.length + k))
  return { ...draft, primitive: name, results, effects: [], source: undefined }
}
/** What rules may look up in an equation that has nothing but operands. */
export const alone = { value: () => expect.fail("no indices"), mayReuse: () => false } as unknown as EvalContext
