/** WGSL written by hand, with or without a rule that says what it means. */
import { exact, type Primitive } from "../ir/primitive.ts"
import { program } from "./structural/example.ts"
import { inlineEffects, inlineTyping } from "./structural/inline.ts"
import * as Sim from "./simulate/control.ts"
import * as W from "./wgsl/inline.ts"

export const inline: Primitive<"inline"> = {
  name: "inline",
  simulate: Sim.inline,
  wgsl: W.inline,
  family: "inline",
  doc: "WGSL written by hand; its rule, where it has one, is a body that means the same.",
  example: program(
    `
    grid [1]
    in x: i32[2]
    out o: i32[2]
    inline square elementwise (x: i32) -> (result: i32)
      "return x * x;"
    body {
      %0: i32[2] = load x ! Read(x)
      %1: i32[2] = inline {inline: "square"} (%0) { (%2: i32[2]) =>
        %3: i32[2] = mul (%2, %2)
        yield %3
      }
      store o (%1) ! Write(o)
    }`,
    { x: [3, -4] },
    { o: [9, 16] }
  ),
  typing: inlineTyping,
  effects: inlineEffects,
  discharge: (ctx, eqn) => {
    const [rule] = eqn.regions
    if (rule === undefined) return ctx.missing()
    const { refs, results } = ctx.inline(rule, eqn.operands)
    const written = ctx.written([rule])
    return { results, refs: new Map([...refs].filter(([name]) => written.includes(name))) }
  },
  accuracy: exact,
  generate: { weight: 0 },
  gaps: {
    Discharge: {
      reason: "it is WGSL without a rule that says what it means",
      hint: "run it on Gpu, give it a discharge rule, or use standard primitives"
    },
    Simulator: {
      reason: "it is WGSL without a rule that says what it means",
      hint: "give it a discharge rule, teach it by Simulator.rule, or use standard primitives"
    }
  }
}
