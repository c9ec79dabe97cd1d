/** Evaluation of operations of subgroups, for subgroups of a given size: lane by lane, in order. */
import type * as DType from "../../DType.ts"
import { type ArrayValue, scalar, storage, zeros } from "../../ir/array.ts"
import type { EvalRule } from "../../ir/primitive.ts"
import * as P from "./params.ts"
import { stepOf } from "./access.ts"
import { addition, product } from "./reduce.ts"
import { identityOf, type Mode, modeOf, type Reduction, reductionOf, scanOf } from "./subgroup.ts"
import { words } from "./words.ts"

type Step = (a: number, b: number) => number
const steps: { readonly [K in Reduction]: (dtype: DType.Name) => Step } = {
  sum: addition,
  prod: product,
  max: () => Math.max,
  min: () => Math.min,
  and: () => (a, b) => a & b,
  or: () => (a, b) => a | b,
  xor: () => (a, b) => a ^ b,
  all: () => (a, b) => a & b,
  any: () => (a, b) => a | b
}

/** Calls `visit` with the first element of each group, and with what comes after its last. */
export const eachGroup = (size: number, length: number, visit: (first: number, end: number) => void): void => {
  for (let first = 0; first < length; first += size) visit(first, Math.min(first + size, length))
}

export const sizeEvaluate =
  (size: number): EvalRule =>
  () => [scalar("i32", size)]

export const laneEvaluate =
  (size: number): EvalRule =>
  (_, eqn) => {
    const out = zeros(eqn.results[0]!)
    for (let i = 0; i < out.data.length; i++) out.data[i] = i % size
    return [out]
  }

export const reduceEvaluate =
  (size: number): EvalRule =>
  (_, { params }, [tile]) => {
    const { data: from, dtype, shape } = tile!
    const op = reductionOf(params)
    const step = steps[op](dtype)
    const data = storage(dtype, from.length)
    eachGroup(size, from.length, (first, end) => {
      let value = identityOf(op, dtype)
      for (let i = first; i < end; i++) value = step(value, from[i]!)
      data.fill(value, first, end)
    })
    return [{ dtype, shape, data }]
  }

export const scanEvaluate =
  (size: number): EvalRule =>
  (_, { params }, [tile]) => {
    const { data: from, dtype, shape } = tile!
    const op = scanOf(params)
    const exclusive = P.flag(params, "exclusive")
    const step = steps[op](dtype)
    const data = storage(dtype, from.length)
    eachGroup(size, from.length, (first, end) => {
      let value = identityOf(op, dtype)
      for (let i = first; i < end; i++) {
        if (exclusive) data[i] = value
        value = step(value, from[i]!)
        if (!exclusive) data[i] = value
      }
    })
    return [{ dtype, shape, data }]
  }

/** The lane that lane `lane` reads from, where `by` is what it says. */
const sources: { readonly [K in Mode]: Step } = {
  index: (_, by) => by,
  xor: (lane, by) => lane ^ by,
  up: (lane, by) => (lane - by) | 0,
  down: (lane, by) => (lane + by) | 0
}
/** Calls `visit` with each element and the one that it is taken from, which is below 0 if there is none. */
export const eachShuffled = (
  mode: Mode,
  size: number,
  length: number,
  lanes: ArrayValue,
  visit: (to: number, from: number) => void
): void => {
  const source = sources[mode]
  const by = stepOf(lanes)
  eachGroup(size, length, (first, end) => {
    for (let i = first; i < end; i++) {
      const lane = source(i - first, lanes.data[i * by]!)
      visit(i, lane >= 0 && lane < end - first ? first + lane : -1)
    }
  })
}
export const shuffleEvaluate =
  (size: number): EvalRule =>
  (_, { params }, [tile, lanes]) => {
    const { dtype, shape } = tile!
    const data = storage(dtype, tile!.data.length)
    const [to, from] = [words(data), words(tile!.data)]
    eachShuffled(modeOf(params), size, data.length, lanes!, (i, k) => {
      if (k >= 0) to[i] = from[k]!
    })
    return [{ dtype, shape, data }]
  }

/** Words of a ballot, for as many lanes as the device with the most has. */
export const ballotWords = 4
export const ballotEvaluate =
  (size: number): EvalRule =>
  (_, eqn, [tile]) => {
    const out = zeros(eqn.results[0]!)
    const { data: from } = tile!
    const ballot = new Uint32Array(ballotWords)
    eachGroup(size, from.length, (first, end) => {
      ballot.fill(0)
      for (let i = first; i < end; i++) if (from[i] !== 0) ballot[(i - first) >> 5]! |= 1 << (i - first)
      for (let i = first; i < end; i++) out.data.set(ballot, i * ballotWords)
    })
    return [out]
  }
