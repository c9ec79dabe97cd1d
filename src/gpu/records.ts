/** The buffer of records on the host: its size, and what a run left in it. */
import { Effect } from "effect"
import { AssertionFailed, InvalidArgument, type Reason } from "../Errors.ts"
import { type ArrayValue, type Data, storage } from "../ir/array.ts"
import type { Aval, Eqn, GridAxis } from "../ir/program.ts"
import { deliver, deliverLoss, type Origin } from "../primitives/structural/deliver.ts"
import { failureOf, type Report } from "../primitives/structural/report.ts"
import * as Shape from "../Shape.ts"
import type { Records } from "../wgsl/module.ts"
import { countersOf, counterWords, failureArea, failurePlaces, headWords, instanceOf } from "../wgsl/records.ts"

/** Words for prints, if nobody says how many. */
export const defaultRecordWords = 65536

/** Words of the buffer of a module that records, with `room` words for prints; at least one follows the counters. */
export const recordsLength = (records: Records, room: number): number =>
  counterWords + Math.max(1, failureArea(records) + room)

/** What is wrong with a number of words for prints. */
export const badRoom = (room: number): InvalidArgument | undefined =>
  Number.isInteger(room) && room >= 0
    ? undefined
    : new InvalidArgument({ ref: "recordWords", expected: "a whole number of at least 0", actual: String(room) })

/** Where program instance `program` stands in its sequential cell `cell`. */
const positionIn = (grid: ReadonlyArray<GridAxis>, program: number, cell: number): ReadonlyArray<number> => {
  const sizes = (semantics: GridAxis["semantics"]) => grid.filter((a) => a.semantics === semantics).map((a) => a.size)
  const parallel = Shape.coordinates(sizes("parallel"), program)
  const sequential = Shape.coordinates(sizes("sequential"), cell)
  return grid.map((a) => (a.semantics === "parallel" ? parallel : sequential).shift()!)
}

const valueOf = ({ dtype, shape }: Aval, words: Uint32Array): ArrayValue => {
  const data: Data = storage(dtype, words.length)
  const bits: Data = data instanceof Uint8Array ? data : new Uint32Array(data.buffer)
  bits.set(words)
  return { dtype, shape, data }
}
const valuesOf = (operands: ReadonlyArray<Aval>, words: Uint32Array): ReadonlyArray<ArrayValue> => {
  let from = 0
  return operands.map((o) => valueOf(o, words.subarray(from, (from += Shape.size(o.shape)))))
}
const lengthOf = (operands: ReadonlyArray<Aval>): number => operands.reduce((n, o) => n + Shape.size(o.shape), 0)

/** A record, with the number of its program instance. */
interface Numbered extends Report {
  readonly instance: number
}
/** What the place at the beginning of `words` holds; `shown` are the operands whose values stand in it. */
const placeAt = ({ grid }: Records, eqn: Eqn, shown: ReadonlyArray<Aval>, words: Uint32Array): Numbered => {
  const [, instance, cell] = words as unknown as readonly [number, number, number]
  return {
    eqn,
    instance,
    program: positionIn(grid, instance, cell),
    values: valuesOf(shown, words.subarray(headWords))
  }
}

/** The prints, in the order of program instances; those of one instance in its order. */
const printsIn = (records: Records, words: Uint32Array): ReadonlyArray<Numbered> => {
  const found: Array<Numbered> = []
  for (let at = 0; at < words.length;) {
    const eqn = records.sites[words[at]!]!
    found.push(placeAt(records, eqn, eqn.operands, words.subarray(at)))
    at += headWords + lengthOf(eqn.operands)
  }
  return found.sort((a, b) => a.instance - b.instance)
}

/** Why instance `first` failed; `places` are those that were taken. */
const failureIn = (records: Records, places: Uint32Array, first: number): Reason => {
  for (let at = 0; at < places.length; at += records.failureWords) {
    const eqn = records.sites[places[at]!]!
    if (places[at + 1] === first) return failureOf(placeAt(records, eqn, eqn.operands.slice(1), places.subarray(at)))
  }
  const detail = "which assertion is not known, because very many failed at once"
  return new AssertionFailed({ detail, program: positionIn(records.grid, first, 0), values: [] })
}

/** Delivers what a run recorded: the prints up to the first failure, and that failure. */
export const tell = (kernel: string, records: Records, words: Uint32Array): Effect.Effect<void, Reason> =>
  Effect.gen(function* () {
    const origin: Origin = { kernel, interpreter: "Gpu" }
    const { failures, first, lost, used } = countersOf(words)
    const places = words.subarray(counterWords)
    const area = failureArea(records)
    const last = first === 0 ? Infinity : instanceOf(first)
    const prints = printsIn(records, places.subarray(area, area + used))
    yield* deliver(
      origin,
      prints.filter((p) => p.instance <= last)
    )
    if (lost > 0) yield* deliverLoss(origin, lost, places.length - area)
    const taken = places.subarray(0, Math.min(failures, failurePlaces) * records.failureWords)
    if (first !== 0) yield* Effect.fail(failureIn(records, taken, last))
  })
