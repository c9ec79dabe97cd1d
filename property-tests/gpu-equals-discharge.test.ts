/** The main law: the device does what the pure program means. */
import { agrees } from "./laws.ts"
import { forPrograms, gpu, run } from "./support.ts"

const device = gpu()
forPrograms("Gpu gives what Discharge gives, to the bit where results are exact, else within bounds", 200, async (c) =>
  run(agrees(await device())(c))
)
