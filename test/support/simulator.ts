/** Verdicts of the Simulator, which must be the same under every schedule. */
import { Effect } from "effect"
import { expect } from "vitest"
import { Kernel, Simulator } from "../../src/index.ts"
import type { Finding, Place, Stuck } from "../../src/Findings.ts"
import { type Args, pointedAt } from "./kernels.ts"

type How = NonNullable<Simulator.CheckOptions["schedules"]>[number]
export type Options = Omit<Simulator.CheckOptions, "schedules" | "smallest">

const orders = (["inOrder", "reversed"] as const).flatMap((schedule) =>
  (["eager", "late"] as const).map((flying): How => ({ schedule, flying }))
)
const seeded = (seed: number): How => ({ schedule: { seed }, flying: "random" })
/** Each order of threads with each way of flying, and some at random. */
export const schedules: ReadonlyArray<How> = [...orders, ...[1, 2, 3, 4, 5].map(seeded)]

/** What a line says of itself in a comment at its end, or the line. */
export const labelOf = (place: Place): string => {
  const line = pointedAt(place)
  return /\/\/ (.*)$/.exec(line)?.[1] ?? line
}
const kindOf = (f: Finding): string => {
  if (f._tag === "Race") return `among ${f.among}`
  if (f._tag === "BarrierMisuse") return f.misuse
  if (f._tag === "Uninitialised") return `${f.origin} reaches ${f.reaches}`
  return f._tag === "OutOfBounds" ? f.access : ""
}
const placesOf = (f: Finding): ReadonlyArray<Place> => {
  if (f._tag === "Stuck") return f.waiting.map(({ place }) => place)
  return [f.first, "second" in f ? f.second : undefined].filter((p) => p !== undefined)
}
/** `Race among programs on o: first, second`: the labels in alphabetical order, because runs go either way. */
export const verdictOf = (f: Finding): string => {
  const labels = [...new Set(placesOf(f).map(labelOf))].sort()
  return `${[f._tag, kindOf(f)].filter((part) => part !== "").join(" ")} on ${f.ref}: ${labels.join(", ")}`
}

/** What the Simulator finds under some schedules. */
export const reportOf = (
  kernel: Kernel.Any,
  args: Args,
  options: Simulator.CheckOptions = {}
): Promise<Simulator.Report> =>
  Effect.runPromise(
    (Simulator.check as any)(kernel, args, { smallest: false, ...options }) as Effect.Effect<Simulator.Report>
  )
/** Under each schedule, the Simulator finds this and nothing else. */
export const finds = async (
  kernel: Kernel.Any,
  args: Args,
  expected: ReadonlyArray<string>,
  options: Options = {}
): Promise<void> => {
  for (const how of schedules) {
    const { findings } = await reportOf(kernel, args, { ...options, schedules: [how] })
    expect(findings.map(verdictOf).sort(), JSON.stringify(how)).toEqual([...expected].sort())
  }
}
/** What threads are stuck at, and why. */
export const isStuck = async (k: Kernel.Any, args: Args, waiting: ReadonlyArray<string>, options: Options = {}) => {
  const show = ({ detail, place }: Stuck["waiting"][number]) =>
    `${place.program.join()}/${place.thread} at ${labelOf(place)}: ${detail}`
  for (const how of schedules) {
    const { findings } = await reportOf(k, args, { ...options, schedules: [how] })
    expect(findings.map(({ _tag }) => _tag)).toEqual(["Stuck"])
    expect((findings[0] as any).waiting.map(show).sort(), JSON.stringify(how)).toEqual(waiting)
  }
}
/** Under each schedule, the Simulator finds nothing, and gives these results. */
export const isSilent = async (
  kernel: Kernel.Any,
  args: Args,
  results: { readonly [ref: string]: ReadonlyArray<number> } = {},
  options: Options = {}
): Promise<void> => {
  await finds(kernel, args, [], options)
  for (const how of schedules) {
    const run = (Kernel.run as any)(kernel, args)
    const given: any = await Effect.runPromise(
      Effect.provide(run, Simulator.layer({ ...options, ...how }) as any) as any
    )
    for (const [ref, values] of Object.entries(results)) expect([...given[ref]], JSON.stringify(how)).toEqual(values)
  }
}
