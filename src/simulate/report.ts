/** Reports: what was run, and what was found. As data and as JSON; `text.ts` tells it to people. */
import { Result, Schema } from "effect"
import * as DType from "../DType.ts"
import type { ParseError } from "../Errors.ts"
import { Finding, Sizes } from "../Findings.ts"
import { fromSchema } from "../ir/codec.ts"
import type { Program } from "../ir/program.ts"

/** What was run: the names of the schedules, and per schedule how much. */
export class Ran extends Schema.Class<Ran>("Ran")({
  schedules: Schema.Array(Schema.String),
  /** Program instances, and threads of each. */
  programs: Schema.Number,
  threads: Schema.Number,
  /** Elements that were read and written. */
  accesses: Schema.Number
}) {}

/** What the Simulator has found in a run of a kernel. */
export class Report extends Schema.Class<Report>("Report")({
  kernel: Schema.String,
  grid: Schema.Array(Schema.Number),
  refs: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      dtype: Schema.Literals(DType.names),
      shape: Schema.Array(Schema.Number)
    })
  ),
  ran: Ran,
  findings: Schema.Array(Finding),
  /** What else is to be said of the run. */
  notes: Schema.Array(Schema.String)
}) {}

export const sizesOf = ({ grid, refs }: Program): Sizes =>
  new Sizes({
    grid: grid.map((axis) => axis.size),
    shapes: Object.fromEntries(refs.map((ref) => [ref.name, ref.shape]))
  })
/** The finding, with the smallest sizes at which it persists. */
export const withSmallest = <F extends Finding>(finding: F, smallest: Sizes): F => {
  const Class = finding.constructor as new (fields: object) => F
  return new Class({ ...finding, smallest })
}

/** A report on a program. */
export const reportOn = (
  program: Program,
  ran: Ran,
  findings: ReadonlyArray<Finding>,
  notes: ReadonlyArray<string> = []
): Report =>
  new Report({
    kernel: program.name,
    grid: program.grid.map((axis) => axis.size),
    refs: program.refs.map(({ dtype, name, shape }) => ({ name, dtype, shape })),
    ran,
    findings,
    notes
  })

const encode = Schema.encodeSync(Report)
const decode = Schema.decodeUnknownResult(Report, { onExcessProperty: "error" })
/** The report as plain JSON, which `fromJson` reads. */
export const toJson = (report: Report): unknown => encode(report)
/** A report from JSON. Fails with `ParseError`, which has the path of the first mistake. */
export const fromJson = (json: unknown): Result.Result<Report, ParseError> =>
  Result.mapError(decode(json), (error) => fromSchema(error, "the report"))
