/** The text form of reports. */
import { Effect } from "effect"
import type { Finding, Sizes } from "../Findings.ts"
import * as Shape from "../Shape.ts"
import { excerpt, isNear, linesOf, parsePosition, type Position } from "./excerpt.ts"
import type { Report } from "./report.ts"
import { headline, type Step, stepsOf, whoOf } from "./sentences.ts"
import { type Lines, SourceLines, unknown } from "./sourceLines.ts"

/** The lines of a file. */
type Text = (path: string) => ReadonlyArray<string> | undefined

const counted = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`

// --- sizes --------------------------------------------------------------------------------------------------------------

const showSizes = (refs: Report["refs"], { grid, shapes }: Pick<Sizes, "grid" | "shapes">): string =>
  [
    `grid ${Shape.show(grid)}`,
    ...refs.flatMap(({ dtype, name }) => {
      const shape = Object.hasOwn(shapes, name) ? shapes[name] : undefined
      return shape === undefined ? [] : [`${name}: ${dtype}${Shape.show(shape)}`]
    })
  ].join(", ")

/** What was run, and how many findings there are. */
const showRun = ({ findings, grid, kernel, notes, ran, refs }: Report): ReadonlyArray<string> => [
  `kernel "${kernel}": ${findings.length === 0 ? "no findings" : counted(findings.length, "finding")}`,
  `with ${showSizes(refs, { grid, shapes: Object.fromEntries(refs.map((ref) => [ref.name, ref.shape])) })}`,
  `checked ${counted(ran.accesses, "access", "accesses")} of ` +
    `${counted(ran.programs, "program instance")}` +
    `${ran.threads > 1 ? ` of ${ran.threads} threads` : ""}; schedules: ${ran.schedules.join("; ")}`,
  ...notes.map((note) => `note: ${note}`)
]

// --- places -------------------------------------------------------------------------------------------------------------

interface Numbered extends Step {
  /** How excerpts name it; empty where there is nothing to be told apart. */
  readonly label: string
  readonly position: Position | undefined
}
const indent = (lines: ReadonlyArray<string>, by: number): ReadonlyArray<string> =>
  lines.map((line) => (line === "" ? "" : " ".repeat(by) + line))

/** Places that one excerpt shows stand together. */
const grouped = (steps: ReadonlyArray<Numbered>): ReadonlyArray<ReadonlyArray<Numbered>> => {
  const groups: Array<Array<Numbered>> = []
  for (const step of steps) {
    const { position } = step
    const near = groups.find((group) =>
      group.some((other) => position !== undefined && other.position !== undefined && isNear(position, other.position))
    )
    if (near === undefined) groups.push([step])
    else near.push(step)
  }
  return groups
}

const showStep = ({ label, note, place }: Numbered, threads: number): string =>
  `${label === "" ? "" : `${label}: `}${whoOf(place, threads)}` +
  `${note === undefined ? "" : `: ${note}`}${place.source === undefined ? "" : `, at ${place.source}`}`

const equationsOf = (group: ReadonlyArray<Numbered>): ReadonlyArray<string> => [
  ...new Set(group.map(({ place }) => place.equation))
]

const showGroup = (group: ReadonlyArray<Numbered>, threads: number, text: Text): ReadonlyArray<string> => {
  const marks = group.flatMap(({ label, position }) => (position === undefined ? [] : [{ ...position, label }]))
  const file = marks.length === 0 ? undefined : text(marks[0]!.path)
  const shown = file === undefined ? undefined : excerpt(file, marks)
  return [...group.map((step) => showStep(step, threads)), ...indent(shown ?? equationsOf(group), 4)]
}

const numbered = (steps: ReadonlyArray<Step>): ReadonlyArray<Numbered> =>
  steps.map((step, k) => ({
    ...step,
    label: steps.length > 1 ? String(k + 1) : "",
    position: parsePosition(step.place.source)
  }))

/** A finding, as number `n` of a report. */
const showFinding = (report: Report, finding: Finding, n: number, text: Text): ReadonlyArray<string> => {
  const { count, detail, hint, smallest } = finding
  const groups = grouped(numbered(stepsOf(finding)))
  return [
    `${n}. ${headline(finding)}`,
    ...indent(
      [
        ...groups.flatMap((group) => showGroup(group, report.ran.threads, text)),
        ...(detail === "" ? [] : detail.split("\n")),
        ...(hint === "" ? [] : `hint: ${hint}`.split("\n")),
        ...(count > 1 ? [`seen ${count} times, first here`] : []),
        ...(smallest === undefined ? [] : [`smallest: ${showSizes(report.refs, smallest)}`])
      ],
      3
    )
  ]
}

/**
 * The report for people: what was run, and a block for each finding, with the source lines around its places where `lines`
 * has them, else with the equations.
 */
export const toText = (report: Report, lines: Lines = unknown): string => {
  const text = linesOf(lines)
  const findings = report.findings.map((finding, k) => showFinding(report, finding, k + 1, text))
  return `${[showRun(report), ...findings].map((block) => block.join("\n")).join("\n\n")}\n`
}
/** As `toText`, with the lines that the service `SourceLines` has. */
export const render = (report: Report): Effect.Effect<string> =>
  Effect.map(SourceLines, (lines) => toText(report, lines))
