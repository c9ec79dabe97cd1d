/** How the driver stops: with an error of its own, thrown inside and caught at its boundary. */
import { Effect } from "effect"
import { KernelError, type NotImplemented, type Reason } from "../Errors.ts"

export class Stop extends Error {
  readonly error: KernelError | NotImplemented
  constructor(error: KernelError | NotImplemented) {
    super(error.message)
    this.error = error
  }
}
export const stop = (kernel: string, reason: Reason): never => {
  throw new Stop(new KernelError({ kernel, reason }))
}
/** Runs what may stop as an effect. Anything else that is thrown is a defect. */
export const attempt = <A>(run: () => A): Effect.Effect<A, KernelError | NotImplemented> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(run())
    } catch (e) {
      if (e instanceof Stop) return Effect.fail(e.error)
      throw e
    }
  })
