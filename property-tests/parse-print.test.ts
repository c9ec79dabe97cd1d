/** The text form holds all of a program. */
import { parsesAsPrinted } from "./laws.ts"
import { forPrograms, run } from "./support.ts"

forPrograms("A program that is printed and parsed is the same program", 300, (c) => run(parsesAsPrinted(c)))
