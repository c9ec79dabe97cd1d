/**
 * Programs at random: well typed by construction, since every equation is typed by its primitive's own rule, and free of
 * races between program instances, since each writes only its own part of a ref, or adds to one that nobody reads.
 *
 * Which pure primitives there are, how often they occur and what parameters they take, the records say.
 */
import { type Lookup } from "../../ir/check.ts"
import type { Primitive } from "../../ir/primitive.ts"
import type { GridAxis, Program, RefDecl, Region, Scratch } from "../../ir/program.ts"
import * as Shape from "../../Shape.ts"
import { attempt } from "../../ir/build.ts"
import * as Control from "./control.ts"
import * as Debug from "./debug.ts"
import type { Draw } from "./draw.ts"
import { inline } from "./inlines.ts"
import { array, copy, drain, initialise, load, memory } from "./memory.ts"
import { matrix } from "./matrix.ts"
import { pure } from "./pure.ts"
import * as Refs from "./refs.ts"
import { Gen } from "./state.ts"
import * as Threads from "./threads.ts"
import * as Waits from "./waits.ts"
import { primitive, primitives } from "../../primitives/index.ts"

export interface ProgramOptions {
  /** Equations to aim at; 14 if absent. Some more are written to bring operands into shape. */
  readonly equations?: number
  /** Primitives to choose from, besides those that every program needs; all if absent. */
  readonly primitives?: ReadonlyArray<Primitive>
  /** How often an inline lacks the rule that says what it means, so that only a GPU runs it; never if absent. */
  readonly unruled?: number
  /** Whether nothing is undefined, out of bounds or out of order, so that the Simulator finds nothing; false if absent. */
  readonly careful?: boolean
  /** How often an assertion need not hold, so that the run may end there; never if absent. */
  readonly failing?: number
  /**
   * Threads of a program instance at most, which only the Simulator runs: one runs what other programs are made of, and hands
   * results on. None if absent.
   */
  readonly threads?: number
}

/** Primitives that need more than operands and parameters, which this folder writes by itself. */
const written: ReadonlySet<string> = new Set([
  "load",
  "store",
  "swap",
  "accumulate",
  "atomic",
  "compareExchange",
  "viewGet",
  "viewPut",
  "viewAdd",
  "viewAtomic",
  "viewCompareExchange",
  "copyStart",
  "copyWait",
  "fence",
  "barrierArrive",
  "barrierTest",
  "barrierWait",
  "sync",
  "semaphoreSignal",
  "semaphoreRead",
  "semaphoreWaitLocal",
  "accumulatorSet",
  "accumulatorRead",
  "multiplyAccumulate",
  "pipelineWait",
  "print",
  "assert",
  "programId",
  "numPrograms",
  "cond",
  "fori",
  "while",
  "scoped",
  "inline"
])
/** Whether programs hold a primitive. */
export const isGenerated = ({ generate, name }: Primitive): boolean => generate.weight > 0 || written.has(name)

interface Way {
  readonly weight: number
  readonly write: (gen: Gen, depth: number) => void
}
const nested =
  (write: (gen: Gen, body: Control.Body) => void) =>
  (ways: ReadonlyArray<Way>) =>
  (gen: Gen, depth: number): void =>
    write(gen, (g) => statements(ways, g, depth + 1, g.draw.between(1, 3)))

const waysOf = (options: ProgramOptions): ReadonlyArray<Way> => {
  const ways: Array<Way> = []
  const add = (weight: number, write: Way["write"]) => ways.push({ weight, write })
  add(60, pure)
  add(24, memory)
  add(6, array)
  const withMeanwhile = (write: (gen: Gen, meanwhile: () => void) => void) => (gen: Gen) =>
    write(gen, () => void attempt(() => gen.draw.of([pure, memory])(gen)))
  /** With nothing in between that could touch what is in flight. */
  const inFlight = (write: (gen: Gen, meanwhile: () => void) => void) =>
    options.careful === true ? (gen: Gen) => write(gen, () => void attempt(() => pure(gen))) : withMeanwhile(write)
  add(4, inFlight(copy))
  add(3, withMeanwhile(Waits.barrier))
  add(3, withMeanwhile(Waits.semaphore))
  add(2, inFlight(matrix))
  // Only all threads together can meet.
  for (const write of options.threads === undefined ? [Waits.sync, Debug.print] : [Debug.print]) add(1, write)
  add(1, (gen) => Debug.assert(gen, options.failing ?? 0))
  add(6, (gen) => inline(gen, !gen.draw.chance(options.unruled ?? 0)))
  add(3, (gen) => {
    if (gen.place.length > 0) gen.op("numPrograms", [], { axis: gen.draw.below(gen.place.length) })
  })
  for (const write of [Control.cond, Control.fori, Control.whileLoop, Control.scoped])
    add(4, (gen, depth) => (depth < 2 ? nested(write)(ways)(gen, depth) : pure(gen)))
  return ways
}
const statements = (ways: ReadonlyArray<Way>, gen: Gen, depth: number, count: number): void => {
  for (let k = 0; k < count && gen.budget > 0; k++)
    attempt(() => gen.draw.weighted(ways, (way) => way.weight).write(gen, depth))
}

/** Elements of all refs that are made for left-over values. */
const room = 2048
/** Values that nothing has used go into refs, lest they be dead: some into those there are, some into their own. */
const finish = (gen: Gen, grid: ReadonlyArray<GridAxis>): ReadonlyArray<RefDecl> => {
  for (const ref of gen.refs.filter((r) => r.policy !== "read")) {
    const value = gen.draw.maybe(gen.leftOver())
    if (value !== undefined && gen.draw.chance(0.5)) attempt(() => drain(gen, ref, value))
  }
  const cells = Shape.size(grid.map((axis) => axis.size))
  const made: Array<RefDecl> = []
  for (const value of gen.draw.shuffled(gen.leftOver()).slice(0, 3)) {
    if (cells * Shape.size(value.shape) > room) continue
    made.push(Refs.outlet(gen, grid, value))
    drain(gen, gen.refs.at(-1)!, value)
  }
  return made
}
const body = (gen: Gen, grid: ReadonlyArray<GridAxis>, options: ProgramOptions): ReadonlyArray<RefDecl> => {
  // A load first, so that there is something to work on.
  for (const ref of gen.refs.filter((r) => r.policy === "read").slice(0, 2)) attempt(() => load(gen, ref))
  statements(waysOf(options), gen, 0, 40)
  return finish(gen, grid)
}

/** The body of a program with threads: statements for the thread of each phase. */
const threadedBody = (
  gen: Gen,
  grid: ReadonlyArray<GridAxis>,
  options: ProgramOptions,
  threads: Threads.Threads,
  kept: ReadonlyArray<Scratch>
): ReadonlyArray<RefDecl> => {
  const made: Array<RefDecl> = []
  const all = gen.budget
  initialise(
    gen,
    kept.filter((ref) => ref.space === "register")
  )
  Threads.phases(gen, threads, (k) => {
    if (k === 0)
      initialise(
        gen,
        kept.filter((ref) => ref.space === "workgroup")
      )
    gen.budget = Math.ceil(all / threads.phases.length)
    made.push(...body(gen, grid, options))
  })
  return [...threads.phases.map(({ to }) => to), ...made]
}

/** Definitions that equations use. */
const used = (region: Region, inlines: Program["inlines"]): Program["inlines"] => {
  const names = new Set<string>()
  const visit = (r: Region): void => {
    for (const eqn of r.eqns) {
      if (eqn.primitive === "inline") names.add(String(eqn.params["inline"]))
      eqn.regions.forEach(visit)
    }
  }
  visit(region)
  return Object.fromEntries(Object.entries(inlines).filter(([name]) => names.has(name)))
}

/** A program; everything about it comes from `draw`. */
export const program = (draw: Draw, options: ProgramOptions = {}): Program => {
  const grid: ReadonlyArray<GridAxis> = Refs.grid(draw)
  const chosen = options.primitives ?? primitives
  const lookup: Lookup = (name) => chosen.find((p) => p.name === name) ?? primitive(name)
  const equations = options.equations ?? 14
  const gen = new Gen(draw, chosen, lookup, grid.length, options.careful ?? false)
  const kept = Array.from({ length: draw.weighted([0, 1, 2], (n) => [6, 3, 1][n]!) }, () => Refs.anyScratch(gen))
  const threads = options.threads === undefined ? undefined : Threads.plan(gen, grid, options.threads)
  // Each thread that waits for a barrier waits for all of its phases, so each has its own.
  if (threads !== undefined)
    kept.forEach((ref, k) => ref.role?.kind === "barrier" && (kept[k] = { ...ref, space: "register" }))
  let refs: Program["refs"] = []
  const region = gen.builder.region(
    [],
    () => {
      for (const axis of grid.keys()) gen.place.push(gen.op("programId", [], { axis }))
      refs = Refs.refs(gen, grid)
      for (const ref of kept) Refs.useScratch(gen, ref)
      if (threads === undefined) initialise(gen, kept)
      else
        for (const ref of [...Threads.scratchOf(threads), ...threads.phases.map(({ to }) => to)])
          gen.builder.declare(ref)
      gen.budget = draw.between(Math.ceil(equations / 3), equations)
      const more = threads === undefined ? body(gen, grid, options) : threadedBody(gen, grid, options, threads, kept)
      refs = [...refs, ...more]
      return []
    },
    threads === undefined ? kept : [...kept, ...Threads.scratchOf(threads)]
  )
  const inlines = used(region, gen.builder.inlines)
  const declared = threads === undefined ? {} : { threads: threads.count }
  return { name: "generated", grid, ...declared, refs, body: region, discharged: [], inlines }
}
