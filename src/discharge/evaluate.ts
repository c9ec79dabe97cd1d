/** The plain evaluator of discharged programs: the living definition of what every primitive means. */
import { Effect } from "effect"
import * as DType from "../DType.ts"
import { InvalidArgument, InvalidProgram, type KernelError, Unsupported } from "../Errors.ts"
import { type ArrayValue, fromHost, toHost, zeros } from "../ir/array.ts"
import { printEqn } from "../ir/print.ts"
import type { Primitive } from "../ir/primitive.ts"
import { type Eqn, onlyReports, type Program, type RefDecl } from "../ir/program.ts"
import { primitive } from "../primitives/index.ts"
import { deliver } from "../primitives/structural/deliver.ts"
import type { Report } from "../primitives/structural/report.ts"
import * as Shape from "../Shape.ts"
import { Machine, type Runner, type Running } from "./machine.ts"
import { axesOf, instances, type Order } from "./order.ts"
import { attempt, stop } from "./stop.ts"

export interface EvaluateOptions {
  /** Order of the parallel program instances; row-major if absent. */
  readonly order?: Order
  /** Where records come from, if not from the library's own list. */
  readonly primitives?: (name: string) => Primitive | undefined
}
export type Arguments = ReadonlyMap<string, DType.HostArray>

/** What the refs of the kernel hold at the start: `out` refs 0, the others copies of the arguments. */
export const initial = (program: Program, ref: RefDecl, args: Arguments): ArrayValue => {
  if (ref.access === "out") return zeros(ref)
  const size = DType.hostLength(ref.dtype, Shape.size(ref.shape))
  const expected = `${DType.hostName(ref.dtype)} of ${size}`
  const host = args.get(ref.name)
  if (host === undefined) return stop(program.name, new InvalidArgument({ ref: ref.name, expected, actual: "nothing" }))
  if (!DType.isHostArray(ref.dtype, host) || host.length !== size)
    return stop(
      program.name,
      new InvalidArgument({ ref: ref.name, expected, actual: `${host.constructor.name} of ${host.length}` })
    )
  return fromHost(ref, host)
}

/** The record of an equation that can be evaluated. */
const evaluable =
  (program: Program, lookup: (name: string) => Primitive | undefined) =>
  (eqn: Eqn): Primitive => {
    const record = lookup(eqn.primitive)
    if (!onlyReports(eqn)) {
      const detail = "the program has effects: discharge it before it is evaluated"
      return stop(program.name, new InvalidProgram({ equation: printEqn(eqn), detail, neighbours: "" }))
    }
    if (record?.evaluate !== undefined || record?.control !== undefined) return record
    const detail = "it has no evaluation rule"
    const hint = "run it on Gpu, or give its record one"
    return stop(program.name, new Unsupported({ primitive: eqn.primitive, interpreter: "Discharge", detail, hint }))
  }

/** What one run needs: where it stands in the grid is in `at`. */
interface Run {
  readonly program: Program
  readonly nth: (n: number) => number
  readonly body: Runner
  readonly at: Array<number>
}
/** Runs the body for every cell of the grid, handing the values of refs on from cell to cell. */
function* cells({ at, body, nth, program }: Run, start: ReadonlyArray<ArrayValue>): Running<ReadonlyArray<ArrayValue>> {
  const parallel = axesOf(program.grid, "parallel")
  const sequential = axesOf(program.grid, "sequential")
  const scratch = program.body.params.slice(start.length)
  let values = start
  for (let n = 0; n < parallel.count; n++) {
    parallel.place(nth(n), at)
    values = [...values.slice(0, start.length), ...scratch.map(zeros)]
    for (let cell = 0; cell < sequential.count; cell++) {
      sequential.place(cell, at)
      values = yield* body(values)
      yield
    }
  }
  return values
}

const nthOf = (program: Program, order: Order): ((n: number) => number) => {
  const { count } = axesOf(program.grid, "parallel")
  const nth = instances(order, count)
  if (nth !== undefined) return nth
  const expected = `a permutation of the ${count} program instances`
  return stop(program.name, new InvalidArgument({ ref: "order", expected, actual: "something else" }))
}

/** Milliseconds that an evaluation may take before it lets others run. */
const slice = 10
/** Runs for a slice of time, or to the end. */
const advance = <A>(running: Running<A>): IteratorResult<void, A> => {
  const until = performance.now() + slice
  let next: IteratorResult<void, A>
  do next = running.next()
  while (next.done !== true && performance.now() < until)
  return next
}
/** What may stop, where every primitive is known to have a rule. */
export const sure = <A>(run: () => A): Effect.Effect<A, KernelError> =>
  Effect.catchTag(attempt(run), "NotImplemented", Effect.die)
/** Runs to the end, now and then delivering what was printed, and letting other fibers run and interruption in. */
export const drive = <A>(running: Running<A>, told: () => Effect.Effect<void>): Effect.Effect<A, KernelError> =>
  Effect.gen(function* () {
    for (;;) {
      const outcome = yield* Effect.result(sure(() => advance(running)))
      yield* told()
      const next = yield* Effect.fromResult(outcome)
      if (next.done === true) return next.value
      yield* Effect.yieldNow
    }
  })

interface Prepared {
  readonly running: Running<ReadonlyArray<ArrayValue>>
  readonly start: ReadonlyMap<string, ArrayValue>
  /** What has been printed and not been delivered. */
  readonly reports: Array<Report>
}

const prepare = (program: Program, args: Arguments, options: EvaluateOptions): Prepared => {
  const start = new Map(program.refs.map((ref) => [ref.name, initial(program, ref, args)]))
  const at = program.grid.map(() => 0)
  const reports: Array<Report> = []
  const machine = new Machine(evaluable(program, options.primitives ?? primitive), {
    programId: (axis) => at[axis]!,
    numPrograms: (axis) => program.grid[axis]!.size,
    program: () => at,
    fail: (reason) => stop(program.name, reason),
    report: (eqn, all) => {
      const values = all.map((v) => ({ ...v, data: v.data.slice() }))
      reports.push({ eqn, program: [...at], values })
    }
  })
  const nth = nthOf(program, options.order ?? "row-major")
  const values = program.discharged.flatMap((name) => start.get(name) ?? [])
  return { running: cells({ program, nth, body: machine.compile(program.body), at }, values), start, reports }
}

/**
 * Runs a discharged program on host arrays, one cell of the grid after the other. Gives what the `out` and `inout` refs
 * hold in the end; the arguments are never changed.
 *
 * Interruption is noticed between grid cells and loop iterations, where what was printed is delivered too.
 *
 * Fails with `InvalidArgument` where an argument is missing or of another type or length, with `InvalidProgram` if the
 * program still has effects.
 */
export const evaluate = (
  program: Program,
  args: Arguments,
  options: EvaluateOptions = {}
): Effect.Effect<Map<string, DType.HostArray>, KernelError> =>
  Effect.gen(function* () {
    const { reports, running, start } = yield* sure(() => prepare(program, args, options))
    const origin = { kernel: program.name, interpreter: "Discharge" }
    const values = yield* drive(running, () => deliver(origin, reports.splice(0)))
    const final = new Map(start)
    program.discharged.forEach((name, k) => final.set(name, values[k]!))
    return new Map(program.refs.filter((r) => r.access !== "in").map((r) => [r.name, toHost(final.get(r.name)!)]))
  })
