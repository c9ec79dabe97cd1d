/** Memory of a program instance that lives as long as a region runs. */
import { exact, type Primitive } from "../ir/primitive.ts"
import { TypingError } from "../ir/typing.ts"
import * as C from "./structural/control.ts"
import { dischargeScoped } from "./structural/carry.ts"
import * as P from "./structural/params.ts"
import * as W from "./wgsl/scratch.ts"

export const scoped: Primitive<"scoped"> = {
  name: "scoped",
  wgsl: W.scoped,
  family: "scratch",
  doc: "Runs a body with scratch of its own, which is 0 at each entry.",
  typing: (eqn) => {
    C.checkRegions(eqn, 1)
    if (eqn.operands.length > 0) throw new TypingError(`takes no operands, got ${eqn.operands.length}`)
    const body = eqn.regions[0]!
    C.checkSameTypes("parameters of the body", body.params, [])
    for (const r of body.refs) P.result(r.dtype, r.shape)
    return C.types(body.results)
  },
  effects: C.effectsOfRegions,
  discharge: dischargeScoped,
  accuracy: exact,
  generate: { weight: 0 }
}
