/** Lowering depends on the program and nothing else. */
import { lowersTheSame } from "./laws.ts"
import { forPrograms, run } from "./support.ts"

forPrograms("A program and its copy become the same WGSL", 200, (c) => run(lowersTheSame(c)))
