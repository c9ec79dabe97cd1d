/**
 * Every error of the library, on one page.
 *
 * `KernelError` is the one error of a kernel; what happened is its tagged `reason` (handle it with
 * `Effect.catchReason`). `NotImplemented` stands beside it, because the type checker knows when it can happen.
 * `GpuUnavailable` is in the error channel of device layers only.
 */
import { Data, Schema } from "effect"
import { Finding } from "./Findings.ts"

const Dims = Schema.Array(Schema.Number)
const position = { source: Schema.optionalKey(Schema.String) }

/** An argument of `Kernel.run` that is missing, unknown, of the wrong type or of the wrong length. */
export class InvalidArgument extends Schema.TaggedClass<InvalidArgument>()("InvalidArgument", {
  ref: Schema.String,
  expected: Schema.String,
  actual: Schema.String
}) {
  get message() {
    return `argument "${this.ref}": expected ${this.expected}, got ${this.actual}`
  }
}
/** A declaration of the kernel that makes no sense: grid, shape, block specification, name. */
export class InvalidKernel extends Schema.TaggedClass<InvalidKernel>()("InvalidKernel", {
  detail: Schema.String,
  hint: Schema.optionalKey(Schema.String),
  ...position
}) {
  get message() {
    return this.detail
  }
}
/** Operands of a primitive whose dtypes, shapes or parameters do not fit together. */
export class TypeMismatch extends Schema.TaggedClass<TypeMismatch>()("TypeMismatch", {
  primitive: Schema.String,
  detail: Schema.String,
  hint: Schema.optionalKey(Schema.String),
  ...position
}) {
  get message() {
    return `${this.primitive}: ${this.detail}`
  }
}
/** A static index outside its dimension, or an index of the wrong rank. */
export class InvalidIndex extends Schema.TaggedClass<InvalidIndex>()("InvalidIndex", {
  ref: Schema.String,
  shape: Dims,
  detail: Schema.String,
  ...position
}) {
  get message() {
    return `index of "${this.ref}" of shape [${this.shape.join(", ")}]: ${this.detail}`
  }
}
/** A store to an `in` ref. */
export class AccessViolation extends Schema.TaggedClass<AccessViolation>()("AccessViolation", {
  ref: Schema.String,
  detail: Schema.String,
  ...position
}) {
  get message() {
    return `ref "${this.ref}": ${this.detail}`
  }
}
/** A ref or tile that belongs to another kernel, or to a scope that has ended. */
export class ForeignValue extends Schema.TaggedClass<ForeignValue>()("ForeignValue", {
  what: Schema.String,
  detail: Schema.String,
  ...position
}) {
  get message() {
    return `${this.what}: ${this.detail}`
  }
}
/** An operation that was made inside the body and never yielded, so that it would have done nothing. */
export class Unyielded extends Schema.TaggedClass<Unyielded>()("Unyielded", {
  primitive: Schema.String,
  ...position
}) {
  get message() {
    return `${this.primitive} was made and never run: write \`yield*\` in front of it`
  }
}
/** Work that is started and never waited for, waited for and never started, or looked at while it is in flight. */
export class Unbalanced extends Schema.TaggedClass<Unbalanced>()("Unbalanced", {
  primitive: Schema.String,
  ref: Schema.String,
  detail: Schema.String,
  hint: Schema.String,
  ...position
}) {
  get message() {
    return `${this.primitive} of "${this.ref}": ${this.detail}`
  }
}
/** Inline WGSL that does not compile, or does not give what it declares. */
export class InlineError extends Schema.TaggedClass<InlineError>()("InlineError", {
  inline: Schema.String,
  line: Schema.Number,
  detail: Schema.String,
  ...position
}) {
  get message() {
    return `inline "${this.inline}", line ${this.line}: ${this.detail}`
  }
}
/** Text or JSON that is not a program; line and column are 0 for JSON, where the detail begins with the path. */
export class ParseError extends Schema.TaggedClass<ParseError>()("ParseError", {
  line: Schema.Number,
  column: Schema.Number,
  detail: Schema.String
}) {
  get message() {
    return this.line === 0 ? this.detail : `line ${this.line}, column ${this.column}: ${this.detail}`
  }
}
/** A program that breaks a rule of the IR, with the equations around the offender. */
export class InvalidProgram extends Schema.TaggedClass<InvalidProgram>()("InvalidProgram", {
  equation: Schema.String,
  detail: Schema.String,
  neighbours: Schema.String
}) {
  get message() {
    return `${this.detail}\nin: ${this.equation}\n${this.neighbours}`
  }
}
/** Parameters that a rule refuses, or a device without what the program needs. */
export class Unsupported extends Schema.TaggedClass<Unsupported>()("Unsupported", {
  primitive: Schema.String,
  interpreter: Schema.String,
  detail: Schema.String,
  hint: Schema.String,
  ...position
}) {
  get message() {
    return `${this.interpreter} cannot run ${this.primitive}: ${this.detail}; ${this.hint}`
  }
}
/** A limit of the device: which, what it allows, what the kernel asks for. */
export class LimitExceeded extends Schema.TaggedClass<LimitExceeded>()("LimitExceeded", {
  limit: Schema.String,
  allowed: Schema.Number,
  requested: Schema.Number,
  hint: Schema.String
}) {
  get message() {
    return `${this.limit}: the device allows ${this.allowed}, the kernel needs ${this.requested}; ${this.hint}`
  }
}
/** The device was lost, or destroyed, while the kernel ran or before. */
export class DeviceLost extends Schema.TaggedClass<DeviceLost>()("DeviceLost", { detail: Schema.String }) {
  get message() {
    return `the GPU device was lost: ${this.detail}`
  }
}
/** The device could not allocate a buffer. */
export class OutOfMemory extends Schema.TaggedClass<OutOfMemory>()("OutOfMemory", {
  bytes: Schema.Number,
  detail: Schema.String
}) {
  get message() {
    return `the GPU could not allocate ${this.bytes} bytes: ${this.detail}`
  }
}
/** WebGPU refused what the lowering gave it: a mistake of this library. */
export class DeviceError extends Schema.TaggedClass<DeviceError>()("DeviceError", {
  stage: Schema.String,
  detail: Schema.String
}) {
  get message() {
    return `WebGPU refused the ${this.stage}: ${this.detail}`
  }
}
/** Two interpreters that disagree, from `Interpreter.differential`. */
export class Mismatch extends Schema.TaggedClass<Mismatch>()("Mismatch", {
  ref: Schema.String,
  index: Schema.Number,
  expected: Schema.Number,
  actual: Schema.Number,
  subject: Schema.String,
  oracle: Schema.String
}) {
  get message() {
    return `"${this.ref}"[${this.index}]: ${this.subject} gives ${this.actual}, ${this.oracle} gives ${this.expected}`
  }
}

/** A `Debug.assert` that did not hold, in the program instance at `program`. */
export class AssertionFailed extends Schema.TaggedClass<AssertionFailed>()("AssertionFailed", {
  detail: Schema.String,
  program: Dims,
  values: Schema.Array(Schema.Number),
  ...position
}) {
  get message() {
    const values = this.values.length === 0 ? "" : ` (${this.values.join(", ")})`
    return `assertion failed in program [${this.program.join(", ")}]: ${this.detail}${values}`
  }
}
/** A wait for what no program instance before it, and nothing in this one, brings about. */
export class Deadlock extends Schema.TaggedClass<Deadlock>()("Deadlock", {
  ref: Schema.String,
  detail: Schema.String,
  program: Dims,
  values: Schema.Array(Schema.Number),
  ...position
}) {
  get message() {
    const values = this.values.length === 0 ? "" : ` (${this.values.join(", ")})`
    return `deadlock in program [${this.program.join(", ")}] at "${this.ref}": ${this.detail}${values}`
  }
}

/** What the Simulator has found in a run. */
export class Faulty extends Schema.TaggedClass<Faulty>()("Faulty", { findings: Schema.Array(Finding) }) {
  get message() {
    const [first] = this.findings
    const more = this.findings.length === 1 ? "" : `, and ${this.findings.length - 1} more`
    return `${first?._tag} of "${first?.ref}"[${first?.element.join(", ")}]: ${first?.detail}${more}`
  }
}

/** What can be the reason of a {@link KernelError}. */
export const Reason = Schema.Union([
  InvalidArgument,
  InvalidKernel,
  TypeMismatch,
  InvalidIndex,
  AccessViolation,
  ForeignValue,
  Unyielded,
  Unbalanced,
  InlineError,
  ParseError,
  InvalidProgram,
  Unsupported,
  LimitExceeded,
  DeviceLost,
  OutOfMemory,
  DeviceError,
  Mismatch,
  AssertionFailed,
  Deadlock,
  Faulty
])
export type Reason = typeof Reason.Type

/** A kernel that could not be traced, checked, compiled or run; `reason` says why. */
export class KernelError extends Schema.TaggedError<KernelError>()("KernelError", {
  kernel: Schema.String,
  reason: Reason
}) {
  /** Only in types: keeps apart, in messages of the type checker, what the fields do not. */
  declare readonly "~KernelError": true
  override get message() {
    const { hint, source } = this.reason as { readonly hint?: string; readonly source?: string }
    const shown = this.reason.message
    return (
      `kernel "${this.kernel}": ${shown}` +
      (hint !== undefined && !shown.includes(hint) ? `; ${hint}` : "") +
      (source === undefined ? "" : `\n  at ${source}`)
    )
  }
}

/** Raised when an interpreter has no rule for a primitive. `Name` says which, at the type level. */
export class NotImplemented<Name extends string = string> extends Data.TaggedError("NotImplemented")<{
  readonly primitive: string
  readonly interpreter: string
  readonly kernel: string
  readonly reason: string
  readonly source: string | undefined
  readonly hint: string
}> {
  declare readonly "~Name": Name
  override get message() {
    const at = this.source === undefined ? "" : `\n  at ${this.source}`
    return `kernel "${this.kernel}": ${this.interpreter} has no rule for "${this.primitive}": ${this.reason}; ${this.hint}${at}`
  }
}

/** There is no WebGPU adapter, or it gives no device. */
export class GpuUnavailable extends Schema.TaggedError<GpuUnavailable>()("GpuUnavailable", {
  detail: Schema.String,
  hint: Schema.String
}) {
  override get message() {
    return `no GPU device: ${this.detail}; ${this.hint}`
  }
}
