/**
 * Runs kernels on the Simulator under many schedules: what it finds at which lines of a test, and that it is silent.
 *
 * Tests mark the lines of statements by what stands in a comment at their ends.
 */
import { Effect } from "effect"
import { expect } from "vitest"
import { Discharge, Kernel, Simulator } from "../../src/index.ts"
import { type Args, type Numbers, pointedAt } from "./kernels.ts"

export interface Expected {
  readonly tag: Simulator.Finding["_tag"]
  /** `"o"`, if left out. */
  readonly ref?: string
  /** Where the case determines it. */
  readonly element?: ReadonlyArray<number>
  /** Marks of the lines of both sides; those of races and barriers stand in any order. */
  readonly at: ReadonlyArray<string>
  /** What else the finding says. */
  readonly like?: object
}
type Options = Omit<Simulator.CheckOptions, "schedules" | "smallest">

/** In order and late, reversed and eager, and some at random. */
export const schedules: NonNullable<Simulator.CheckOptions["schedules"]> = [
  { schedule: "inOrder", flying: "late" },
  { schedule: "reversed", flying: "eager" },
  ...[1, 2, 3].map((seed) => ({ schedule: { seed }, flying: "random" }) as const)
]

/** A kernel as a caller without types may write it; of one program instance, unless `rest` says otherwise. */
export const kernel = (
  refs: Kernel.Specs,
  body: (refs: any) => Generator<any, void, any>,
  rest: object = {}
): Kernel.Any => Kernel.make("case", { grid: [1], refs, ...rest }, body as any) as unknown as Kernel.Any

export const check = (of: Kernel.Any, args: Args, options: Simulator.CheckOptions = {}): Promise<Simulator.Report> =>
  Effect.runPromise((Simulator.check as any)(of, args, options) as Effect.Effect<Simulator.Report>)

/** Whether what a line ends with is this mark. */
const isMarked = (place: Simulator.Place, mark: string): boolean => pointedAt(place).endsWith(`// ${mark}`)
const placesOf = (finding: Simulator.Finding): ReadonlyArray<Simulator.Place> =>
  [finding.first, "second" in finding ? finding.second : undefined].filter((p) => p !== undefined)

/** A finding is what is expected. */
export const compare = (finding: Simulator.Finding, { at, element, like = {}, ref = "o", tag }: Expected): void => {
  const shown = JSON.stringify(finding)
  expect(finding, shown).toMatchObject({ _tag: tag, ref, ...like })
  if (element !== undefined) expect(finding.element, shown).toEqual(element)
  expect(finding.hint).not.toBe("")
  expect(finding.detail).not.toBe("")
  const places = placesOf(finding)
  const swaps = tag === "Race" || tag === "OrderShows" || tag === "BarrierMisuse"
  const inOrder = places.every((place, k) => isMarked(place, at[k] ?? ""))
  const swapped = swaps && places.every((place, k) => isMarked(place, at[at.length - 1 - k] ?? ""))
  if (places.length !== at.length || !(inOrder || swapped)) expect(places.map(pointedAt), shown).toEqual(at)
}

/** Exactly these findings, under every schedule, and under all of them together. */
export const found = async (
  of: Kernel.Any,
  args: Args,
  expected: Expected | ReadonlyArray<Expected>,
  options: Options = {}
): Promise<void> => {
  const all = [expected].flat() as ReadonlyArray<Expected>
  const runs = [...schedules.map((how) => ({ ...options, schedules: [how], smallest: false })), options]
  for (const run of runs) {
    const { findings } = await check(of, args, run)
    expect(findings, JSON.stringify(run)).toHaveLength(all.length)
    const byTag = (a: { readonly ref: string; readonly tag: string }) => `${a.tag} ${a.ref}`
    const order = (a: string, b: string) => (a < b ? -1 : 1)
    const sorted = [...findings].sort((a, b) => order(`${a._tag} ${a.ref}`, `${b._tag} ${b.ref}`))
    const wanted = all.map((e) => ({ ref: "o", ...e })).sort((a, b) => order(byTag(a), byTag(b)))
    sorted.forEach((finding, k) => compare(finding, wanted[k]!))
  }
}

const run = (of: Kernel.Any, args: Args, layer: any): Promise<{ readonly [ref: string]: ArrayBufferView }> =>
  Effect.runPromise(Effect.provide((Kernel.run as any)(of, args), layer) as any)
const bytes = (array: ArrayBufferView): ReadonlyArray<number> => [
  ...new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
]
/**
 * Nothing is found, under any schedule, and the results are Discharge's, bit for bit; or, where only the Simulator runs the
 * kernel, these.
 */
export const silent = async (
  of: Kernel.Any,
  args: Args,
  { results, ...options }: Options & { readonly results?: Numbers } = {}
): Promise<void> => {
  expect((await check(of, args, { ...options, schedules })).findings).toEqual([])
  const wanted = results ?? (await run(of, args, Discharge.layer))
  for (const how of schedules) {
    const actual = await run(of, args, Simulator.layer({ ...options, ...how }))
    for (const [ref, expected] of Object.entries(wanted))
      if (results === undefined) expect(bytes(actual[ref]!), ref).toEqual(bytes(expected as ArrayBufferView))
      else expect([...(actual[ref] as Int32Array)], ref).toEqual([...(expected as Int32Array)])
  }
}
