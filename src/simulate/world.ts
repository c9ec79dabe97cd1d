/** The state of a run: what all share, what a program instance has, what a thread has. */
import { type Actor, type Clock, nothing, type View } from "./actors.ts"
import { Collector, type Stand } from "./collector.ts"
import { type InFlight, Queue } from "./flights.ts"
import { Origins } from "./origins.ts"
import type { Memory } from "./memory.ts"
import { Barrier } from "./phases.ts"
import type { ArrayValue } from "../ir/array.ts"
import type { Eqn, Program } from "../ir/program.ts"
import type { Shadowed } from "../ir/shadow.ts"
import type { Cells, FlightKind } from "../ir/simulate.ts"
import type { Report } from "../primitives/structural/report.ts"
import type { Policy, Settings } from "./settings.ts"

/** A copy that lands in its own time, and the memory that it uses. */
export interface Detached {
  readonly instance: Instance
  readonly memories: ReadonlyArray<Memory>
  readonly done: () => void
}

export class World {
  readonly program: Program
  readonly settings: Settings
  readonly policy: Policy
  readonly collector: Collector
  readonly origins: Origins
  readonly globals = new Map<string, Memory>()
  /** What was printed and not been delivered. */
  readonly reports: Array<Report> = []
  /** Copies that land in their own time and have not yet. */
  detached: Array<Detached> = []
  /** Changes of memory, and of all that can be waited for. */
  version = 0
  /** Equations with effects that were run. */
  steps = 0
  /** Elements that were touched. */
  accesses = 0
  readonly flights = new WeakMap<Actor, InFlight>()
  /** Cells that undefined indices pick: what is wrong with them has been told. */
  readonly stray = new WeakSet<Cells>()
  private nextActor = 0
  constructor(program: Program, settings: Settings, policy: Policy) {
    this.program = program
    this.settings = settings
    this.policy = policy
    this.collector = new Collector(program)
    this.origins = new Origins((eqn) => this.collector.numberOf(eqn))
  }
  /** What an actor is, if it is no thread. */
  flightOf(actor: Actor): InFlight | undefined {
    return this.flights.get(actor)
  }
  /** Lets copies land that land in their own time. */
  settle(copies: ReadonlyArray<Detached>): void {
    this.detached = this.detached.filter((copy) => !copies.includes(copy))
    for (const { done } of copies) done()
  }
  newActor(): number {
    return this.nextActor++
  }
}

/** Threads of a program instance that have come to a place where all must come. */
export interface Meeting {
  stands: ReadonlyArray<Stand>
  view: View
  /** What the last meeting released, and how many there were. */
  released: View
  held: number
  /** They have come to different places, and are out of step from then on. */
  hasDiverged: boolean
}

/** Scratch that the threads have together inside a scope, until the last has left it. */
interface SharedScope {
  readonly refs: ReadonlyMap<string, Memory>
  left: number
}

/** A wait by one of several threads. */
interface Waited {
  readonly time: number
  /** Time up to which it knew of each thread of its program instance. */
  readonly seen: ReadonlyArray<number>
}

/** A program instance. */
export class Instance {
  readonly world: World
  readonly number: number
  readonly shared = new Map<string, Memory>()
  private readonly barriers = new Map<Memory, Map<number, Barrier>>()
  /** Copies that land in their own time. */
  readonly detached: Array<InFlight> = []
  readonly meeting: Meeting = { stands: [], view: nothing(), released: nothing(), held: 0, hasDiverged: false }
  /** By the scope, and how often a thread has come to it. */
  private readonly scopes = new Map<Eqn, Array<SharedScope>>()
  readonly threads: Array<Thread> = []
  constructor(world: World, number: number) {
    this.world = world
    this.number = number
  }
  barrier(memory: Memory, cell: number): Barrier {
    let of = this.barriers.get(memory)
    if (of === undefined) this.barriers.set(memory, (of = new Map()))
    let barrier = of.get(cell)
    if (barrier === undefined) of.set(cell, (barrier = new Barrier(memory, cell, this.world.collector)))
    return barrier
  }
  /** The scratch that threads have together which come to a scope for the same time. */
  scope(thread: Thread, eqn: Eqn, allocate: () => ReadonlyMap<string, Memory>): SharedScope {
    const nth = thread.entered.get(eqn) ?? 0
    thread.entered.set(eqn, nth + 1)
    const all = this.scopes.get(eqn) ?? []
    this.scopes.set(eqn, all)
    return (all[nth] ??= { refs: allocate(), left: this.threads.length })
  }
  /** The scope of scratch ends, and with it what its barriers are for; what uses it is done by then. */
  end(memories: ReadonlyArray<Memory>): void {
    const uses = (copy: Detached): boolean => copy.instance === this && copy.memories.some((m) => memories.includes(m))
    this.world.settle(this.world.detached.filter(uses))
    for (const memory of memories) {
      for (const barrier of this.barriers.get(memory)?.values() ?? []) barrier.end()
      this.barriers.delete(memory)
    }
  }
}

export class Thread implements Actor {
  readonly by = "thread"
  readonly id: number
  readonly instance: number
  readonly home: Instance
  readonly thread: number
  /** Where it stands in the grid. */
  readonly at: Array<number>
  time = 0
  clock: Clock = new Map()
  proxy: Clock | undefined
  readonly values = new Map<number, Shadowed>()
  readonly refs = new Map<string, Memory>()
  /** The equation with effects that it runs. */
  eqn: Eqn | undefined
  /** Changes that it has made. */
  changes = 0
  readonly inFlight = new Set<InFlight>()
  readonly products = new Queue()
  readonly tokens = new WeakMap<ArrayValue, InFlight>()
  /** Numbers of actors whose work was waited for, with their time. */
  readonly idle: Array<{ readonly id: number; readonly time: number }> = []
  /** Its waits for something of a kind that it knew more of its peers at than at the one before. */
  readonly waits: { readonly [K in FlightKind]: Array<Waited> } = { copy: [], multiplyAccumulate: [] }
  /** How often it has come to a scope. */
  readonly entered = new Map<Eqn, number>()
  isDone = false
  constructor(home: Instance, thread: number, at: ReadonlyArray<number>) {
    this.id = home.world.newActor()
    this.home = home
    this.instance = home.number
    this.thread = thread
    this.at = [...at]
    if (home.world.settings.asyncProxy) this.proxy = new Map()
  }
  program = (): ReadonlyArray<number> => [...this.at]

  /** It waits for what was started: not by others, although it may know of that. */
  waitsFor(kind: FlightKind): void {
    const { threads } = this.home
    if (threads.length === 1) return
    const seen = threads.map(({ id }) => this.clock.get(id) ?? -1)
    const before = this.waits[kind].at(-1)?.seen
    if (before?.every((time, t) => time === seen[t]) !== true) this.waits[kind].push({ time: ++this.time, seen })
  }
}
