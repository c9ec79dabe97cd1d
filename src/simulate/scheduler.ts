/**
 * The cooperative scheduler: one thread goes on at a time, until it ends, waits or lets others go on. Which one that is, and
 * when what is in flight does what it does, is the policy's choice; nothing else is left to chance.
 */
import { axesOf } from "../discharge/order.ts"
import type { Program } from "../ir/program.ts"
import type { Simulation, Wait } from "../ir/simulate.ts"
import { ThreadContext } from "./context.ts"
import { Ended } from "./ended.ts"
import { Machine } from "./machine.ts"
import { Memory } from "./memory.ts"
import * as Tell from "./tell.ts"
import { Instance, Thread, type World } from "./world.ts"

interface Task {
  readonly thread: Thread
  readonly running: Simulation<void>
  wait: Wait | undefined
  /** Nothing will ever bring about what it waits for. */
  isVain: boolean
}

// --- program instances --------------------------------------------------------------------------------------------------

/** One thread of a program instance: the body, for each cell of the sequential axes. */
function* body(thread: Thread, program: Program): Simulation<void> {
  const machine = new Machine(thread, (self, eqn) => new ThreadContext(self, eqn))
  const sequential = axesOf(program.grid, "sequential")
  for (let cell = 0; cell < sequential.count; cell++) {
    sequential.place(cell, thread.at)
    yield* machine.region(program.body, [])
  }
}
const scratchOf = (program: Program, space: "workgroup" | "register"): ReadonlyArray<Memory> =>
  program.body.refs.filter((r) => r.space === space).map((r) => new Memory(r.name, r, "scratch"))

/** The threads of the program instance at a cell of the parallel axes. */
const start = (world: World, number: number): ReadonlyArray<Task> => {
  const { program } = world
  const instance = new Instance(world, number)
  const at = program.grid.map(() => 0)
  axesOf(program.grid, "parallel").place(number, at)
  for (const memory of scratchOf(program, "workgroup")) instance.shared.set(memory.name, memory)
  for (let t = 0; t < (program.threads ?? 1); t++) {
    const thread = new Thread(instance, t, at)
    for (const memory of scratchOf(program, "register")) thread.refs.set(memory.name, memory)
    instance.threads.push(thread)
  }
  return instance.threads.map((thread) => ({ thread, running: body(thread, program), wait: undefined, isVain: false }))
}

/** A thread has ended: what it has started must have been waited for. */
const end = (world: World, { thread }: Task): void => {
  const { home } = thread
  for (const flight of thread.inFlight) Tell.unawaited(world, flight)
  thread.products.settle()
  thread.isDone = true
  world.version++
  home.end([...thread.refs.values()])
  if (!home.threads.every((t) => t.isDone)) return
  world.settle(world.detached.filter(({ instance }) => instance === home))
  for (const flight of home.detached)
    if (home.threads.every((t) => (t.clock.get(flight.actor.id) ?? -1) < flight.actor.time))
      Tell.unawaited(world, flight)
  home.end([...home.shared.values()])
}

// --- scheduling ---------------------------------------------------------------------------------------------------------

export class Scheduler {
  private readonly world: World
  private readonly count: number
  /** Instances that have started. */
  private started = 0
  private live: Array<Task> = []
  /** All program instances have come to their end. */
  isComplete = false
  constructor(world: World) {
    this.world = world
    this.count = axesOf(world.program.grid, "parallel").count
  }

  /** Runs all program instances; yields now and then, so that the run can be stopped. */
  *run(): Generator<void> {
    try {
      for (;;) {
        const task = this.next()
        if (task === undefined) return void (this.isComplete = true)
        this.advance(task)
        yield
      }
    } catch (e) {
      if (!(e instanceof Ended)) throw e
    }
  }

  private advance(task: Task): void {
    const { done, value } = task.running.next(task.isVain)
    task.isVain = false
    if (done === true) {
      this.live = this.live.filter((other) => other !== task)
      end(this.world, task)
    } else task.wait = value ?? undefined
  }
  private isReady({ isVain, wait }: Task): boolean {
    return isVain || wait === undefined || wait.ready()
  }

  /** The task that goes on; none if all have ended, or none ever will. */
  private next(): Task | undefined {
    const { policy } = this.world
    if (policy.interleaves) this.admit(pool)
    for (;;) {
      if (policy.interleaves && this.world.detached.length > 0 && policy.now()) this.settle()
      const ready = this.live.filter((task) => this.isReady(task))
      if (ready.length > 0) return ready[policy.pick(ready.length)]
      if (this.settle() || this.admit(this.live.length + 1)) continue
      if (this.live.length === 0) return undefined
      this.stuck()
    }
  }
  /** Starts program instances until there are so many threads, or as many as may be there at once. */
  private admit(threads: number): boolean {
    const before = this.started
    while (this.live.length < threads && this.started < this.count) {
      const resident = new Set(this.live.map(({ thread }) => thread.home)).size
      if (resident >= this.world.settings.resident) break
      this.live.push(...start(this.world, this.numberOf(this.started++)))
    }
    return this.started > before
  }
  private numberOf(nth: number): number {
    return this.world.settings.schedule === "reversed" ? this.count - 1 - nth : nth
  }
  /** Lets the oldest copy land that lands in its own time. */
  private settle(): boolean {
    const oldest = this.world.detached.slice(0, 1)
    this.world.settle(oldest)
    return oldest.length > 0
  }
  /** All threads wait in vain, and are told so: what a wait gives then says that it was not satisfied. */
  private stuck(): void {
    const waiting = this.live.map(({ thread, wait }) => {
      const eqn = thread.eqn!
      return {
        stand: { actor: thread, eqn, program: thread.program() },
        ref: eqn.refs[0]?.name ?? "",
        detail: wait!.detail()
      }
    })
    // Who has met at the wrong place waits at the right one for that reason.
    if (!this.live.some(({ thread }) => thread.home.meeting.hasDiverged)) Tell.stuck(this.world, waiting)
    // All that could go on has. What threads do that go on in vain tells nothing new.
    this.world.collector.close()
    for (const task of this.live) task.isVain = true
  }
}
/** Threads that take turns, where they do. */
const pool = 64
