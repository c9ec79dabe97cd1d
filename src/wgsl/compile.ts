/** From a program to a WGSL module. */
import { Result } from "effect"
import { InvalidKernel, type KernelError, LimitExceeded, NotImplemented, Unsupported } from "../Errors.ts"
import type { Lowered, Memory } from "../ir/lowered.ts"
import type { Primitive } from "../ir/primitive.ts"
import type { Eqn, Program } from "../ir/program.ts"
import { primitive } from "../primitives/index.ts"
import { severalThreads } from "../primitives/structural/threads.ts"
import type { Decided, Schedule } from "../Schedule.ts"
import * as Shape from "../Shape.ts"
import { allocate } from "./allocate.ts"
import { barriers } from "./barriers.ts"
import { checkInlines } from "./checkInlines.ts"
import { emit } from "./emit.ts"
import { type Facts, gatherFacts, type Resolved } from "./facts.ts"
import { fail, Failure } from "./failure.ts"
import { layouts } from "./layouts.ts"
import { lower, programsOf } from "./lower.ts"
import type { Module } from "./module.ts"
import { Namer } from "./names.ts"
import { checkProgress } from "./progress.ts"
import { decide } from "./schedule.ts"
import { largestSubgroup, needsSubgroups } from "./subgroups.ts"
import { tidy } from "./tidy.ts"
import { uniformity } from "./uniformity.ts"

export interface Options {
  /** The primitive of a name, with the rules in context; the library's own list if left out. */
  readonly lookup?: (name: string) => Primitive | undefined
  readonly schedule?: Schedule
  /** Lanes of the device's largest subgroup; 0 if it has none, and as many as WebGPU knows if left out. */
  readonly subgroup?: number
  /** Whether comments say where equations were written; true if left out. */
  readonly positions?: boolean
}

const missing = (program: Program, eqn: Eqn, primitive: Primitive | undefined): never => {
  const gap = primitive?.gaps?.Gpu
  throw new Failure(
    new NotImplemented({
      primitive: eqn.primitive,
      interpreter: "Gpu",
      kernel: program.name,
      reason: gap?.reason ?? "it has no WGSL rule",
      source: eqn.source?.show(),
      hint: gap?.hint ?? "run it on Discharge, or use standard primitives"
    })
  )
}
const checkThreads = ({ name, threads }: Program): void => {
  if (threads !== undefined)
    throw new Failure(new NotImplemented({ ...severalThreads, interpreter: "Gpu", kernel: name }))
}
const resolver =
  (program: Program, lookup: (name: string) => Primitive | undefined) =>
  (eqn: Eqn): Resolved => {
    const primitive = lookup(eqn.primitive)
    const rule = primitive?.wgsl
    if (primitive === undefined || rule === undefined) return missing(program, eqn, primitive)
    return {
      primitive,
      rule: rule._tag === "Choose" ? (rule.of(eqn, (name) => program.inlines[name]!) as Resolved["rule"]) : rule
    }
  }

/** Memory of the refs that are bound: those that the program touches. */
const bind = (program: Program, facts: Facts, names: Namer): ReadonlyMap<string, Memory> => {
  const bound = new Map<string, Memory>()
  for (const { access, dtype, name, shape } of program.refs) {
    const fact = facts.refs.get(name)
    if (fact === undefined) continue
    bound.set(name, {
      name: names.fresh(name),
      space: "storage",
      dtype,
      length: Math.max(1, Shape.size(shape)),
      offset: 0,
      // What starts as zeros is no input.
      writable: fact.written || access === "out",
      atomic: fact.contended || (fact.accumulated && programsOf(program) > 1)
    })
  }
  return bound
}

const check = (program: Program, schedule: Decided): void => {
  const { workgroupSize } = schedule
  if (program.discharged.length > 0)
    fail(
      program.name,
      new Unsupported({
        primitive: "discharge",
        interpreter: "Gpu",
        detail: "refs of the program were rewritten to values",
        hint: "run the program as it was before discharge"
      })
    )
  if (!Number.isInteger(workgroupSize) || workgroupSize < 1)
    fail(
      program.name,
      new InvalidKernel({ detail: `a workgroup of ${workgroupSize}`, hint: "give a whole number of at least 1" })
    )
  const programs = programsOf(program)
  if (programs > maxPrograms)
    fail(
      program.name,
      new LimitExceeded({
        limit: "program instances",
        allowed: maxPrograms,
        requested: programs,
        hint: "use larger blocks"
      })
    )
}
/** The size of subgroups for a program that needs them, else 1: workgroups must be multiples of it. */
const subgroupFor = (program: Program, device: number): number => {
  const needing = needsSubgroups(program)
  if (needing === undefined) return 1
  if (device > 0) return device
  const source = needing.source?.show()
  return fail(
    program.name,
    new Unsupported({
      primitive: needing.primitive,
      interpreter: "Gpu",
      detail: 'the device was made without the feature "subgroups"',
      hint: 'ask for it (requiredFeatures: ["subgroups"]) where the adapter has it, else use Tile.sum and its like',
      ...(source === undefined ? {} : { source })
    })
  )
}
const checkSubgroups = (program: Program, { workgroupSize }: Decided, subgroup: number): void => {
  if (workgroupSize % subgroup !== 0)
    fail(
      program.name,
      new InvalidKernel({
        detail: `a workgroup of ${workgroupSize}, which subgroups of up to ${subgroup} do not fill`,
        hint: `give a multiple of ${subgroup}`
      })
    )
}
/** Positions in the grid are i32. */
const maxPrograms = 2 ** 31 - 1

/** A program before it is text. */
export interface Prepared {
  readonly lowered: Lowered
  readonly spillWords: number
  readonly names: Namer
  /** Name of the ref behind a bound memory. */
  readonly refOf: (memory: Memory) => string
}
/** All passes but the last; throws a `Failure`. */
export const prepare = (program: Program, options: Options = {}): Prepared => {
  checkThreads(program)
  const subgroup = subgroupFor(program, options.subgroup ?? largestSubgroup)
  const schedule = decide(program, options.schedule ?? {}, subgroup)
  check(program, schedule)
  checkSubgroups(program, schedule, subgroup)
  checkInlines(program)
  checkProgress(program)
  const facts = gatherFacts(program, schedule.workgroupSize, resolver(program, options.lookup ?? primitive))
  const places = layouts(facts, schedule)
  const names = new Namer()
  const refs = bind(program, facts, names)
  const allocation = allocate(facts, places, schedule, names)
  const plan = {
    program,
    schedule,
    facts,
    layouts: places,
    allocation,
    names,
    refs,
    positions: options.positions ?? true
  }
  const lowered = barriers(tidy(uniformity(lower(plan))))
  const refNames = new Map([...refs].map(([name, memory]) => [memory.name, name]))
  return { lowered, spillWords: allocation.arena.spillWords, names, refOf: (memory) => refNames.get(memory.name)! }
}

const compileUnsafe = (program: Program, options: Options): Module => {
  const { lowered, names, refOf, spillWords } = prepare(program, options)
  const lookup = options.lookup ?? primitive
  return emit(lowered, {
    primitive: (name) => lookup(name)!,
    inlines: program.inlines,
    namer: names,
    refOf,
    spillWords,
    grid: program.grid
  })
}

/** The module that runs a program, or why there is none. */
export const compile = (
  program: Program,
  options: Options = {}
): Result.Result<Module, KernelError | NotImplemented> => {
  try {
    return Result.succeed(compileUnsafe(program, options))
  } catch (error) {
    if (error instanceof Failure) return Result.fail(error.error)
    throw error
  }
}
