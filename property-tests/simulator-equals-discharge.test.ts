/** The Simulator gives what Discharge gives, wherever the order of a program does not show, and finds the same in any order. */
import { findsTheSame, simulatesAsDischarge } from "./simulator-laws.ts"
import { forPrograms, run } from "./support.ts"

forPrograms(
  "The Simulator gives what Discharge gives, bit for bit, and fails as it fails, with or without findings",
  150,
  (c) => run(simulatesAsDischarge(c)),
  { failing: 0.2 }
)
forPrograms("What the Simulator finds does not depend on the schedule", 100, (c) => run(findsTheSame(c)))
forPrograms("nor does it in programs with threads", 60, (c) => run(findsTheSame(c)), { threads: 3 })
