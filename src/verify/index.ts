/** What `effect-kernels/verify` gives its users. */
import { Effect } from "effect"
import type { KernelError, NotImplemented } from "../Errors.ts"
import type { Service } from "../Interpreter.ts"
import { print } from "../ir/print.ts"
import { type Difference, expected, onInterpreter } from "./agree.ts"
import { type Case, argumentsOf } from "./case.ts"

export { type Difference, showDifference } from "./agree.ts"
export { cases as programs, minimise } from "./arbitrary.ts"
export { type Arguments, type Case } from "./case.ts"
export { type ProgramOptions } from "./generate/program.ts"
export { args, Counterexample, interpreters, kernel, type Options } from "./kernel.ts"

/** The host arrays that a case is run on, by the names of its refs. */
export const inputs = argumentsOf

/** The program of a case as text, with the seed of its arguments, as files of failures hold it. */
export const show = ({ program, seed }: Case): string => `// seed ${seed}\n${print(program, { positions: false })}`

/**
 * Where an interpreter gives something else than discharge does; `undefined` where it agrees, or where nothing is promised.
 *
 * Compared bit for bit where design and primitives promise it, else within the bounds of the primitives' records.
 */
export const agreement = (
  subject: Service,
  c: Case
): Effect.Effect<Difference | undefined, KernelError | NotImplemented> =>
  Effect.flatMap(expected(c), (e): Effect.Effect<Difference | undefined, KernelError | NotImplemented> => {
    if (e._tag === "Failing") return Effect.fail(e.error)
    return e._tag === "Void" ? Effect.undefined : onInterpreter(subject, c, e)
  })
