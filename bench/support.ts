/**
 * Compares ways of doing the same thing: alternately in one run, so that what else the machine does meets all of them.
 *
 * A GPU that refuses a kernel does nothing, quickly, and leaves the old result standing. So every result is checked after
 * its measured run, and then overwritten, so that the next run cannot pass with it.
 */

/** One way of doing it; gives the arrays that hold its result. */
export type Subject<A extends Arrays> = () => A | Promise<A>
export type Arrays = ArrayBufferView | ReadonlyArray<ArrayBufferView> | { readonly [name: string]: ArrayBufferView }

export interface Options<Name extends string, A extends Arrays> {
  readonly rounds: number
  /** Rounds that are run and checked first, and not counted; 2 if not given. */
  readonly warmup?: number
  /** Throws if a result is wrong. */
  readonly check: (result: A, name: Name) => void
}
export interface Timing {
  readonly median: number
  readonly fastest: number
  readonly slowest: number
  /** How many times as long as the first subject, the median over the rounds, each against its own round. */
  readonly ratio: number
}

const median = (xs: ReadonlyArray<number>): number => {
  const sorted = [...xs].sort((a, b) => a - b)
  const half = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2
}

const views = (arrays: Arrays): ReadonlyArray<ArrayBufferView> =>
  ArrayBuffer.isView(arrays) ? [arrays] : Object.values(arrays as { readonly [name: string]: ArrayBufferView })

/** Bytes that are no plausible result: NaN as f16 and f32, large odd numbers as integers. */
const poison = (arrays: Arrays): void => {
  for (const { buffer, byteLength, byteOffset } of views(arrays))
    new Uint8Array(buffer, byteOffset, byteLength).fill(0x7f)
}

const once = async <A extends Arrays>(subject: Subject<A>, check: (result: A) => void): Promise<number> => {
  const start = performance.now()
  const result = await subject()
  const elapsed = performance.now() - start
  check(result)
  poison(result)
  return elapsed
}

const timing = (times: ReadonlyArray<number>, base: ReadonlyArray<number>): Timing => ({
  median: median(times),
  fastest: Math.min(...times),
  slowest: Math.max(...times),
  ratio: median(times.map((t, k) => t / base[k]!))
})

/** Runs the subjects in turn, `rounds` times, and gives each one's times in milliseconds. */
export const measure = async <Name extends string, A extends Arrays>(
  subjects: { readonly [N in Name]: Subject<A> },
  { check, rounds, warmup = 2 }: Options<Name, A>
): Promise<{ readonly [N in Name]: Timing }> => {
  const runs = Object.keys(subjects).map((name) => ({ name: name as Name, times: [] as Array<number> }))
  for (let round = -warmup; round < rounds; round++)
    for (const { name, times } of runs) {
      const elapsed = await once(subjects[name], (result) => check(result, name))
      if (round >= 0) times.push(elapsed)
    }
  const timings = runs.map(({ name, times }) => [name, timing(times, runs[0]!.times)])
  return Object.fromEntries(timings) as { [N in Name]: Timing }
}

const header = ["", "median ms", "fastest", "slowest", "ratio"]

/** The timings as lines of a table, one per subject. */
export const table = (timings: { readonly [name: string]: Timing }): string => {
  const rows = Object.entries(timings).map(([name, t]) => [
    name,
    ...[t.median, t.fastest, t.slowest].map((ms) => ms.toPrecision(3)),
    t.ratio.toFixed(2)
  ])
  const widths = header.map((title, k) => Math.max(title.length, ...rows.map((row) => row[k]!.length)))
  const line = (row: ReadonlyArray<string>) =>
    row.map((cell, k) => (k === 0 ? cell.padEnd(widths[k]!) : cell.padStart(widths[k]!))).join("  ")
  return [header, ...rows].map(line).join("\n")
}

/** Measures, prints the table under its title, and gives the timings. */
export const compare = async <Name extends string, A extends Arrays>(
  title: string,
  subjects: { readonly [N in Name]: Subject<A> },
  options: Options<Name, A>
): Promise<{ readonly [N in Name]: Timing }> => {
  const timings = await measure(subjects, options)
  console.log(`\n${title} (${options.rounds} rounds)\n${table(timings)}`)
  return timings
}
