/** A loop that carries a number of the host. */
import { Control } from "effect-kernels"

Control.fori(0, 4, 0, function* (i) {
  return 1
})
