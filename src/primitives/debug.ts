/** What a kernel says beside its results. */
import { exact, type Primitive } from "../ir/primitive.ts"
import { debug } from "../ir/program.ts"
import { TypingError } from "../ir/typing.ts"
import * as C from "./structural/control.ts"
import { program } from "./structural/example.ts"
import * as P from "./structural/params.ts"
import { checkPlain } from "./structural/record.ts"
import { failureOf } from "./structural/report.ts"
import * as Sim from "./simulate/control.ts"
import * as W from "./wgsl/debug.ts"

const common = { family: "debug", effects: () => [debug], accuracy: exact, generate: { weight: 0 } } as const

export const print: Primitive<"print"> = {
  ...common,
  name: "print",
  simulate: Sim.print,
  wgsl: W.print,
  doc: "Tells a label and the tiles after it to those who run the kernel.",
  example: program(
    `
    grid [1]
    in x: i32[2]
    out o: i32[2]
    body {
      %0: i32[2] = load x ! Read(x)
      %1: i32[] = reduceSum {axes: [0], keepDims: false} (%0)
      print {label: "loaded", names: ["x", "sum"]} (%0, %1) ! Debug
      store o (%0) ! Write(o)
    }`,
    { x: [1, 2] },
    { o: [1, 2] }
  ),
  typing: (eqn) => {
    checkPlain(eqn)
    P.text(eqn.params, "label")
    const names = P.texts(eqn.params, "names")
    if (names.length > 0 && names.length !== eqn.operands.length)
      throw new TypingError(`${names.length} names for ${eqn.operands.length} tiles`, "name all, or none")
    return []
  },
  evaluate: (ctx, eqn, values) => {
    ctx.report(eqn, values)
    return []
  }
}

export const assert: Primitive<"assert"> = {
  ...common,
  name: "assert",
  simulate: Sim.assert,
  wgsl: W.assert,
  doc: "Ends the run with a typed failure where its condition does not hold; further operands are shown.",
  example: program(
    `
    grid [1]
    in x: i32[]
    out o: i32[]
    body {
      %0: i32[] = load x ! Read(x)
      %1: bool[] = gt (%0, 0i)
      assert {detail: "x is positive", kind: "assertion"} (%1, %0) ! Debug
      store o (%0) ! Write(o)
    }`,
    { x: [3] },
    { o: [3] }
  ),
  typing: (eqn) => {
    checkPlain(eqn)
    const [condition, ...values] = eqn.operands
    C.checkScalar("condition", condition, "bool")
    for (const v of values)
      if (v.shape.length > 0) throw new TypingError("only scalars can be shown", "reduce the tile, or print it")
    P.text(eqn.params, "detail")
    const kind = P.text(eqn.params, "kind")
    if (kind !== "assertion" && kind !== "deadlock")
      throw new TypingError(`an assertion of kind ${kind}`, 'kinds are "assertion" and "deadlock"')
    if (kind === "deadlock") P.text(eqn.params, "ref")
    return []
  },
  evaluate: (ctx, eqn, [condition, ...values]) =>
    condition!.data[0] !== 0 ? [] : ctx.fail(failureOf({ eqn, program: ctx.program(), values }))
}
