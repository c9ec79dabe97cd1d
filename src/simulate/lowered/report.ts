/** What the checker of lowered kernels reports, as plain data. */
import type { Memory } from "../../ir/lowered.ts"

/** Where a statement stands in a lowered kernel. */
export interface Site {
  /** Positions in the blocks around it, such as `3.body.0` or `5.then.1`. */
  readonly path: string
  /** The statement, or how it begins. */
  readonly text: string
  /** The comment above it, which names the equation it came from. */
  readonly comment?: string
}
/** One access of a race, or of a write that is out of bounds. */
export interface Touch {
  readonly workgroup: number
  readonly invocation: number
  readonly access: "read" | "write" | "atomic"
  readonly site: Site
}

/**
 * Two accesses to one cell that nothing orders, one of which writes: of invocations of one workgroup with no barrier of the
 * address space between them, or of two workgroups. One item per pair of statements, at the first cell that was seen.
 */
export interface LoweredRace {
  readonly _tag: "Race"
  readonly among: "invocations" | "workgroups"
  readonly memory: string
  readonly space: Memory["space"]
  readonly cell: number
  readonly first: Touch
  readonly second: Touch
  /** Cells, counted once for each stretch between barriers. */
  readonly count: number
}
/** A barrier, or what must be reached by all alike, that some invocations of a workgroup did not come to. */
export interface LoweredDivergence {
  readonly _tag: "Divergence"
  readonly site: Site
  readonly workgroup: number
  readonly arrived: ReadonlyArray<number>
  readonly missing: ReadonlyArray<number>
  readonly count: number
}
/** A write to a cell that the memory does not have. */
export interface LoweredOutOfBounds {
  readonly _tag: "OutOfBounds"
  readonly memory: string
  readonly cell: number
  readonly at: Touch
  readonly count: number
}
/** A loop that takes more turns than the checker follows. */
export interface LoweredEndless {
  readonly _tag: "Endless"
  readonly site: Site
  readonly workgroup: number
  readonly count: number
}
export type LoweredFinding = LoweredRace | LoweredDivergence | LoweredOutOfBounds | LoweredEndless

export interface LoweredReport {
  readonly findings: ReadonlyArray<LoweredFinding>
}

const touched = ({ access, invocation, site, workgroup }: Touch): string =>
  `${access} by invocation ${invocation} of workgroup ${workgroup} at ${site.path}: ${site.text}${
    site.comment === undefined ? "" : `\n      ${site.comment}`
  }`
const shown = (finding: LoweredFinding): string => {
  switch (finding._tag) {
    case "Race":
      return `race among ${finding.among} on ${finding.space} ${finding.memory}[${finding.cell}]\n    ${touched(
        finding.first
      )}\n    ${touched(finding.second)}`
    case "Divergence":
      return `invocations ${finding.missing.join(", ")} of workgroup ${finding.workgroup} do not come to ${
        finding.site.path
      }: ${finding.site.text}`
    case "OutOfBounds":
      return `write out of bounds of ${finding.memory}[${finding.cell}]\n    ${touched(finding.at)}`
    case "Endless":
      return `endless loop in workgroup ${finding.workgroup} at ${finding.site.path}`
  }
}
/** A report as text; the empty text if nothing was found. */
export const showLowered = ({ findings }: LoweredReport): string =>
  findings.map((f) => `${shown(f)}\n    seen ${f.count === 1 ? "once" : `${f.count} times`}`).join("\n")
