/** The matrix pipeline: products that are added to accumulators while the program goes on. */
import { exact, type Primitive } from "../ir/primitive.ts"
import { pipeline, read, write } from "../ir/program.ts"
import { TypingError } from "../ir/typing.ts"
import { sameType, showType } from "../ir/aval.ts"
import { dotAccuracy } from "./structural/dot.ts"
import { program } from "./structural/example.ts"
import * as M from "./structural/matrix.ts"
import { asResult } from "./structural/memory.ts"
import * as P from "./structural/params.ts"
import { checkPlain } from "./structural/record.ts"
import * as Sim from "./simulate/matrix.ts"
import * as W from "./wgsl/matrix.ts"

const common = { family: "matrix", accuracy: exact, generate: { weight: 0 } } as const

export const accumulatorSet: Primitive<"accumulatorSet"> = {
  ...common,
  name: "accumulatorSet",
  simulate: Sim.accumulatorSet,
  role: "accumulator",
  wgsl: W.accumulatorSet,
  doc: "Stores a tile to an accumulator with nothing in flight.",
  example: program(
    `
    grid [1]
    in x: i32[2, 2]
    inout o: i32[2, 2]
    body {
      scratch acc: i32[2, 2] register accumulator
      %0: i32[2, 2] = load o ! Read(o)
      accumulatorSet acc (%0) ! Pipeline, Write(acc)
      multiplyAccumulate {a: "ref", b: "ref", transposeA: false, transposeB: false} acc x x ! Pipeline, Read(acc), Read(x), Write(acc)
      pipelineWait {atMost: 0} ! Pipeline
      %1: i32[2, 2] = accumulatorRead acc ! Pipeline, Read(acc)
      store o (%1) ! Write(o)
    }`,
    { x: [1, 2, 3, 4], o: [100, 200, 300, 400] },
    { o: [107, 210, 315, 422] }
  ),
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
  simulate: Sim.accumulatorRead,
  role: "accumulator",
  wgsl: W.accumulatorRead,
  doc: "The tile in an accumulator with nothing in flight.",
  example: program(
    `
    grid [1]
    in x: i32[2, 2]
    out before: i32[2, 2]
    out after: i32[2, 2]
    body {
      scratch acc: i32[2, 2] register accumulator
      %0: i32[2, 2] = accumulatorRead acc ! Pipeline, Read(acc)
      store before (%0) ! Write(before)
      multiplyAccumulate {a: "ref", b: "ref", transposeA: false, transposeB: false} acc x x ! Pipeline, Read(acc), Read(x), Write(acc)
      pipelineWait {atMost: 0} ! Pipeline
      %1: i32[2, 2] = accumulatorRead acc ! Pipeline, Read(acc)
      store after (%1) ! Write(after)
    }`,
    { x: [1, 2, 3, 4] },
    { before: [0, 0, 0, 0], after: [7, 10, 15, 22] }
  ),
  typing: (eqn, scope) => asResult(M.onlyAccumulator(eqn, scope, 0)),
  effects: (eqn) => [pipeline, read(M.accumulatorUse(eqn)[0].name)],
  discharge: (ctx, eqn) => ({ results: [ctx.value(M.accumulatorUse(eqn)[0].name)], refs: new Map() })
}

export const multiplyAccumulate: Primitive<"multiplyAccumulate"> = {
  ...common,
  name: "multiplyAccumulate",
  simulate: Sim.multiplyAccumulate,
  role: "accumulator",
  wgsl: W.multiplyAccumulate,
  doc: "Issues the addition of a matrix product to an accumulator; refs are read as they are when it is issued.",
  example: program(
    `
    grid [1]
    inout x: i32[2, 2]
    out o: i32[2, 2]
    body {
      scratch acc: i32[2, 2] register accumulator
      %0: i32[2, 2] = load x ! Read(x)
      multiplyAccumulate {a: "ref", b: "tile", transposeA: false, transposeB: true} acc x (%0) ! Pipeline, Read(acc), Read(x), Write(acc)
      store x (0i) ! Write(x)
      pipelineWait {atMost: 0} ! Pipeline
      %1: i32[2, 2] = accumulatorRead acc ! Pipeline, Read(acc)
      store o (%1) ! Write(o)
    }`,
    { x: [1, 2, 3, 4] },
    { x: [0, 0, 0, 0], o: [5, 11, 11, 25] }
  ),
  typing: (eqn, scope) => {
    M.checkProduct(eqn, scope)
    return []
  },
  effects: (eqn) => {
    const [acc, ...factors] = M.accumulatorUse(eqn)
    const names = new Set(factors.map(({ name }) => name))
    return [pipeline, read(acc.name), write(acc.name), ...[...names].map(read)]
  },
  discharge: M.dischargeMultiply,
  accuracy: dotAccuracy
}

export const pipelineWait: Primitive<"pipelineWait"> = {
  ...common,
  name: "pipelineWait",
  simulate: Sim.pipelineWait,
  wgsl: W.pipelineWait,
  doc: "Waits until at most so many multiply-accumulates are in flight; they finish in the order in which they were issued.",
  example: program(
    `
    grid [1]
    in row: i32[1, 2]
    in column: i32[2, 1]
    out o: i32[1, 2]
    body {
      scratch first: i32[1, 1] register accumulator
      scratch second: i32[1, 1] register accumulator
      multiplyAccumulate {a: "ref", b: "ref", transposeA: false, transposeB: false} first row column ! Pipeline, Read(column), Read(first), Read(row), Write(first)
      multiplyAccumulate {a: "ref", b: "ref", transposeA: false, transposeB: false} second row[0 +: 1, 0 +: 1] column[1 +: 1, 0 +: 1] ! Pipeline, Read(column), Read(row), Read(second), Write(second)
      pipelineWait {atMost: 1} ! Pipeline
      %0: i32[1, 1] = accumulatorRead first ! Pipeline, Read(first)
      store o[0 +: 1, 0 +: 1] (%0) ! Write(o)
      pipelineWait {atMost: 0} ! Pipeline
      %1: i32[1, 1] = accumulatorRead second ! Pipeline, Read(second)
      store o[0 +: 1, 1 +: 1] (%1) ! Write(o)
    }`,
    { row: [1, 2], column: [3, 4] },
    { o: [11, 4] }
  ),
  typing: (eqn) => {
    checkPlain(eqn, 0)
    const atMost = P.integer(eqn.params, "atMost")
    if (atMost < 0) throw new TypingError(`${atMost} in flight`, "give a whole number of at least 0")
    return []
  },
  effects: () => [pipeline],
  discharge: () => ({ results: [], refs: new Map() })
}
