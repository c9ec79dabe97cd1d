/** Hands what kernels print to Effect's logger. */
import { Effect } from "effect"
import { dataOf, positionOf, type Report, textOf } from "./report.ts"

/** Whose prints these are. */
export interface Origin {
  readonly kernel: string
  readonly interpreter: string
}

const deliverOne = (origin: Origin, report: Report): Effect.Effect<void> =>
  Effect.annotateLogs(Effect.logInfo(textOf(report)), {
    ...origin,
    label: report.eqn.params["label"],
    program: report.program,
    values: dataOf(report),
    ...positionOf(report.eqn)
  })
/** Logs the prints, one entry each, in this order. */
export const deliver = (origin: Origin, reports: ReadonlyArray<Report>): Effect.Effect<void> =>
  Effect.forEach(reports, (report) => deliverOne(origin, report), { discard: true })

/** Says that prints were lost. */
export const deliverLoss = (origin: Origin, lost: number, words: number): Effect.Effect<void> =>
  Effect.annotateLogs(
    Effect.logWarning(
      `kernel "${origin.kernel}": ${lost} ${lost === 1 ? "print was" : "prints were"} lost, ` +
        `because the buffer of ${words} words was full; give Gpu.layerWith more recordWords, or print less`
    ),
    { ...origin, lost }
  )
