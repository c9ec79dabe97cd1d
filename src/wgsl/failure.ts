/** The private error of the lowering; `compile` turns it into what it holds. */
import { KernelError, type NotImplemented, type Reason } from "../Errors.ts"

export class Failure extends Error {
  readonly error: KernelError | NotImplemented
  constructor(error: KernelError | NotImplemented) {
    super(error.message)
    this.error = error
  }
}
/** Ends the compilation of a kernel. */
export const fail = (kernel: string, reason: Reason): never => {
  throw new Failure(new KernelError({ kernel, reason }))
}
