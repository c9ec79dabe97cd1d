/** Loads and stores through views of refs, and the pure operations on arrays that they are discharged to. */
import { type DischargeRule, exact, type Primitive, pure } from "../ir/primitive.ts"
import { accum, literal, read, write } from "../ir/program.ts"
import { sumAccuracy } from "./structural/reduce.ts"
import { viewAddEvaluate, viewGetEvaluate, viewPutEvaluate } from "./structural/access.ts"
import * as D from "./defined/view.ts"
import { equation, everyOther, program, scalar, vector } from "./structural/example.ts"
import * as M from "./structural/memory.ts"
import * as Sim from "./simulate/memory.ts"
import * as W from "./wgsl/memory.ts"

const common = { family: "memory", accuracy: exact, generate: { weight: 0 } } as const

/** The rule of writes: the ref's new value is the old one, changed by a pure operation. */
const update =
  (operation: "viewPut" | "viewAdd"): DischargeRule =>
  (ctx, eqn) => {
    const { name } = M.refUse(eqn)
    const [after] = ctx.emit(operation, { ...M.through(eqn), operands: [ctx.value(name), ...eqn.operands] })
    return { results: [], refs: new Map([[name, after!]]) }
  }

export const load: Primitive<"load"> = {
  ...common,
  name: "load",
  simulate: Sim.load,
  wgsl: W.load,
  doc: "The tile that a view shows; 0 outside the ref, another value where a mask is false.",
  example: program(
    `
    grid [1]
    in x: i32[4]
    out o: i32[3]
    body {
      %0: i32[3] = load x[2 +: 3] ! Read(x)
      store o (%0) ! Write(o)
    }`,
    { x: [1, 2, 3, 4] },
    { o: [3, 4, 0] }
  ),
  typing: (eqn, scope) => M.asResult(M.checkRead(eqn.operands, M.shown(eqn, scope))),
  effects: (eqn) => eqn.refs.map((use) => read(use.name)),
  discharge: (ctx, eqn) => ({
    results: ctx.emit("viewGet", { ...M.through(eqn), operands: [ctx.value(M.refUse(eqn).name), ...eqn.operands] }),
    refs: new Map()
  })
}

export const store: Primitive<"store"> = {
  ...common,
  name: "store",
  simulate: Sim.store,
  wgsl: W.store,
  doc: "Writes a tile through a view; what is outside the ref or masked off is dropped.",
  example: program(
    `
    grid [1]
    out o: i32[5]
    body {
      store o[0 +: 3 step 2] (7i) ! Write(o)
    }`,
    {},
    { o: [7, 0, 7, 0, 7] }
  ),
  typing: (eqn, scope) => {
    M.checkWrite(eqn.operands, M.shown(eqn, scope))
    return []
  },
  effects: (eqn) => eqn.refs.map((use) => write(use.name)),
  discharge: update("viewPut")
}

export const swap: Primitive<"swap"> = {
  ...common,
  name: "swap",
  simulate: Sim.swap,
  wgsl: W.swap,
  doc: "Writes a tile through a view and gives what was there before; 0 outside the ref and where masked off.",
  example: program(
    `
    grid [1]
    inout x: i32[2]
    out before: i32[2]
    body {
      %0: i32[2] = swap x (7i) ! Read(x), Write(x)
      store before (%0) ! Write(before)
    }`,
    { x: [1, 2] },
    { x: [7, 7], before: [1, 2] }
  ),
  typing: (eqn, scope) => M.asResult(M.checkWrite(eqn.operands, M.shown(eqn, scope))),
  effects: (eqn) => eqn.refs.flatMap((use) => [read(use.name), write(use.name)]),
  discharge: (ctx, eqn) => {
    const [value, mask] = eqn.operands
    const outside = mask === undefined ? [] : [mask, literal(value!.dtype, 0)]
    const before = ctx.emit("viewGet", { ...M.through(eqn), operands: [ctx.value(M.refUse(eqn).name), ...outside] })
    return { results: before, refs: update("viewPut")(ctx, eqn).refs }
  }
}

export const accumulate: Primitive<"accumulate"> = {
  ...common,
  name: "accumulate",
  simulate: Sim.accumulate,
  wgsl: W.accumulate,
  doc: "Adds a tile through a view, every duplicate of an element; what is outside the ref or masked off is dropped.",
  example: program(
    `
    grid [1]
    in at: i32[3]
    inout x: i32[2]
    body {
      %0: i32[3] = load at ! Read(at)
      accumulate x[gather %0] (10i) ! Accum(x)
    }`,
    { at: [1, 1, 5], x: [1, 2] },
    { x: [1, 22] }
  ),
  typing: (eqn, scope) => {
    const view = M.shown(eqn, scope)
    M.checkWrite(eqn.operands, view)
    M.checkNumeric(view)
    return []
  },
  effects: (eqn) => eqn.refs.map((use) => accum(use.name)),
  discharge: update("viewAdd"),
  accuracy: sumAccuracy
}

export const viewGet: Primitive<"viewGet"> = {
  ...common,
  name: "viewGet",
  wgsl: W.viewGet,
  doc: "The tile that a view shows of an array: `load` of a value.",
  example: equation([vector("i32", 1, 2, 3, 4)], [vector("i32", 2, 4)], everyOther(1, 2)),
  typing: (eqn) => M.asResult(M.checkRead(eqn.operands.slice(1), M.shownOfOperand(eqn))),
  effects: pure,
  defined: D.viewGet,
  evaluate: viewGetEvaluate
}

export const viewPut: Primitive<"viewPut"> = {
  ...common,
  name: "viewPut",
  wgsl: W.viewPut,
  doc: "An array with a tile written through a view, the last of duplicates: `store` to a value.",
  example: equation([vector("i32", 1, 2, 3, 4), scalar("i32", 7)], [vector("i32", 1, 7, 3, 7)], everyOther(1, 2)),
  typing: (eqn) => {
    M.checkWrite(eqn.operands.slice(1), M.shownOfOperand(eqn))
    return M.asResult(eqn.operands[0]!)
  },
  effects: pure,
  defined: D.viewPut,
  evaluate: viewPutEvaluate
}

export const viewAdd: Primitive<"viewAdd"> = {
  ...common,
  name: "viewAdd",
  wgsl: W.viewAdd,
  doc: "An array with a tile added through a view, every duplicate: `accumulate` to a value.",
  example: equation(
    [vector("i32", 1, 2, 3, 4), vector("i32", 10, 20)],
    [vector("i32", 1, 12, 3, 24)],
    everyOther(1, 2)
  ),
  typing: (eqn) => {
    const view = M.shownOfOperand(eqn)
    M.checkWrite(eqn.operands.slice(1), view)
    M.checkNumeric(view)
    return M.asResult(eqn.operands[0]!)
  },
  effects: pure,
  defined: D.viewAdd,
  evaluate: viewAddEvaluate,
  accuracy: sumAccuracy
}
