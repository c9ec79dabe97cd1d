/** What a kernel says beside its results. */
import { AssertionFailed, Deadlock } from "../Errors.ts"
import { exact, type Primitive } from "../ir/primitive.ts"
import { debug, type Eqn } from "../ir/program.ts"
import { TypingError } from "../ir/typing.ts"
import * as C from "./structural/control.ts"

const positionOf = (eqn: Eqn): { readonly source?: string } => {
  const source = eqn.source?.show()
  return source === undefined ? {} : { source }
}

export const assert: Primitive<"assert"> = {
  name: "assert",
  family: "debug",
  doc: "Ends the run with a typed failure where its condition does not hold; further operands are shown.",
  typing: ({ operands, params }) => {
    const [condition, ...values] = operands
    C.checkScalar("condition", condition, "bool")
    for (const v of values)
      if (v.shape.length > 0) throw new TypingError("only scalars can be shown", "reduce the tile")
    if (params["kind"] !== "assertion" && params["kind"] !== "deadlock")
      throw new TypingError(`an assertion of kind ${String(params["kind"])}`, 'kinds are "assertion" and "deadlock"')
    return []
  },
  effects: () => [debug],
  evaluate: (ctx, eqn, [condition, ...values]) => {
    if (condition!.data[0] !== 0) return []
    const detail = String(eqn.params["detail"])
    const shown = values.map((v) => v.data[0]!)
    const common = { detail, program: [...ctx.program()], values: shown, ...positionOf(eqn) }
    return eqn.params["kind"] === "deadlock"
      ? ctx.fail(new Deadlock({ ...common, ref: String(eqn.params["ref"]) }))
      : ctx.fail(new AssertionFailed(common))
  },
  accuracy: exact,
  generate: { weight: 0 }
}
