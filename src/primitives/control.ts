/** Branches and loops. */
import { exact, type Primitive } from "../ir/primitive.ts"
import { TypingError } from "../ir/typing.ts"
import * as C from "./structural/control.ts"
import { dischargeCond, dischargeFori, dischargeWhile } from "./structural/carry.ts"
import { program } from "./structural/example.ts"
import { runCond, runFori, runWhile } from "./structural/run.ts"
import * as Sim from "./simulate/control.ts"
import * as W from "./wgsl/control.ts"

const common = { family: "control", effects: C.effectsOfRegions, accuracy: exact, generate: { weight: 0 } } as const

export const cond: Primitive<"cond"> = {
  ...common,
  name: "cond",
  simulate: Sim.cond,
  wgsl: W.cond,
  doc: "Runs one of two branches.",
  example: program(
    `
    grid [2]
    in x: i32[2]
    out o: i32[2]
    body {
      %0: i32[] = programId {axis: 0}
      %1: i32[] = load x[%0] ! Read(x)
      %2: bool[] = lt (%1, 0i)
      %3: i32[] = cond (%2) {
        %4: i32[] = neg (%1)
        yield %4
      } {
        yield %1
      }
      store o[%0] (%3) ! Write(o)
    }`,
    { x: [-3, 5] },
    { o: [3, 5] }
  ),
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
  simulate: Sim.fori,
  wgsl: W.fori,
  doc: "Runs a body for each number from `lo` up to, but not including, `hi`, carrying values.",
  example: program(
    `
    grid [1]
    out o: i32[]
    body {
      %0: i32[] = fori (1i, 5i, 0i) { (%1: i32[], %2: i32[]) =>
        %3: i32[] = add (%2, %1)
        yield %3
      }
      store o (%0) ! Write(o)
    }`,
    {},
    { o: [10] }
  ),
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
  simulate: Sim.whileLoop,
  wgsl: W.while,
  doc: "Runs a body as long as a condition holds, carrying values; condition and body share one state.",
  example: program(
    `
    grid [1]
    out o: i32[]
    body {
      %0: i32[] = while (1i) { (%1: i32[]) =>
        %2: bool[] = lt (%1, 100i)
        yield %2
      } { (%3: i32[]) =>
        %4: i32[] = mul (%3, 2i)
        yield %4
      }
      store o (%0) ! Write(o)
    }`,
    {},
    { o: [128] }
  ),
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
