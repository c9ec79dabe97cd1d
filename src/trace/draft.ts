/**
 * Kernels before they are judged: what their bodies trace to, with what would be refused.
 *
 * A program that waits in vain, or not at all, is no kernel; but whoever looks for mistakes can run it and show them.
 */
import { Effect } from "effect"
import type { Reason } from "../Errors.ts"
import type { Program } from "../ir/program.ts"

export interface Draft {
  readonly program: Program
  /** Why it is no kernel: it would wait forever, or leave behind what it should have waited for. */
  readonly mistake?: Reason
}
/** A kernel, as far as a draft needs one. */
interface Traceable<E, R> {
  readonly trace: Effect.Effect<Program, E, R>
}

const drafts = new WeakMap<object, Effect.Effect<Draft, any, any>>()
/** Remembers the draft of a kernel that was made of a body. */
export const drafted = <K extends object>(kernel: K, draft: Effect.Effect<Draft, unknown, unknown>): K => {
  drafts.set(kernel, draft)
  return kernel
}
/** The draft of a kernel; one that was parsed or built from data has been judged already. */
export const draftOf = <E, R>(kernel: Traceable<E, R>): Effect.Effect<Draft, E, R> =>
  drafts.get(kernel) ?? Effect.map(kernel.trace, (program) => ({ program }))
