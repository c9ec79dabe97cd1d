/** A rule that gives another dtype. */
import { Discharge, i32 } from "effect-kernels"
import { gelu } from "../kernels.ts"

Discharge.rule(gelu, ({ x }) => x.convert(i32))
