/** What discharge promises of the programs that it makes. */
import { dischargesInSteps, dischargesPurely, reusesStorageSafely, wellTyped } from "./laws.ts"
import { forPrograms, run } from "./support.ts"

forPrograms("The checker accepts every program", 300, (c) => run(wellTyped(c)))
forPrograms("Discharge leaves no effect, and the checker accepts what it makes", 200, (c) => run(dischargesPurely(c)))
forPrograms("Discharge of some refs and then of the rest gives the same results", 150, (c) => run(dischargesInSteps(c)))
forPrograms("Writing in place changes no result", 150, (c) => run(reusesStorageSafely(c)))
