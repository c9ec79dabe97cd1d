/** Changes of single elements in one step, which program instances may share, and the pure operations that they are discharged to. */
import { type DischargeRule, exact, type Primitive, pure } from "../ir/primitive.ts"
import { read, write } from "../ir/program.ts"
import * as D from "./defined/view.ts"
import * as A from "./structural/atomic.ts"
import { equation, everyOther, program, scalar, vector } from "./structural/example.ts"
import * as M from "./structural/memory.ts"
import { sumAccuracy } from "./structural/reduce.ts"
import * as Sim from "./simulate/memory.ts"
import * as W from "./wgsl/atomic.ts"

const common = { family: "atomic", accuracy: exact, generate: { weight: 0 } } as const
const onRef: Pick<Primitive, "effects"> = {
  effects: (eqn) => eqn.refs.flatMap((use) => [read(use.name), write(use.name)])
}

/** The ref's new value and the old elements come from one pure operation. */
const update =
  (operation: "viewAtomic" | "viewCompareExchange"): DischargeRule =>
  (ctx, eqn) => {
    const { name } = M.refUse(eqn)
    const operands = [ctx.value(name), ...eqn.operands]
    const [after, before] = ctx.emit(operation, { ...M.through(eqn, eqn.params), operands })
    return { results: [before!], refs: new Map([[name, after!]]) }
  }

export const atomic: Primitive<"atomic"> = {
  ...common,
  ...onRef,
  name: "atomic",
  simulate: Sim.atomic,
  wgsl: W.atomic,
  doc: "Combines each element that a view shows with a value, in one step, duplicates one after another; gives what was there before.",
  example: program(
    `
    grid [4]
    inout count: i32[]
    body {
      %0: i32[] = atomic {op: "add"} count (1i) ! Read(count), Write(count)
    }`,
    { count: [10] },
    { count: [14] }
  ),
  typing: (eqn, scope) => M.asResult(A.checkUpdate(eqn, eqn.operands, M.shown(eqn, scope))),
  discharge: update("viewAtomic"),
  accuracy: sumAccuracy
}

export const compareExchange: Primitive<"compareExchange"> = {
  ...common,
  ...onRef,
  name: "compareExchange",
  simulate: Sim.compareExchange,
  wgsl: W.compareExchange,
  doc: "Replaces each element that a view shows where it equals another value, in one step; gives what was there before.",
  example: program(
    `
    grid [1]
    inout x: i32[3]
    out before: i32[3]
    body {
      %0: i32[3] = compareExchange x (1i, 7i) ! Read(x), Write(x)
      store before (%0) ! Write(before)
    }`,
    { x: [1, 2, 1] },
    { x: [7, 2, 7], before: [1, 2, 1] }
  ),
  typing: (eqn, scope) => M.asResult(A.checkExchange(eqn.operands, M.shown(eqn, scope))),
  discharge: update("viewCompareExchange")
}

export const viewAtomic: Primitive<"viewAtomic"> = {
  ...common,
  name: "viewAtomic",
  wgsl: W.viewAtomic,
  doc: "An array with a tile combined into it through a view, in row-major order, and what each step found: `atomic` on a value.",
  example: equation([vector("i32", 1, 2, 3, 4), scalar("i32", 3)], [vector("i32", 1, 3, 3, 4), vector("i32", 2, 4)], {
    ...everyOther(1, 2),
    op: "max"
  }),
  typing: (eqn) => {
    const view = A.checkUpdate(eqn, eqn.operands.slice(1), M.shownOfOperand(eqn))
    return [...M.asResult(eqn.operands[0]!), ...M.asResult(view)]
  },
  effects: pure,
  defined: D.viewAtomic,
  evaluate: A.atomicEvaluate,
  accuracy: sumAccuracy
}

export const viewCompareExchange: Primitive<"viewCompareExchange"> = {
  ...common,
  name: "viewCompareExchange",
  wgsl: W.viewCompareExchange,
  doc: "An array with equal elements replaced through a view, in row-major order, and what each step found: `compareExchange` on a value.",
  example: equation(
    [vector("i32", 1, 2, 3, 4), scalar("i32", 2), scalar("i32", 7)],
    [vector("i32", 1, 7, 3, 4), vector("i32", 2, 4)],
    everyOther(1, 2)
  ),
  typing: (eqn) => {
    const view = A.checkExchange(eqn.operands.slice(1), M.shownOfOperand(eqn))
    return [...M.asResult(eqn.operands[0]!), ...M.asResult(view)]
  },
  effects: pure,
  defined: D.viewCompareExchange,
  evaluate: A.exchangeEvaluate
}
