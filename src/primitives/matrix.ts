/** The matrix pipeline: products that are added to accumulators while the program goes on. */
import { exact, type Primitive } from "../ir/primitive.ts"
import { pipeline, read, write } from "../ir/program.ts"
import { TypingError } from "../ir/typing.ts"
import { sameType, showType } from "../ir/aval.ts"
import { dotAccuracy } from "./structural/dot.ts"
import * as M from "./structural/matrix.ts"
import { asResult } from "./structural/memory.ts"
import * as P from "./structural/params.ts"
import { checkPlain } from "./structural/record.ts"
import * as W from "./wgsl/matrix.ts"

const common = { family: "matrix", accuracy: exact, generate: { weight: 0 } } as const

export const accumulatorSet: Primitive<"accumulatorSet"> = {
  ...common,
  name: "accumulatorSet",
  role: "accumulator",
  wgsl: W.accumulatorSet,
  doc: "Stores a tile to an accumulator with nothing in flight.",
  typing: (eqn, scope) => {
    const acc = M.onlyAccumulator(eqn, scope, 1)
    const [tile] = eqn.operands
    if (!sameType(tile!, acc))
      throw new TypingError(
        `the tile is ${showType(tile!)}, the accumulator ${showType(acc)}`,
        "convert or broadcast it"
      )
    return []
  },
  effects: (eqn) => [pipeline, write(M.accumulatorUse(eqn)[0].name)],
  discharge: (_, eqn) => ({ results: [], refs: new Map([[M.accumulatorUse(eqn)[0].name, eqn.operands[0]!]]) })
}

export const accumulatorRead: Primitive<"accumulatorRead"> = {
  ...common,
  name: "accumulatorRead",
  role: "accumulator",
  wgsl: W.accumulatorRead,
  doc: "The tile in an accumulator with nothing in flight.",
  typing: (eqn, scope) => asResult(M.onlyAccumulator(eqn, scope, 0)),
  effects: (eqn) => [pipeline, read(M.accumulatorUse(eqn)[0].name)],
  discharge: (ctx, eqn) => ({ results: [ctx.value(M.accumulatorUse(eqn)[0].name)], refs: new Map() })
}

export const multiplyAccumulate: Primitive<"multiplyAccumulate"> = {
  ...common,
  name: "multiplyAccumulate",
  role: "accumulator",
  wgsl: W.multiplyAccumulate,
  doc: "Issues the addition of a matrix product to an accumulator; refs are read as they are when it is issued.",
  typing: (eqn, scope) => {
    M.checkProduct(eqn, scope)
    return []
  },
  effects: (eqn) => {
    const [acc, ...factors] = M.accumulatorUse(eqn)
    return [pipeline, read(acc.name), write(acc.name), ...factors.map(({ name }) => read(name))]
  },
  discharge: M.dischargeMultiply,
  accuracy: dotAccuracy
}

export const pipelineWait: Primitive<"pipelineWait"> = {
  ...common,
  name: "pipelineWait",
  wgsl: W.pipelineWait,
  doc: "Waits until at most so many multiply-accumulates are in flight; they finish in the order in which they were issued.",
  typing: (eqn) => {
    checkPlain(eqn, 0)
    const atMost = P.integer(eqn.params, "atMost")
    if (atMost < 0) throw new TypingError(`${atMost} in flight`, "give a whole number of at least 0")
    return []
  },
  effects: () => [pipeline],
  discharge: () => ({ results: [], refs: new Map() })
}
