/** What a kind of fault is. */
import type { RefDecl, Scratch } from "../../src/ir/program.ts"
import type { Options } from "../../src/simulate/settings.ts"
import type { Expected, Writer } from "./write.ts"

/** A fault before it is planted: equations in parts, between which the program goes on, perhaps. */
export interface Fault {
  readonly refs?: ReadonlyArray<RefDecl>
  /** Scratch that is there from the first part to the last. */
  readonly scratch?: ReadonlyArray<Scratch>
  readonly parts: ReadonlyArray<() => void>
  /** Asked when all parts are written. */
  readonly expected: () => Expected
  /** Program instances that must come to the place; any one, if absent. */
  readonly instances?: ReadonlyArray<number>
}
export interface Kind {
  readonly name: string
  /** Whether it takes several program instances at once, or threads; else it is planted in programs without threads. */
  readonly among: "instances" | "threads" | "alone"
  /** Whether parts stand together, since something of the program could mend the fault. */
  readonly together?: boolean
  /** Whether it stands at the end of programs that could mend it, as `mends` says. */
  readonly mends?: (primitive: string) => boolean
  /** Options of the Simulator that it takes. */
  readonly options?: Options
  readonly write: (writer: Writer) => Fault
}
