/** Where a program instance stands in the grid, and a thread in its program instance. */
import { scalar } from "../ir/array.ts"
import { exact, type Primitive, pure, type TypeRule } from "../ir/primitive.ts"
import { threads } from "../ir/program.ts"
import { program } from "./structural/example.ts"
import { nothing } from "./structural/defined.ts"
import * as P from "./structural/params.ts"
import { checkPlain } from "./structural/record.ts"
import { threadsGaps } from "./structural/threads.ts"
import * as Sim from "./simulate/control.ts"
import * as W from "./wgsl/grid.ts"

const typing: TypeRule = (eqn, scope) => {
  checkPlain(eqn, 0)
  P.axis(eqn.params, "axis", scope.rank)
  return [{ dtype: "i32", shape: [] }]
}
const common = { family: "grid", accuracy: exact, generate: { weight: 0 } } as const
const position = { ...common, typing, effects: pure, defined: nothing } as const

export const programId: Primitive<"programId"> = {
  ...position,
  name: "programId",
  wgsl: W.programId,
  doc: "The position of this grid cell along a grid axis.",
  example: program(
    `
    grid [3]
    out o: i32[3]
    body {
      %0: i32[] = programId {axis: 0}
      store o[%0] (%0) ! Write(o)
    }`,
    {},
    { o: [0, 1, 2] }
  ),
  evaluate: (ctx, eqn) => [scalar("i32", ctx.programId(P.integer(eqn.params, "axis")))]
}
export const numPrograms: Primitive<"numPrograms"> = {
  ...position,
  name: "numPrograms",
  wgsl: W.numPrograms,
  doc: "The size of a grid axis.",
  example: program(
    `
    grid [3]
    out o: i32[3]
    body {
      %0: i32[] = programId {axis: 0}
      %1: i32[] = numPrograms {axis: 0}
      store o[%0] (%1) ! Write(o)
    }`,
    {},
    { o: [3, 3, 3] }
  ),
  evaluate: (ctx, eqn) => [scalar("i32", ctx.numPrograms(P.integer(eqn.params, "axis")))]
}

export const threadId: Primitive<"threadId"> = {
  ...common,
  name: "threadId",
  simulate: Sim.threadId,
  doc: "The number of this thread in its program instance, 0 where the kernel declares none.",
  example: program(
    `
    grid [1]
    threads 2
    out o: i32[2]
    body {
      %0: i32[] = threadId ! Threads
      store o[%0] (%0) ! Write(o)
    }`,
    {},
    { o: [0, 1] }
  ),
  typing: (eqn) => {
    checkPlain(eqn, 0)
    return [{ dtype: "i32", shape: [] }]
  },
  effects: () => [threads],
  gaps: threadsGaps
}
