/** What a finding says in words: a headline, and for each of its places what happens there. */
import type {
  BarrierMisuse,
  Finding,
  OutOfBounds,
  Place,
  Race,
  Stuck,
  Unawaited,
  Uninitialised,
  WrongThread
} from "../Findings.ts"

export interface Step {
  readonly place: Place
  /** What happens there, if the place alone does not say it. */
  readonly note?: string
}

/** An element as a reader of the kernel writes it: `o[1, 2]`, or the ref alone. */
const cellOf = ({ element, ref }: Pick<Finding, "element" | "ref">): string =>
  element.length === 0 ? ref : `${ref}[${element.join(", ")}]`

// --- who does what ------------------------------------------------------------------------------------------------------

type Access = "read" | "write" | "update" | "touch"
const accesses: { readonly [primitive: string]: Access } = {
  load: "read",
  store: "write",
  swap: "update",
  accumulate: "update",
  atomic: "update",
  compareExchange: "update",
  accumulatorSet: "write",
  accumulatorRead: "read"
}
const accessOf = ({ access, by, primitive }: Place): Access =>
  access ?? (by === "thread" ? accesses[primitive] : undefined) ?? "touch"
const third = (access: Access): string => (access === "touch" ? "touches" : `${access}s`)

const actors = { thread: "the program", copy: "a copy", multiplyAccumulate: "a multiply-accumulate" } as const
const pairs = { thread: "two accesses", copy: "two copies", multiplyAccumulate: "two multiply-accumulates" } as const
const singular = { threads: "thread", programs: "program instance" } as const

/** Peers that meet at one element: the same they do together, else one after the other. */
const peers = (what: string, cell: string, first: Access, second: Access): string =>
  first === second
    ? `two ${what}s ${first} ${cell}`
    : `one ${what} ${third(first)} ${cell}, and another ${third(second)} it`
/** What is in flight, and who comes in between. */
const inFlight = (cell: string, first: Place, second: Place): string => {
  const [a, b] = first.by === "thread" ? [second, first] : [first, second]
  if (a.by === b.by && accessOf(a) === accessOf(b)) return `${pairs[a.by]} ${accessOf(a)} ${cell}`
  const other = a.by === b.by ? actors[b.by].replace(/^a /, "another ") : actors[b.by]
  return `${actors[a.by]} in flight ${third(accessOf(a))} ${cell} while ${other} ${third(accessOf(b))} it`
}
const race = (f: Race): string =>
  f.among === "threads" || f.among === "programs"
    ? peers(singular[f.among], cellOf(f), accessOf(f.first), accessOf(f.second))
    : inFlight(cellOf(f), f.first, f.second)

// --- headlines ----------------------------------------------------------------------------------------------------------

const started = { thread: "work", copy: "a copy", multiplyAccumulate: "a multiply-accumulate" } as const
const unawaited = (f: Unawaited): string => `${started[f.first.by]} on ${cellOf(f)} is started and never waited for`
const wrongThread = (f: WrongThread): string =>
  `thread ${f.second.thread} waits for what thread ${f.first.thread} has started on ${cellOf(f)}, and so for nothing`

const misuses: { readonly [M in BarrierMisuse["misuse"]]: (cell: string) => string } = {
  overArrival: (cell) => `a phase of ${cell} completes before everybody has seen the one before`,
  missed: (cell) => `a wait on ${cell} comes too late: a later phase is complete already`,
  partial: (cell) => `arrivals at ${cell} are left over that make no phase`,
  unobserved: (cell) => `nobody waits for the last phase of ${cell}`,
  divergence: () => "threads of one program instance meet at different barriers"
}
const stuck = ({ waiting }: Stuck): string =>
  waiting.length > 1
    ? `${waiting.length} threads wait for what nobody will do`
    : "a thread waits for what nobody will do"

const targets: { readonly [T in Uninitialised["reaches"]]: string } = {
  result: "a result",
  condition: "a condition",
  index: "an index"
}
const origins: { readonly [O in Uninitialised["origin"]]: (cell: string) => string } = {
  output: (cell) => `${cell} is read, although nothing is written to it yet,`,
  scratch: (cell) => `${cell}, scratch that nothing is written to yet, is read`,
  padding: (cell) => `padding beyond the edge, at ${cell}, is read`
}
const sources: { readonly [O in Uninitialised["origin"]]: string } = {
  output: "nothing",
  scratch: "nothing but unwritten scratch",
  padding: "nothing but padding"
}
const uninitialised = (f: Uninitialised): string => {
  if (f.first !== undefined) return `${origins[f.origin](cellOf(f))} and reaches ${targets[f.reaches]}`
  if (f.reaches === "result") return `${sources[f.origin]} is ever written to ${cellOf(f)}, which is a result`
  return `${sources[f.origin]} is ever written to ${cellOf(f)}, on which ${targets[f.reaches]} depends`
}
const outOfBounds = (f: OutOfBounds): string =>
  f.access === "write"
    ? `a write to ${cellOf(f)}, which does not exist, is lost`
    : `${cellOf(f)}, which does not exist, is read as zero, and that matters`

/** What is wrong, in one line. */
export const headline = (f: Finding): string => {
  switch (f._tag) {
    case "Race":
      return `race: ${race(f)}`
    case "Unawaited":
      return `unawaited: ${unawaited(f)}`
    case "WrongThread":
      return `wait by the wrong thread: ${wrongThread(f)}`
    case "BarrierMisuse":
      return `barrier misuse: ${misuses[f.misuse](cellOf(f))}`
    case "Stuck":
      return `deadlock: ${stuck(f)}`
    case "Endless":
      return "endless loop: it takes more turns than are followed"
    case "Uninitialised":
      return `uninitialised: ${uninitialised(f)}`
    case "OutOfBounds":
      return `out of bounds: ${outOfBounds(f)}`
    case "DuplicateStore":
      return `duplicate store: one store writes ${cellOf(f)} more than once`
    case "OrderShows":
      return `order shows: steps on ${cellOf(f)} come in any order, and what they leave depends on it`
  }
}

// --- places -------------------------------------------------------------------------------------------------------------

const reached: { readonly [T in Uninitialised["reaches"]]: string } = {
  result: "here it reaches a result",
  condition: "here a condition depends on it",
  index: "here an index depends on it"
}
const isSame = (a: Place, b: Place): boolean =>
  a.source === b.source && a.equation === b.equation && a.thread === b.thread && `${a.program}` === `${b.program}`
const optional = (place: Place | undefined, note?: string): ReadonlyArray<Step> =>
  place === undefined ? [] : [note === undefined ? { place } : { place, note }]

/** The places of a finding, in the order in which they are told. */
export const stepsOf = (f: Finding): ReadonlyArray<Step> => {
  switch (f._tag) {
    case "Race":
    case "OrderShows":
      return [{ place: f.first }, { place: f.second }]
    case "WrongThread":
      return [
        { place: f.first, note: "here it is started" },
        { place: f.second, note: "here it is waited for" }
      ]
    case "BarrierMisuse":
      return [{ place: f.first }, ...optional(f.second)]
    case "Stuck": {
      const waiting = f.waiting.map(({ detail, place }) => ({ place, note: detail }))
      return waiting.some(({ place }) => isSame(place, f.first)) ? waiting : [{ place: f.first }, ...waiting]
    }
    case "Uninitialised":
      return [...optional(f.first), ...optional(f.second, reached[f.reaches])]
    case "OutOfBounds":
      return [{ place: f.first }, ...optional(f.second, "here it matters")]
    case "Unawaited":
    case "Endless":
    case "DuplicateStore":
      return [{ place: f.first }]
  }
}

/** Who stands at a place, and what is done there; the thread is told where there are several. */
export const whoOf = (place: Place, threads: number): string => {
  const program = `program [${place.program.join(", ")}]`
  const thread = threads > 1 ? `${program}, thread ${place.thread}` : program
  const access = accessOf(place)
  const does = access === "touch" ? "" : ` ${third(access)}`
  const who = place.by === "thread" ? thread : `${actors[place.by]} started by ${thread}`
  return `${who}${does} (${place.primitive})`
}
