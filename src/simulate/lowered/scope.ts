/** What the names of a lowered kernel stand for while it is made ready to run, and why one cannot be run. */
import { Unsupported } from "../../Errors.ts"
import { type Memory, type Stmt, subgroupLane, subgroupSize } from "../../ir/lowered.ts"
import { sitesOf } from "./blocks.ts"
import type { Findings } from "./findings.ts"
import type { Cells, Clock } from "./memory.ts"

/** Why a kernel cannot be followed; never leaves this folder. */
export class Refused extends Error {
  readonly reason: Unsupported
  constructor(reason: Unsupported) {
    super(reason.message)
    this.reason = reason
  }
}
export const refuse = (primitive: string, detail: string, hint: string): never => {
  throw new Refused(new Unsupported({ primitive, interpreter: "Simulator", detail, hint }))
}

/** What an elementwise inline means, as a function of scalars; `member` names the result, where it has several. */
export type InlineMeaning = (
  inline: string,
  member: string | undefined
) => ((...args: ReadonlyArray<number>) => number) | undefined

/** Where a memory is: cells that invocations share, or the registers of that number. */
export type Place =
  | { readonly _tag: "Cells"; readonly cells: Cells }
  | { readonly _tag: "Register"; readonly memory: Memory; readonly number: number }

/** Locals that every invocation has from the start, by their slots, and what they are. */
const givenNames: ReadonlyArray<string> = ["lane", "program", subgroupSize.name, subgroupLane.name]
export const givenLocals = (of: { readonly id: number; readonly program: number; readonly subgroup: number }) => [
  of.id,
  of.program,
  of.subgroup,
  of.id % of.subgroup
]

/** The names of one kernel. */
export class Scope {
  private readonly slots = new Map(givenNames.map((name, slot) => [name, slot]))
  readonly findings: Findings
  readonly clock: Clock
  readonly subgroup: number
  private readonly places: ReadonlyMap<string, Place>
  private readonly inlines: InlineMeaning
  constructor(
    places: ReadonlyMap<string, Place>,
    findings: Findings,
    clock: Clock,
    subgroup: number,
    inlines: InlineMeaning
  ) {
    this.places = places
    this.findings = findings
    this.clock = clock
    this.subgroup = subgroup
    this.inlines = inlines
  }
  get locals(): number {
    return this.slots.size
  }
  /** The number of the first of a block's statements; the others follow. */
  enter(body: ReadonlyArray<Stmt>, prefix: string): number {
    return this.findings.enter(sitesOf(body, prefix))
  }
  /** The slot of a local from here on; loops over elements give some names anew. */
  declare(name: string): number {
    const slot = this.slots.get(name) ?? this.slots.size
    this.slots.set(name, slot)
    return slot
  }
  slot(name: string): number {
    return this.slots.get(name) ?? refuse(name, "the local is used before it has a value", "lower the program again")
  }
  place(name: string): Place {
    return this.places.get(name) ?? refuse(name, "the kernel has no such memory", "lower the program again")
  }
  /** Shared cells; steps on registers need no atomic memory. */
  cells(name: string): Cells {
    const place = this.place(name)
    return place._tag === "Cells" ? place.cells : refuse(name, "the memory is not shared", "lower the program again")
  }
  inline(name: string, member: string | undefined): (...args: ReadonlyArray<number>) => number {
    return (
      this.inlines(name, member) ??
      refuse(`inline "${name}"`, "inline text cannot be followed", "say what it means, as a function of scalars")
    )
  }
}
