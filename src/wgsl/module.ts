/** What lowering hands to the device: one WGSL module and what must be bound to run it. */
import type { Eqn, GridAxis } from "../ir/program.ts"

export interface Binding {
  /** Name of the ref. */
  readonly name: string
  readonly access: "read" | "read_write"
  /** 32-bit words of the buffer; one per element, at least 1. */
  readonly words: number
}

/** Where the text of an inline stands in the module, so that compile errors are told in the inline's own lines. */
export interface InlineLines {
  readonly inline: string
  /** First line of the text in the module, counted from 1. */
  readonly line: number
  readonly count: number
  /** Where the inline was made. */
  readonly source?: string
}

/** What prints and assertions leave in a buffer of their own, whose binding follows the spill buffer's. */
export interface Records {
  /** The equations, by the numbers under which they record. */
  readonly sites: ReadonlyArray<Eqn>
  /** Where its instances and cells stand. */
  readonly grid: ReadonlyArray<GridAxis>
  /** Words of one record of a failure. */
  readonly failureWords: number
}

export interface Module {
  readonly kernel: string
  /** WGSL with entry point `main`. */
  readonly code: string
  readonly workgroupSize: number
  /** Workgroups to run; 0 runs nothing. */
  readonly programs: number
  /** In the order of their binding numbers in group 0, from 0. */
  readonly bindings: ReadonlyArray<Binding>
  /** Words that each workgroup needs of the spill buffer, whose binding follows `bindings`; 0 if it has none. */
  readonly spillWords: number
  /** Workgroup memory that the module declares, in bytes. */
  readonly workgroupBytes: number
  readonly inlineLines: ReadonlyArray<InlineLines>
  /** Absent where nothing prints or asserts. */
  readonly records?: Records
  /** Whether it needs subgroups, and that they fill the workgroup; no, if left out. */
  readonly subgroups?: boolean
}
/** The uniform `ek_params` is the last binding: base of the linear workgroup id, zero, number of workgroups, padding. */
export const paramsBytes = 16
