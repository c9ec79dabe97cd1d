/** The private error of typing rules; the trace boundary turns it into a `KernelError`, the checker into a finding. */
export class TypingError extends Error {
  readonly detail: string
  readonly hint: string | undefined
  constructor(detail: string, hint?: string) {
    super(detail)
    this.name = "TypingError"
    this.detail = detail
    this.hint = hint
  }
}
