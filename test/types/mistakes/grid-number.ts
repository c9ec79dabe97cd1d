/** A grid that is a number. */
import { Kernel } from "effect-kernels"

Kernel.make("k", { grid: 4, refs: {} }, function* () {})
