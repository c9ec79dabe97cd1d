/**
 * What rules of the Simulator work with: a rule does for one thread what its primitive does, and says who touches which
 * elements.
 *
 * A rule is a generator, which yields what it waits for.
 */
import type { ArrayValue } from "./array.ts"
import type { Atom, Aval, Eqn, Params, RefType } from "./program.ts"
import type { Shadowed } from "./shadow.ts"

/** What a thread waits for, and how it stands. */
export interface Wait {
  readonly ready: () => boolean
  readonly detail: () => string
}
/** Runs to the end; yields a wait, or nothing where another thread may run. It is told whether it waits in vain. */
export type Simulation<A> = Generator<Wait | undefined, A, boolean>

/** What is done to an element in one step. Steps of one kind commute, except for `exchange`; a `look` changes nothing. */
export type StepKind = "add" | "max" | "min" | "and" | "or" | "xor" | "exchange" | "look"
/** Cells of a ref that a view shows, in row-major order of the view; below 0 where there is none. */
export type Cells = Int32Array
/** A pure operation on an array through a view, and what it gets besides: a tile, perhaps more, perhaps a mask. */
export interface Change {
  readonly primitive: "viewAdd" | "viewAtomic" | "viewCompareExchange"
  readonly params?: Params
  readonly operands: ReadonlyArray<Shadowed>
  readonly mask?: Shadowed | undefined
}

/** What touches memory: a thread, or something that it has started. Refs are those of one equation, by number. */
export interface Hands {
  /** What the cells hold: 0 where there is none, `other` where the mask does not hold. */
  readonly read: (ref: number, cells: Cells, mask?: Shadowed, other?: Shadowed) => Shadowed
  /** Stores a tile where the mask holds; what is outside the ref is lost. */
  readonly write: (ref: number, cells: Cells, value: Shadowed, mask?: Shadowed) => void
  /** Changes elements; gives what each step found, if the change does. */
  readonly step: (ref: number, cells: Cells, kind: StepKind, change: Change) => Shadowed | undefined
}

/** Something that a thread has started and that goes on beside it. */
export interface Flight {
  /** What it reads, when it does: at once, or as late as it may. */
  readonly take: () => Shadowed
}
export type FlightKind = "copy" | "multiplyAccumulate"
export interface Flights {
  /** Starts something that reads what `take` reads. */
  readonly launch: (kind: FlightKind, ref: string, take: (hands: Hands) => Shadowed) => Flight
  readonly token: (flight: Flight, aval: Aval) => Shadowed
  readonly flightOf: (token: Shadowed) => Flight
  /** Its hands, on the refs of this equation. */
  readonly by: (flight: Flight) => Hands
  /** The thread has waited for it: all that it did comes before what the thread does next. */
  readonly land: (flight: Flight) => void
  /** Lets it do `done` in its own time, and then arrive. */
  readonly detach: (flight: Flight, done: () => void) => void
  /** Lets it do `done` in its own time, after what was queued before. */
  readonly enqueue: (flight: Flight, done: () => void) => void
  /** Waits until at most so many that were queued are in flight. */
  readonly drain: (atMost: number) => void
}

/** Phases of one barrier, as one thread sees them. */
export interface Phases {
  /** One arrival: of the thread, or of something in flight. */
  readonly arrive: (flight?: Flight) => void
  /** Whether a phase is complete that the thread has not observed. */
  readonly isComplete: () => boolean
  readonly observe: () => void
  readonly wait: Wait
}

export interface SimulateContext extends Hands, Flights {
  readonly thread: number
  readonly aval: (ref: number) => RefType
  readonly value: (atom: Atom) => Shadowed
  /** Cells that the view of a ref shows, -1 and -2 where there is none; what picks them must be defined, where it counts. */
  readonly cells: (ref: number, mask?: Shadowed) => Cells
  /** What a pure primitive gives, with what of it is undefined. */
  readonly pure: (primitive: string, operands: ReadonlyArray<Shadowed>, params?: Params) => Shadowed
  /** A scalar on which control, or an amount, depends: it must be defined. */
  readonly decide: (operand: Shadowed) => number

  readonly region: (k: number, args: ReadonlyArray<Shadowed>) => Simulation<ReadonlyArray<Shadowed>>
  /** Runs the region with the scratch that it declares, which may be that of all threads of the program instance. */
  readonly scope: (collective: boolean) => Simulation<ReadonlyArray<Shadowed>>
  /** A turn of a loop begins; gives a mark of what the thread has changed so far. */
  readonly turn: () => number
  /** Where the next turn would be `same` as the last, which has changed nothing since the mark: waits for a change. */
  readonly idle: (mark: number, same: boolean) => Simulation<void>

  readonly phases: (ref: number) => Phases | undefined
  /** Cells of the ref that nothing has been written to are 0 on purpose. */
  readonly settle: (ref: number) => void
  /** Those who acquire the cells later see what the thread has done so far. */
  readonly release: (ref: number, cells: Cells) => void
  readonly acquire: (ref: number, cells: Cells) => void
  /** What i32 cells hold; 0 outside. Nobody touches them. */
  readonly look: (ref: number, cells: Cells) => Int32Array
  readonly fence: () => void
  /** Waits for all threads of the program instance. */
  readonly meet: () => Simulation<void>
  readonly report: (values: ReadonlyArray<ArrayValue>) => void
  readonly fail: (values: ReadonlyArray<ArrayValue>) => never
}
export type SimulateRule = (
  ctx: SimulateContext,
  eqn: Eqn,
  operands: ReadonlyArray<Shadowed>
) => Simulation<ReadonlyArray<Shadowed>>
