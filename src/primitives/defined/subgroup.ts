/** Operations of subgroups on tiles with undefined elements: what one lane does not know, no lane of the group knows. */
import type { DefinedRule } from "../../ir/primitive.ts"
import type { Shadowed } from "../../ir/shadow.ts"
import { stepOf } from "../structural/access.ts"
import { originsOf, packed, type Settled, settling } from "../structural/defined.ts"
import { ballotWords, eachGroup, eachShuffled } from "../structural/lanes.ts"
import * as P from "../structural/params.ts"
import { modeOf, type Reduction, reductionOf, scanOf } from "../structural/subgroup.ts"

/** Reductions that a value may settle. */
const settled: { readonly [K in Reduction]?: Settled } = {
  prod: "mul",
  max: "max",
  min: "min",
  and: "and",
  or: "or",
  all: "and",
  any: "or"
}
const settlingOf = (op: Reduction, { value }: Shadowed): number | undefined => {
  const name = settled[op]
  return name === undefined ? undefined : settling(name, value.dtype)
}

export const reduce =
  (size: number): DefinedRule =>
  (_, { params }, [tile]) => {
    const settles = settlingOf(reductionOf(params), tile!)
    const { data } = tile!.value
    const origins = originsOf(tile!)
    const out = new Int32Array(data.length)
    eachGroup(size, data.length, (first, end) => {
      let worst = 0
      for (let i = first; i < end; i++) {
        if (origins[i] === 0 && data[i] === settles) return
        worst = Math.max(worst, origins[i]!)
      }
      out.fill(worst, first, end)
    })
    return [packed(out)]
  }

export const scan =
  (size: number): DefinedRule =>
  (_, { params }, [tile]) => {
    const settles = settlingOf(scanOf(params), tile!)
    const exclusive = P.flag(params, "exclusive")
    const { data } = tile!.value
    const origins = originsOf(tile!)
    const out = new Int32Array(data.length)
    eachGroup(size, data.length, (first, end) => {
      let worst = 0
      for (let i = first; i < end; i++) {
        if (exclusive) out[i] = worst
        if (origins[i] === 0 && data[i] === settles) return
        worst = Math.max(worst, origins[i]!)
        if (!exclusive) out[i] = worst
      }
    })
    return [packed(out)]
  }

export const shuffle =
  (size: number): DefinedRule =>
  (_, { params }, [tile, lanes]) => {
    const [elements, positions] = [originsOf(tile!), originsOf(lanes!)]
    const by = stepOf(lanes!.value)
    const out = new Int32Array(elements.length)
    eachShuffled(modeOf(params), size, out.length, lanes!.value, (i, k) => {
      out[i] = positions[i * by] !== 0 ? positions[i * by]! : k < 0 ? 0 : elements[k]!
    })
    return [packed(out)]
  }

/** A word of a ballot is about 32 lanes. */
const lanesPerWord = 32
export const ballot =
  (size: number): DefinedRule =>
  (_, __, [tile], [result]) => {
    const origins = originsOf(tile!)
    const out = new Int32Array(result!.data.length)
    const worst = new Int32Array(ballotWords)
    eachGroup(size, origins.length, (first, end) => {
      worst.fill(0)
      for (let i = first; i < end; i++) {
        const word = Math.floor((i - first) / lanesPerWord)
        worst[word] = Math.max(worst[word]!, origins[i]!)
      }
      for (let i = first; i < end; i++) out.set(worst, i * ballotWords)
    })
    return [packed(out)]
  }
