/** The JSON form holds all of a program. */
import { survivesJson } from "./laws.ts"
import { forPrograms, run } from "./support.ts"

forPrograms("A program that goes through JSON is the same program", 300, (c) => run(survivesJson(c)))
