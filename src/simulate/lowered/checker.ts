/**
 * Runs lowered kernels on the CPU, all invocations of each workgroup, and looks for accesses that nothing orders.
 *
 * Two accesses to one cell, one of which writes, are in order if one invocation makes both, or if a barrier of the memory's
 * address space stands between them; those of two workgroups never are. That is decided by counting barriers, not by what an
 * order of running shows. Elements that share a word are cells of their own, as the lowering keeps them apart.
 */
import { Result } from "effect"
import type { Unsupported } from "../../Errors.ts"
import type { Lowered } from "../../ir/lowered.ts"
import { type BarrierSite, barriersOf, withoutBarrier } from "./blocks.ts"
import { Findings } from "./findings.ts"
import { Cells, type Clock, type Lane } from "./memory.ts"
import type { LoweredReport } from "./report.ts"
import { givenLocals, type InlineMeaning, type Place, Refused, Scope } from "./scope.ts"
import { together } from "./together.ts"

export interface LoweredOptions {
  /** Lanes of a subgroup; 4 if left out. */
  readonly subgroup?: number
  /** Invocations take their turns, and workgroups run, from last to first. What is found is the same. */
  readonly reversed?: boolean
  /** What elementwise inlines mean; kernels with others are refused. */
  readonly inlines?: InlineMeaning
}
/** What bound memories hold, by name; elements that are missing are 0. */
export type Storage = ReadonlyMap<string, Float64Array>

const placesOf = (
  { memories }: Lowered,
  storage: Storage,
  clock: Clock,
  findings: Findings
): ReadonlyMap<string, Place> => {
  let registers = 0
  return new Map(
    memories.map((memory): readonly [string, Place] => {
      if (memory.space === "register") return [memory.name, { _tag: "Register", memory, number: registers++ }]
      const data =
        (memory.space === "storage" ? storage.get(memory.name) : undefined) ?? new Float64Array(memory.length)
      return [memory.name, { _tag: "Cells", cells: new Cells(memory, data, clock, findings) }]
    })
  )
}
const lanesOf = ({ memories, workgroupSize }: Lowered, locals: number): ReadonlyArray<Lane> => {
  const registers = memories.filter((m) => m.space === "register")
  return Array.from({ length: workgroupSize }, (_, id) => ({
    id,
    locals: new Float64Array(locals),
    registers: registers.map((m) => new Float64Array(m.length))
  }))
}
/** Memory of a workgroup and of its invocations is fresh, and so is the time of its barriers. */
const begin = (scope: Scope, places: ReadonlyMap<string, Place>, lanes: ReadonlyArray<Lane>, program: number): void => {
  const { clock, subgroup } = scope
  clock.workgroup = program
  clock.epochs.workgroup++
  clock.epochs.storage++
  for (const place of places.values())
    if (place._tag === "Cells" && place.cells.memory.space !== "storage") place.cells.data.fill(0)
  for (const { id, locals, registers } of lanes) {
    locals.set(givenLocals({ id, program, subgroup }))
    for (const own of registers) own.fill(0)
  }
}

const run = (lowered: Lowered, storage: Storage, options: LoweredOptions): LoweredReport => {
  const { inlines = () => undefined, reversed = false, subgroup = 4 } = options
  const clock: Clock = {
    workgroup: 0,
    size: lowered.workgroupSize,
    turn: 0,
    dropping: 0,
    epochs: { workgroup: 0, storage: 0 }
  }
  const findings = new Findings()
  const places = placesOf(lowered, storage, clock, findings)
  const scope = new Scope(places, findings, clock, subgroup, inlines)
  const body = together(scope, lowered.body, "")
  const lanes = lanesOf(lowered, scope.locals)
  const order = reversed ? [...lanes].reverse() : lanes
  for (let k = 0; k < lowered.programs; k++) {
    begin(scope, places, lanes, reversed ? lowered.programs - 1 - k : k)
    body(order)
  }
  return findings.report()
}

/**
 * What is wrong with a lowered kernel on these arguments; `storage` then holds its results. Fails with `Unsupported` for
 * inline text, which cannot be followed.
 */
export const checkLowered = (
  lowered: Lowered,
  storage: Storage,
  options: LoweredOptions = {}
): Result.Result<LoweredReport, Unsupported> => {
  try {
    return Result.succeed(run(lowered, storage, options))
  } catch (error) {
    if (error instanceof Refused) return Result.fail(error.reason)
    throw error
  }
}

const copied = (storage: Storage): Storage => new Map([...storage].map(([name, data]) => [name, data.slice()]))

/** The barriers that, taken away one at a time, leave a kernel in which nothing is found on any of these arguments. */
export const superfluous = (
  lowered: Lowered,
  storages: ReadonlyArray<Storage>,
  options: LoweredOptions = {}
): Result.Result<ReadonlyArray<BarrierSite>, Unsupported> =>
  Result.gen(function* () {
    const found: Array<BarrierSite> = []
    for (const barrier of barriersOf(lowered)) {
      const without = withoutBarrier(lowered, barrier.number)
      let isNeeded = false
      for (const storage of storages) {
        if (isNeeded) break
        isNeeded = (yield* checkLowered(without, copied(storage), options)).findings.length > 0
      }
      if (!isNeeded) found.push(barrier)
    }
    return found
  })
