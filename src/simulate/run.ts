/** One run of a program: what it gives, and what was found. */
import { Effect } from "effect"
import type * as DType from "../DType.ts"
import { type Arguments, drive, initial, sure } from "../discharge/evaluate.ts"
import { KernelError, NotImplemented, Unsupported } from "../Errors.ts"
import type { Finding } from "../Findings.ts"
import { toHost } from "../ir/array.ts"
import { equations, type Program } from "../ir/program.ts"
import { primitive } from "../primitives/index.ts"
import { deliver } from "../primitives/structural/deliver.ts"
import { Memory, neverWritten } from "./memory.ts"
import { Scheduler } from "./scheduler.ts"
import { type Options, policyOf, settingsOf } from "./settings.ts"
import * as Tell from "./tell.ts"
import { World } from "./world.ts"

export interface Outcome {
  readonly findings: ReadonlyArray<Finding>
  /** Numbers of all equations that a race is about. */
  readonly racing: ReadonlyMap<Finding, ReadonlySet<number>>
  /** What `out` and `inout` refs hold in the end; nothing, if the run has not come to its end. */
  readonly results: ReadonlyMap<string, DType.HostArray> | undefined
  /** Why the run has ended early, if not because of a finding. */
  readonly failure: KernelError | undefined
  /** Elements that were touched. */
  readonly accesses: number
}

const discharged = (program: Program): KernelError =>
  new KernelError({
    kernel: program.name,
    reason: new Unsupported({
      primitive: "a discharged program",
      interpreter: "Simulator",
      detail: "its refs are values, of which nobody can see who touches them",
      hint: "give it the program before discharge, or run it on Discharge"
    })
  })
/** Fails at the first equation that this interpreter has no rule for, and where there is nothing left to look at. */
export const implemented = (program: Program): Effect.Effect<void, KernelError | NotImplemented> => {
  if (program.discharged.length > 0) return Effect.fail(discharged(program))
  for (const eqn of equations(program.body)) {
    const record = primitive(eqn.primitive)
    const isOpen = eqn.primitive === "inline" && eqn.regions.length === 0
    if (!isOpen && (record?.simulate ?? record?.evaluate ?? record?.lanes) !== undefined) continue
    const gap = record?.gaps?.["Simulator"]
    return Effect.fail(
      new NotImplemented({
        primitive: eqn.primitive === "inline" ? String(eqn.params["inline"]) : eqn.primitive,
        interpreter: "Simulator",
        kernel: program.name,
        reason: gap?.reason ?? "this version does not know it",
        source: eqn.source?.show(),
        hint: gap?.hint ?? "use standard primitives"
      })
    )
  }
  return Effect.void
}

/** Elements of results that are undefined in the end matter. */
const judgeResults = (world: World): void => {
  const isRun = world.program.grid.every((axis) => axis.size > 0)
  for (const memory of world.globals.values()) {
    if (memory.access === "in") continue
    memory.origins.forEach((origin, cell) => {
      if (origin > neverWritten) Tell.reaches(world, origin, "result", memory.history!.lastChange(cell))
      else if (origin === neverWritten && isRun && !world.settings.trusted.has("output"))
        Tell.unwritten(world, memory, cell)
    })
  }
}

const prepare = (program: Program, args: Arguments, options: Options): World => {
  const settings = settingsOf(options)
  const world = new World(program, settings, policyOf(settings))
  for (const ref of program.refs)
    world.globals.set(ref.name, new Memory(ref.name, ref, ref.access, initial(program, ref, args)))
  return world
}
const resultsOf = (world: World): Map<string, DType.HostArray> =>
  new Map(
    world.program.refs.filter((r) => r.access !== "in").map((r) => [r.name, toHost(world.globals.get(r.name)!.value)])
  )

/**
 * Runs a program under one schedule. Mistakes of the program are findings, or the outcome's failure.
 *
 * Fails with `InvalidArgument` where an argument is missing or of another type or length.
 */
export const simulate = (
  program: Program,
  args: Arguments,
  options: Options = {}
): Effect.Effect<Outcome, KernelError> =>
  Effect.gen(function* () {
    const world = yield* sure(() => prepare(program, args, options))
    const scheduler = new Scheduler(world)
    const origin = { kernel: program.name, interpreter: "Simulator" }
    const ended = yield* Effect.result(drive(scheduler.run(), () => deliver(origin, world.reports.splice(0))))
    const failure = ended._tag === "Failure" ? ended.failure : undefined
    const isComplete = failure === undefined && scheduler.isComplete
    if (isComplete) judgeResults(world)
    const { findings } = world.collector
    return {
      findings,
      racing: world.collector.racing(findings),
      results: isComplete ? resultsOf(world) : undefined,
      failure,
      accesses: world.accesses
    }
  })
