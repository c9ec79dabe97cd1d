/** A rule that gives a number. */
import { Discharge } from "effect-kernels"
import { gelu } from "../kernels.ts"

Discharge.rule(gelu, () => 1)
