/** Runs programs on the plain evaluator; both the program and what it is discharged to must pass the checker. */
import { Effect } from "effect"
import { expect } from "vitest"
import type * as DType from "../../src/DType.ts"
import { discharge } from "../../src/discharge/discharge.ts"
import { evaluate, type EvaluateOptions } from "../../src/discharge/evaluate.ts"
import { check } from "../../src/ir/check.ts"
import type { Program } from "../../src/ir/program.ts"
import { primitive } from "../../src/primitives/index.ts"
import { program, type ProgramOptions, type Builder } from "./ir.ts"

export type Args = { readonly [ref: string]: DType.HostArray }

/** Final values of the refs, as host arrays. */
export const runArrays = async (
  p: Program,
  args: Args,
  options: EvaluateOptions = {}
): Promise<Record<string, DType.HostArray>> => {
  expect(check(p, primitive)).toBeUndefined()
  const pure = await Effect.runPromise(discharge(p))
  expect(check(pure, primitive)).toBeUndefined()
  return Object.fromEntries(await Effect.runPromise(evaluate(pure, new Map(Object.entries(args)), options)))
}
/** Final values of the refs, as lists. */
export const run = async (
  p: Program,
  args: Args = {},
  options: EvaluateOptions = {}
): Promise<Record<string, ReadonlyArray<number>>> =>
  Object.fromEntries(Object.entries(await runArrays(p, args, options)).map(([name, array]) => [name, [...array]]))
/** Builds and runs. */
export const build = (options: ProgramOptions, args: Args, body: (b: Builder) => void) =>
  run(program(options, body), args)
