/** What a rule gets for one run of an equation by a thread. */
import { type ArrayValue, zeros } from "../ir/array.ts"
import type { Atom, Aval, Eqn, Params, RefType } from "../ir/program.ts"
import type { Shadowed } from "../ir/shadow.ts"
import type { Cells, Flight, FlightKind, Hands, Phases, SimulateContext, Simulation } from "../ir/simulate.ts"
import { stop } from "../discharge/stop.ts"
import { failureOf } from "../primitives/structural/report.ts"
import { acquire, acquireFrom, known, nothing, release } from "./actors.ts"
import { Ended } from "./ended.ts"
import { InFlight } from "./flights.ts"
import { type Work, WorkingHands } from "./hands.ts"
import type { Machine } from "./machine.ts"
import type { Memory } from "./memory.ts"
import { meet } from "./meeting.ts"
import * as Tell from "./tell.ts"
import { cellsOf, reachOf } from "./views.ts"
import type { Thread, World } from "./world.ts"

const valueOf = ({ value }: Shadowed): ArrayValue => value

export class ThreadContext extends WorkingHands implements SimulateContext {
  private readonly machine: Machine
  private readonly owner: Thread
  private readonly world: World
  private readonly eqn: Eqn
  private turns = 0

  constructor(machine: Machine, eqn: Eqn) {
    const { owner } = machine
    super(machine.workOf(eqn), owner)
    this.machine = machine
    this.owner = owner
    this.world = owner.home.world
    this.eqn = eqn
  }
  private get stand() {
    return { actor: this.owner, eqn: this.eqn, program: this.owner.program() }
  }
  private memory(ref: number): Memory {
    return this.work.memory(ref)
  }

  // --- values -----------------------------------------------------------------------------------------------------------

  get thread(): number {
    return this.owner.thread
  }
  aval(ref: number): RefType {
    return this.memory(ref).type
  }
  value(atom: Atom): Shadowed {
    return this.machine.value(atom)
  }
  pure(name: string, operands: ReadonlyArray<Shadowed>, params: Params = {}): Shadowed {
    return this.machine.pure(name, operands, params)
  }
  decide(operand: Shadowed): number {
    this.mustBeDefined(operand, "condition")
    return operand.value.data[0]!
  }
  /** Whether it is; else it is told. */
  private mustBeDefined({ origins }: Shadowed, where: "condition" | "index", counts?: ArrayValue): boolean {
    const origin = origins?.find((o, e) => o !== 0 && (counts === undefined || counts.data[e] !== 0))
    if (origin !== undefined) Tell.reaches(this.world, origin, where, this.stand)
    return origin === undefined
  }
  cells(ref: number, mask?: Shadowed): Cells {
    const reach = reachOf(this.eqn, ref, this.memory(ref).type)
    if (mask !== undefined) this.mustBeDefined(mask, "condition")
    const indices = this.eqn.indices.map(this.work.value)
    let isDefined = true
    for (const k of reach.slots) {
      const index = indices[k]!
      const isMaskOf = mask !== undefined && mask.value.data.length === index.value.data.length
      if (!this.mustBeDefined(index, "index", isMaskOf ? mask.value : undefined)) isDefined = false
    }
    const cells = cellsOf(reach, indices.map(valueOf), mask?.value)
    if (!isDefined) this.world.stray.add(cells)
    return cells
  }

  // --- control ----------------------------------------------------------------------------------------------------------

  region(k: number, args: ReadonlyArray<Shadowed>): Simulation<ReadonlyArray<Shadowed>> {
    return this.machine.region(this.eqn.regions[k]!, args)
  }
  scope(collective: boolean): Simulation<ReadonlyArray<Shadowed>> {
    return this.machine.scope(this.eqn, collective)
  }
  turn(): number {
    const { owner, world } = this
    const turns = (this.turns += 1)
    if (turns > world.settings.turns) {
      Tell.endless(world, owner, this.eqn, turns - 1)
      throw new Ended()
    }
    return owner.changes
  }
  *idle(mark: number, same: boolean): Simulation<void> {
    const { owner, world } = this
    if (!same || owner.changes !== mark) return
    const { version } = world
    const detail = () => "a loop that goes on until memory changes"
    if (yield { ready: () => world.version !== version, detail }) throw new Ended()
  }

  // --- work in flight ---------------------------------------------------------------------------------------------------

  launch(kind: FlightKind, ref: string, take: (hands: Hands) => Shadowed): InFlight {
    const { owner, world } = this
    const own = owner.idle.shift()
    const from = { thread: owner, time: ++owner.time }
    const clock = known(owner)
    const actor = {
      id: own?.id ?? world.newActor(),
      time: own?.time ?? 0,
      program: owner.program,
      instance: owner.instance,
      thread: owner.thread,
      by: kind,
      clock,
      proxy: owner.proxy && new Map(owner.proxy)
    }
    const hands = new WorkingHands(this.fixed(), actor)
    const flight = new InFlight(kind, actor, { ...this.stand, actor }, ref, from, () => take(hands))
    world.flights.set(actor, flight)
    owner.inFlight.add(flight)
    if (world.policy.now()) flight.take()
    return flight
  }
  /** The work, with values as they are now: what is in flight does not see what comes later. */
  private fixed(): Work {
    const values = new Map(this.eqn.indices.map((atom) => [atom, this.value(atom)]))
    const memories = this.eqn.refs.map((_, k) => this.memory(k))
    const value = (atom: Atom): Shadowed => values.get(atom)!
    const evaluation = { ...this.work.evaluation, value: (atom: Atom) => value(atom).value }
    return { ...this.work, memory: (ref) => memories[ref]!, value, evaluation }
  }
  token(flight: Flight, aval: Aval): Shadowed {
    const value = zeros(aval)
    this.owner.tokens.set(value, flight as InFlight)
    return { value, origins: undefined }
  }
  flightOf({ value }: Shadowed): InFlight {
    return this.owner.tokens.get(value)!
  }
  by(flight: Flight): Hands {
    return new WorkingHands(this.fixed(), (flight as InFlight).actor)
  }
  land(flight: Flight): void {
    const { owner } = this
    const { actor } = flight as InFlight
    owner.waitsFor((flight as InFlight).kind)
    owner.inFlight.delete(flight as InFlight)
    acquire(owner.clock, known(actor))
    if (owner.proxy !== undefined) acquire(owner.proxy, known(actor))
    owner.idle.push({ id: actor.id, time: actor.time })
  }
  detach(flight: Flight, done: () => void): void {
    const { home, inFlight } = this.owner
    inFlight.delete(flight as InFlight)
    home.detached.push(flight as InFlight)
    if (this.world.policy.now()) return done()
    const memories = this.eqn.refs.map((_, k) => this.memory(k))
    this.world.detached.push({ instance: home, memories, done })
  }
  enqueue(flight: Flight, done: () => void): void {
    const { products } = this.owner
    const { actor } = flight as InFlight
    const before = products.last
    products.push(flight as InFlight, () => {
      if (before !== undefined) acquire(actor.clock, known(before.actor))
      done()
    })
    if (this.world.policy.now()) products.settle()
  }
  drain(atMost: number): void {
    const { products } = this.owner
    this.owner.waitsFor("multiplyAccumulate")
    while (products.length > atMost) this.land(products.shift()!)
  }

  // --- waiting ----------------------------------------------------------------------------------------------------------

  phases(ref: number): Phases | undefined {
    const { owner, stand, world } = this
    const [cell] = this.cells(ref)
    if (cell === undefined || cell < 0) return undefined
    const barrier = owner.home.barrier(this.memory(ref), cell)
    return {
      arrive: (flight) => {
        const by = (flight as InFlight | undefined)?.actor ?? owner
        owner.changes++
        world.version++
        barrier.arrive(flight === undefined ? stand : { ...stand, actor: by })
      },
      isComplete: () => barrier.isComplete(owner),
      observe: () => barrier.observe(owner, stand),
      wait: { ready: () => barrier.isComplete(owner), detail: () => barrier.standing() }
    }
  }
  settle(ref: number): void {
    this.memory(ref).settle()
  }
  release(ref: number, cells: Cells): void {
    const { released } = this.memory(ref)
    for (const cell of cells) {
      const view = released.get(cell) ?? nothing()
      release(this.owner, view)
      released.set(cell, view)
    }
  }
  acquire(ref: number, cells: Cells): void {
    const { released } = this.memory(ref)
    for (const cell of cells) acquireFrom(this.owner, released.get(cell) ?? nothing())
  }
  look(ref: number, cells: Cells): Int32Array {
    const { value } = this.memory(ref)
    return cells.map((cell) => (cell < 0 ? 0 : value.data[cell]!))
  }
  fence(): void {
    if (this.owner.proxy !== undefined) acquire(this.owner.proxy, known(this.owner))
  }
  meet(): Simulation<void> {
    return meet(this.owner, this.eqn)
  }

  // --- what is said -----------------------------------------------------------------------------------------------------

  report(all: ReadonlyArray<ArrayValue>): void {
    const values = all.map((v) => ({ ...v, data: v.data.slice() }))
    this.world.reports.push({ eqn: this.eqn, program: this.owner.program(), values })
  }
  fail(values: ReadonlyArray<ArrayValue>): never {
    return stop(this.world.program.name, failureOf({ eqn: this.eqn, program: this.owner.program(), values }))
  }
}
