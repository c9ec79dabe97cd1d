/** A rule over an operand that the inline does not have. */
import { Discharge } from "effect-kernels"
import { gelu } from "../kernels.ts"

Discharge.rule(gelu, ({ y }) => y)
