/** Parallel axes have no order. */
import { anyOrder } from "./laws.ts"
import { forPrograms, run } from "./support.ts"

forPrograms("Program instances may run in any order: reversed and shuffled give the same", 200, (c) => run(anyOrder(c)))
