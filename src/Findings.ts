/**
 * Findings: what is wrong with a run although it may give the right results.
 *
 * Each names the ref, the element and both positions, the program instances and threads that stood there, what happened and
 * what to do. A finding is one cause: `count` says how often it was seen.
 */
import { Schema } from "effect"

/** Somewhere in a run: an equation, who ran it, and where it was written. */
export class Place extends Schema.Class<Place>("Place")({
  primitive: Schema.String,
  /** The equation in the text form. */
  equation: Schema.String,
  /** Position of the program instance in the grid. */
  program: Schema.Array(Schema.Number),
  thread: Schema.Number,
  /** Who touches memory: the thread itself, or what it has started. */
  by: Schema.Literals(["thread", "copy", "multiplyAccumulate"]),
  /** What it does to the element; if it is left out, what the primitive does to its first ref. */
  access: Schema.optionalKey(Schema.Literals(["read", "write", "update"])),
  /** `file:line:column`, if it is known. */
  source: Schema.optionalKey(Schema.String)
}) {}

/** Sizes that a kernel runs with: of the axes of its grid, and of its refs by name. */
export class Sizes extends Schema.Class<Sizes>("Sizes")({
  grid: Schema.Array(Schema.Number),
  shapes: Schema.Record(Schema.String, Schema.Array(Schema.Number))
}) {}

const common = {
  ref: Schema.String,
  /** Coordinates in the whole ref of the first element that it was seen at. */
  element: Schema.Array(Schema.Number),
  detail: Schema.String,
  hint: Schema.String,
  count: Schema.Number,
  /** The smallest sizes at which it persists, if they were looked for. */
  smallest: Schema.optionalKey(Sizes)
}
const at = { first: Place }
const between = { first: Place, second: Place }

/** Two accesses to one element, one of them a write, that nothing orders. */
export class Race extends Schema.TaggedClass<Race>()("Race", {
  ...common,
  ...between,
  /** What touches the element twice. */
  among: Schema.Literals(["threads", "programs", "copy", "multiplyAccumulate"])
}) {}
/** Work that is started and never waited for. */
export class Unawaited extends Schema.TaggedClass<Unawaited>()("Unawaited", { ...common, ...at }) {}
/**
 * A thread that waits for what another one has started, which does nothing, and goes on as if that were done: `first` has
 * started it, `second` waits.
 */
export class WrongThread extends Schema.TaggedClass<WrongThread>()("WrongThread", { ...common, ...between }) {}
/** A barrier that is not used as it must be; `second` is the other side, if there is one. */
export class BarrierMisuse extends Schema.TaggedClass<BarrierMisuse>()("BarrierMisuse", {
  ...common,
  ...at,
  second: Schema.optionalKey(Place),
  /**
   * `overArrival`: a phase completes that a wait may still want to see the one before of. `missed`: a wait comes when a later
   * phase is complete already. `partial`: arrivals are left that make no phase. `unobserved`: nobody has waited for the last
   * phase. `divergence`: threads meet at different barriers.
   */
  misuse: Schema.Literals(["overArrival", "missed", "partial", "unobserved", "divergence"])
}) {}
/** Threads that wait for what nobody will do: each with what it waits for. */
export class Stuck extends Schema.TaggedClass<Stuck>()("Stuck", {
  ...common,
  ...at,
  waiting: Schema.Array(Schema.Struct({ place: Place, detail: Schema.String }))
}) {}
/** A loop that takes more turns than the Simulator follows. */
export class Endless extends Schema.TaggedClass<Endless>()("Endless", { ...common, ...at }) {}
/**
 * Memory that nobody has written, and that matters: it reaches a result, a condition or an index (`second`). Where `first` is
 * missing, an element of a result is never written.
 */
export class Uninitialised extends Schema.TaggedClass<Uninitialised>()("Uninitialised", {
  ...common,
  first: Schema.optionalKey(Place),
  second: Schema.optionalKey(Place),
  origin: Schema.Literals(["output", "scratch", "padding"]),
  reaches: Schema.Literals(["result", "condition", "index"])
}) {}
/** An access to what no ref has: a read whose zero reaches a result, a condition or an index (`second`), or a lost write. */
export class OutOfBounds extends Schema.TaggedClass<OutOfBounds>()("OutOfBounds", {
  ...common,
  ...at,
  second: Schema.optionalKey(Place),
  access: Schema.Literals(["read", "write"])
}) {}
/** One store that writes an element twice. */
export class DuplicateStore extends Schema.TaggedClass<DuplicateStore>()("DuplicateStore", { ...common, ...at }) {}
/** Steps on one element, in no order, whose order shows in what they leave. */
export class OrderShows extends Schema.TaggedClass<OrderShows>()("OrderShows", { ...common, ...between }) {}

export const Finding = Schema.Union([
  Race,
  Unawaited,
  WrongThread,
  BarrierMisuse,
  Stuck,
  Endless,
  Uninitialised,
  OutOfBounds,
  DuplicateStore,
  OrderShows
])
export type Finding = typeof Finding.Type
