/** A branch on a truth value of the host. */
import { Control } from "effect-kernels"

Control.when(true, function* () {})
