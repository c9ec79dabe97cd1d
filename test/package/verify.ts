/** A user who has fast-check, too. */
import * as Verify from "effect-kernels/verify"

export const names: ReadonlyArray<string> = Object.keys(Verify)
