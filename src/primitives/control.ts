/** Branches and loops. */
import { exact, type Primitive } from "../ir/primitive.ts"
import { TypingError } from "../ir/typing.ts"
import * as C from "./structural/control.ts"
import { dischargeCond, dischargeFori, dischargeWhile } from "./structural/carry.ts"
import { runCond, runFori, runWhile } from "./structural/run.ts"
import * as W from "./wgsl/control.ts"

const common = { family: "control", effects: C.effectsOfRegions, accuracy: exact, generate: { weight: 0 } } as const

export const cond: Primitive<"cond"> = {
  ...common,
  name: "cond",
  wgsl: W.cond,
  doc: "Runs one of two branches.",
  typing: (eqn) => {
    C.checkRegions(eqn, 2)
    if (eqn.operands.length !== 1) throw new TypingError(`takes 1 operand, got ${eqn.operands.length}`)
    C.checkScalar("condition", eqn.operands[0], "bool")
    for (const branch of eqn.regions) {
      C.checkNoScratch(branch)
      C.checkSameTypes("parameters of the branch", branch.params, [])
    }
    C.checkSameTypes("results of the second branch", eqn.regions[1]!.results, eqn.regions[0]!.results)
    return C.types(eqn.regions[0]!.results)
  },
  discharge: dischargeCond,
  control: runCond,
  once: true
}

export const fori: Primitive<"fori"> = {
  ...common,
  name: "fori",
  wgsl: W.fori,
  doc: "Runs a body for each number from `lo` up to, but not including, `hi`, carrying values.",
  typing: (eqn) => {
    C.checkRegions(eqn, 1)
    const [lo, hi, ...init] = eqn.operands
    C.checkScalar("lower bound", lo, "i32")
    C.checkScalar("upper bound", hi, "i32")
    const body = eqn.regions[0]!
    C.checkNoScratch(body)
    C.checkSameTypes("parameters of the body", body.params, [lo!, ...init])
    C.checkSameTypes("results of the body", body.results, init)
    return C.types(init)
  },
  discharge: dischargeFori,
  control: runFori
}

const whileLoop: Primitive<"while"> = {
  ...common,
  name: "while",
  wgsl: W.while,
  doc: "Runs a body as long as a condition holds, carrying values; condition and body share one state.",
  typing: (eqn) => {
    C.checkRegions(eqn, 2)
    const [condition, body] = [eqn.regions[0]!, eqn.regions[1]!]
    for (const region of eqn.regions) C.checkNoScratch(region)
    C.checkSameTypes("parameters of the condition", condition.params, eqn.operands)
    C.checkSameTypes("results of the condition", condition.results, [{ dtype: "bool", shape: [] }])
    C.checkSameTypes("parameters of the body", body.params, eqn.operands)
    C.checkSameTypes("results of the body", body.results, eqn.operands)
    return C.types(eqn.operands)
  },
  discharge: dischargeWhile,
  control: runWhile
}
export { whileLoop as while }
