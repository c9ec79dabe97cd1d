/**
 * Discharge: rewrites a program over mutable refs into a pure program over arrays.
 *
 * Each effectful primitive has a rule (`Primitive.discharge`): equation in; its results, and the new values of the refs that
 * its effects say it writes, out. The driver checks that, and that no effect on a discharged ref is left.
 */
import type { Effect } from "effect"
import { InvalidArgument, type KernelError, NotImplemented } from "../Errors.ts"
import type { Primitive } from "../ir/primitive.ts"
import { type Eqn, equations, onlyReports, type Program, refTypes, type Region } from "../ir/program.ts"
import { primitive } from "../primitives/index.ts"
import { severalThreads } from "../primitives/structural/threads.ts"
import { Rewriter } from "./rewriter.ts"
import { attempt, Stop, stop } from "./stop.ts"

export interface DischargeOptions {
  /** Refs and scratch to rewrite; all others stay as they are. Absent: everything, and no effect may remain. */
  readonly only?: ReadonlyArray<string>
  /** Where records come from, if not from the library's own list. */
  readonly primitives?: (name: string) => Primitive | undefined
}

const refsOf = (eqn: Eqn): ReadonlyArray<string> => [
  ...eqn.refs.map((use) => use.name),
  ...eqn.effects.flatMap((e) => ("ref" in e ? [e.ref] : []))
]

/** Refs of the kernel in the order of declaration, then its scratch; those that the body touches and that are wanted. */
const namesOf = (program: Program, discharges: (name: string) => boolean): ReadonlyArray<string> => {
  const touched = new Set([...equations(program.body)].flatMap(refsOf))
  const wanted = (name: string): boolean => program.discharged.includes(name) || (touched.has(name) && discharges(name))
  return [...program.refs, ...program.body.refs].map((r) => r.name).filter(wanted)
}

const checkOnly = (program: Program, only: ReadonlyArray<string>): void => {
  const known = refTypes(program)
  const unknown = only.find((name) => !known.has(name))
  if (unknown !== undefined)
    stop(
      program.name,
      new InvalidArgument({ ref: unknown, expected: "a ref or scratch of the kernel", actual: "no such name" })
    )
}

/** The promise of discharge, whatever the rules did. */
const checkPure = (body: Region, discharges: (name: string) => boolean, partial: boolean, rewriter: Rewriter): void => {
  for (const eqn of equations(body)) {
    if (refsOf(eqn).some(discharges)) rewriter.invalid(eqn, "a discharged ref is still used after discharge")
    if (!partial && !onlyReports(eqn)) rewriter.invalid(eqn, "an effect is left after discharge")
  }
}

const checkThreads = ({ name, threads }: Program): void => {
  if (threads !== undefined)
    throw new Stop(new NotImplemented({ ...severalThreads, interpreter: "Discharge", kernel: name }))
}

const run = (program: Program, options: DischargeOptions): Program => {
  const { only } = options
  checkThreads(program)
  if (only !== undefined) checkOnly(program, only)
  const partial = only !== undefined
  const discharges = (name: string): boolean => only === undefined || only.includes(name)
  const rewriter = new Rewriter(program, { lookup: options.primitives ?? primitive, discharges, partial })
  const discharged = namesOf(program, discharges)
  const body = rewriter.body(discharged)
  checkPure(body, discharges, partial, rewriter)
  const used = new Set([...equations(body)].map((eqn) => eqn.params["inline"]))
  return {
    ...program,
    body: { ...body, refs: program.body.refs },
    discharged,
    inlines: Object.fromEntries(Object.entries(program.inlines).filter(([name]) => used.has(name)))
  }
}

/**
 * Rewrites refs to values. The result's body has one parameter and one result for each name in `discharged`: what the ref
 * holds before and after a grid cell.
 *
 * Fails with `NotImplemented` at an effectful primitive without a rule and for a program with threads, with `Unsupported` where a rule refuses its
 * parameters, with `InvalidProgram` where the program, or a rule, breaks the contract.
 */
export const discharge = (
  program: Program,
  options: DischargeOptions = {}
): Effect.Effect<Program, KernelError | NotImplemented> => attempt(() => run(program, options))
