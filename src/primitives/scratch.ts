/** Memory of a program instance that lives as long as a region runs. */
import { exact, type Primitive } from "../ir/primitive.ts"
import { TypingError } from "../ir/typing.ts"
import * as C from "./structural/control.ts"
import { dischargeScoped } from "./structural/carry.ts"
import { program } from "./structural/example.ts"
import * as P from "./structural/params.ts"
import * as Sim from "./simulate/control.ts"
import * as S from "./structural/scoped.ts"
import * as W from "./wgsl/scratch.ts"

export const scoped: Primitive<"scoped"> = {
  name: "scoped",
  simulate: Sim.scoped,
  wgsl: W.scoped,
  family: "scratch",
  doc: "Runs a body with scratch of its own, which is 0 at each entry; each thread has its own, unless it is collective.",
  example: program(
    `
    grid [1]
    out o: i32[2]
    body {
      scoped ! Memory, Write(o) {
        scratch s: i32[2] workgroup
        accumulate s (3i) ! Accum(s)
        %0: i32[2] = load s ! Read(s)
        store o (%0) ! Write(o)
      }
    }`,
    {},
    { o: [3, 3] }
  ),
  typing: (eqn) => {
    C.checkRegions(eqn, 1)
    if (eqn.operands.length > 0) throw new TypingError(`takes no operands, got ${eqn.operands.length}`)
    const body = eqn.regions[0]!
    C.checkSameTypes("parameters of the body", body.params, [])
    for (const r of body.refs) P.result(r.dtype, r.shape)
    S.checkCollective(eqn)
    return C.types(body.results)
  },
  effects: C.effectsOfRegions,
  discharge: dischargeScoped,
  accuracy: exact,
  generate: { weight: 0 }
}
