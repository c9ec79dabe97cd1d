/** What is wrong, in words: turns what a run has noticed into findings. */
import type { Eqn } from "../ir/program.ts"
import type { Uninitialised } from "../Findings.ts"
import type { Access, Actor } from "./actors.ts"
import { placeOf, type Stand } from "./collector.ts"
import type { InFlight } from "./flights.ts"
import type { Memory } from "./memory.ts"
import type { Zeros } from "./settings.ts"
import { padding } from "./views.ts"
import type { Thread, World } from "./world.ts"

const standOf = (actor: Actor, eqn: Eqn): Stand => ({ actor, eqn, program: actor.program() })

// --- races --------------------------------------------------------------------------------------------------------------

type Among = "threads" | "programs" | "copy" | "multiplyAccumulate"
/** Of two that are in flight, the one that was started first should have been waited for. */
const amongOf = (world: World, a: Actor, b: Actor): Among => {
  if (a.instance !== b.instance) return "programs"
  const [one, other] = [world.flightOf(a), world.flightOf(b)]
  if (one === undefined || other === undefined) return (one ?? other)?.kind ?? "threads"
  return one.isBefore(other) ? one.kind : other.isBefore(one) ? other.kind : "copy"
}
const verbs = { read: "reads", write: "writes" } as const
const verb = ({ kind }: Access): string => (kind === "read" || kind === "write" ? verbs[kind] : "changes in a step")
const hints: { readonly [A in Among]: string } = {
  threads: "let one arrive at a barrier after its access, and the other wait for it before its own",
  programs:
    "program instances run in any order: give each elements of its own, use atomic steps, or run a second kernel",
  copy: "wait for the copy before the other access, and start it after what must come before",
  multiplyAccumulate: "wait for the pipeline (Pipeline.wait) before a factor is written or the accumulator looked at"
}

export const race = (world: World, memory: Memory, cell: number, first: Access, second: Access): void => {
  const among = amongOf(world, first.actor, second.actor)
  const { collector } = world
  const places = (one: Stand, other: Stand) => ({
    ref: memory.name,
    element: collector.element(memory, cell),
    first: placeOf(one),
    second: placeOf(other)
  })
  const wrong = waitedFor(world, first, second)
  if (wrong !== undefined)
    return collector.add("WrongThread", [memory.name, wrong.kind, collector.numberOf(wrong.eqn)], () => ({
      ...places(wrong.stand, wrong.actor === first.actor ? second : first),
      detail: "a thread waits for what another thread has started, and goes on as if that were done",
      hint: "the thread that has started it waits for it, and then arrives at a barrier that the other waits for"
    }))
  collector.race(
    () => ({
      ...places(first, second),
      among,
      detail: `one ${verb(first)}, the other ${verb(second)}, and nothing orders them`,
      hint: hints[among]
    }),
    memory.name,
    among,
    [first.eqn, second.eqn]
  )
}
/** What is in flight, if the other side is a thread of the same instance that knew of it and has waited in vain. */
const waitedFor = (world: World, first: Access, second: Access): InFlight | undefined => {
  const flight = world.flightOf(first.actor) ?? world.flightOf(second.actor)
  const { actor: other, time } = flight?.actor === first.actor ? second : first
  if (flight === undefined || other.by !== "thread" || other.instance !== flight.actor.instance) return undefined
  const { from, kind } = flight
  const { thread } = flight.actor
  const hasWaited = (other as Thread).waits[kind].some((wait) => wait.time < time && wait.seen[thread]! >= from.time)
  return other.thread !== thread && hasWaited ? flight : undefined
}

export const orderShows = (
  world: World,
  memory: Memory,
  cell: number,
  first: Access,
  second: Access,
  detail: string
): void => {
  const pair = [first.eqn, second.eqn].map((eqn) => world.collector.numberOf(eqn)).sort((a, b) => a - b)
  world.collector.add("OrderShows", [memory.name, ...pair], () => ({
    ref: memory.name,
    element: world.collector.element(memory, cell),
    first: placeOf(first),
    second: placeOf(second),
    detail,
    hint: "add integers, or numbers whose sums are exact; or give each its own element and add them up in order"
  }))
}

// --- elements -----------------------------------------------------------------------------------------------------------

export const duplicate = (world: World, memory: Memory, cell: number, access: Access): void =>
  world.collector.add("DuplicateStore", [memory.name, world.collector.numberOf(access.eqn)], () => ({
    ref: memory.name,
    element: world.collector.element(memory, cell),
    first: placeOf(access),
    detail: "one store writes the element twice, and which value stays is not defined",
    hint: "store to different elements, or accumulate"
  }))

export const lostWrite = (world: World, actor: Actor, eqn: Eqn, memory: Memory, at: ReadonlyArray<number>): void =>
  world.collector.add("OutOfBounds", ["write", memory.name, world.collector.numberOf(eqn)], () => ({
    ref: memory.name,
    element: at,
    first: placeOf(standOf(actor, eqn)),
    access: "write",
    detail: "what is written is outside of the ref, and lost",
    hint: "mask the store, or correct the index"
  }))

// --- undefined elements -------------------------------------------------------------------------------------------------

/** The number of the origin of an element that was never written, or that no ref has; 0 if it is trusted. */
export const originOf = (
  world: World,
  actor: Actor,
  eqn: Eqn,
  ref: number,
  memory: Memory,
  cell: number,
  at: () => ReadonlyArray<number>
): number => {
  const kind: Zeros =
    cell >= 0 ? (memory.access === "scratch" ? "scratch" : "output") : cell === padding ? "padding" : "outOfBounds"
  if (world.settings.trusted.has(kind)) return 0
  return world.origins.number(kind, eqn, ref, () => ({
    stand: standOf(actor, eqn),
    memory,
    kind,
    element: cell >= 0 ? world.collector.element(memory, cell) : at()
  }))
}

const what: { readonly [Z in Zeros]: string } = {
  output: "an element of an output that nothing has been written to",
  scratch: "an element of scratch that nothing has been written to",
  padding: "what lies beside the edge of a block",
  outOfBounds: "what is outside of the ref"
}
const remedies: { readonly [Z in Zeros]: string } = {
  output: "store to it first, or declare the ref inout and pass what it starts with",
  scratch: "store to it first",
  padding: "mask the load and give what stands outside (other), or select",
  outOfBounds: "mask the load and give what stands outside (other), or correct the index"
}

/** An undefined element matters at a place. */
export const reaches = (
  world: World,
  number: number,
  where: Uninitialised["reaches"],
  stand: Stand | undefined
): void => {
  const { element, kind, memory, stand: from } = world.origins.of(number)
  const second = stand === undefined ? {} : { second: placeOf(stand) }
  const common = () => ({
    ref: memory.name,
    element,
    first: placeOf(from),
    ...second,
    detail: `${what[kind]} reaches ${where === "index" ? "an index" : `a ${where}`}`,
    hint: remedies[kind]
  })
  if (kind === "outOfBounds")
    world.collector.add("OutOfBounds", ["read", number], () => ({ ...common(), access: "read" }))
  else
    world.collector.add("Uninitialised", [number], () => ({ ...common(), origin: kind, reaches: where }), {
      ref: memory.name,
      eqn: from.eqn
    })
}
export const unwritten = (world: World, memory: Memory, cell: number): void =>
  world.collector.add("Uninitialised", ["unwritten", memory.name], () => ({
    ref: memory.name,
    element: world.collector.element(memory, cell),
    origin: "output",
    reaches: "result",
    detail: "the element of the result is never written",
    hint: remedies.output
  }))

// --- work in flight, and waiting ----------------------------------------------------------------------------------------

export const unawaited = (world: World, flight: InFlight): void =>
  world.collector.add("Unawaited", [flight.ref, world.collector.numberOf(flight.eqn)], () => ({
    ref: flight.ref,
    element: [],
    first: placeOf(flight.stand),
    detail:
      flight.kind === "copy"
        ? "the copy may be in flight when its scope ends"
        : "the multiply-accumulate may be in flight when its scope ends",
    hint: flight.kind === "copy" ? "wait for it" : "wait for it: yield* Pipeline.wait()"
  }))

/** Of the places at which threads meet, the first and the last in the program are shown. */
export const divergence = (world: World, stands: ReadonlyArray<Stand>): void => {
  const number = ({ eqn }: Stand): number => world.collector.numberOf(eqn)
  const all = [...stands].sort((a, b) => number(a) - number(b))
  world.collector.add("BarrierMisuse", ["divergence", ...new Set(all.map(number))], () => ({
    ref: "",
    element: [],
    first: placeOf(all[0]!),
    second: placeOf(all.at(-1)!),
    misuse: "divergence",
    detail: "threads of one program instance meet at different places",
    hint: "let all threads come to the same Barrier.sync"
  }))
}
export const endless = (world: World, actor: Actor, eqn: Eqn, turns: number): void =>
  world.collector.add("Endless", [world.collector.numberOf(eqn)], () => ({
    ref: "",
    element: [],
    first: placeOf(standOf(actor, eqn)),
    detail: `the loop has taken ${turns} turns`,
    hint: "look at its bounds and at what its condition reads; if it must run longer, raise the option `turns`"
  }))
/** All threads that are left wait. */
export const stuck = (
  world: World,
  waiting: ReadonlyArray<{ readonly stand: Stand; readonly ref: string; readonly detail: string }>
): void => {
  const [first] = waiting
  world.collector.add("Stuck", [], () => ({
    ref: first!.ref,
    element: [],
    first: placeOf(first!.stand),
    waiting: waiting.map(({ detail, stand }) => ({ place: placeOf(stand), detail })),
    detail: `${waiting.length === 1 ? "a thread waits" : `${waiting.length} threads wait`} for what nobody will do`,
    hint: "let somebody arrive or signal who does not wait, in every order of program instances and threads"
  }))
}
