/** WGSL written by hand, with or without a rule that says what it means. */
import { exact, type Primitive } from "../ir/primitive.ts"
import { inlineEffects, inlineTyping } from "./structural/inline.ts"
import * as W from "./wgsl/inline.ts"

export const inline: Primitive<"inline"> = {
  name: "inline",
  wgsl: W.inline,
  family: "inline",
  doc: "WGSL written by hand; its rule, where it has one, is a body that means the same.",
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
    }
  }
}
