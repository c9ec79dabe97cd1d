/** Cases by number, and kernels to try. */
import { Verify } from "effect-kernels/verify"
import fc from "fast-check"
import type { Lookup } from "../../src/ir/check.ts"
import type { EvalRule, Primitive } from "../../src/ir/primitive.ts"

/** The same cases each time. */
export const samples = (count: number, options: Verify.ProgramOptions = {}, seed = 3): ReadonlyArray<Verify.Case> =>
  fc.sample(Verify.programs(options), { numRuns: count, seed })

/** Records of which some evaluate otherwise; nothing is written in place. */
export const evaluating =
  (lookup: Lookup, change: (record: Primitive, rule: EvalRule) => EvalRule | undefined): Lookup =>
  (name) => {
    const record = lookup(name)
    if (record?.evaluate === undefined) return record
    const rule = change(record, record.evaluate)
    if (rule === undefined) return record
    return { ...record, evaluate: (ctx, eqn, operands) => rule({ ...ctx, mayReuse: () => false }, eqn, operands) }
  }
