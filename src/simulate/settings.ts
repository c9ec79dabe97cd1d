/** How a run is scheduled, and what counts as a mistake. */
import { random } from "../discharge/order.ts"

/** Which thread goes on: each as far as it can, first to last or last to first, or any at each step. */
export type Schedule = "inOrder" | "reversed" | { readonly seed: number }
/** When work in flight reads and lands: at once, as late as it may, or in between, as the schedule's seed says. */
export type Flying = "eager" | "late" | "random"
/** Zeros that nobody has written: fresh `out` refs, fresh scratch, what lies beside the edge of a block, outside of a ref. */
export type Zeros = "output" | "scratch" | "padding" | "outOfBounds"

export interface Options {
  /** Order of threads and program instances; `"inOrder"` if absent. */
  readonly schedule?: Schedule
  /** When copies and products in flight do what they do; `"eager"` if absent. */
  readonly flying?: Flying
  /** Whether a fence must stand between a write and a copy that reads it, as on Hopper; program order does, if absent. */
  readonly asyncProxy?: boolean
  /** Whether atomic steps on an element order what is around them; WGSL's do not, if absent. */
  readonly atomics?: "relaxed" | "acquireRelease"
  /** Program instances that are there at once; any number, if absent. */
  readonly resident?: number
  /** Lanes of a subgroup; 32 if absent. */
  readonly subgroupSize?: number
  /** Turns that one run of a loop may take; 1,000,000 if absent. */
  readonly turns?: number
  /** Zeros that are meant, and not followed. */
  readonly trusted?: ReadonlyArray<Zeros>
}

/** Options with nothing left open. */
export interface Settings {
  readonly schedule: Schedule
  readonly flying: Flying
  readonly asyncProxy: boolean
  readonly acquireRelease: boolean
  readonly resident: number
  readonly subgroupSize: number
  readonly turns: number
  readonly trusted: ReadonlySet<Zeros>
}
export const settingsOf = (options: Options): Settings => ({
  schedule: options.schedule ?? "inOrder",
  flying: options.flying ?? "eager",
  asyncProxy: options.asyncProxy ?? false,
  acquireRelease: options.atomics === "acquireRelease",
  resident: options.resident ?? Infinity,
  subgroupSize: options.subgroupSize ?? 32,
  turns: options.turns ?? 1_000_000,
  trusted: new Set(options.trusted ?? [])
})

/** The choices of a run. */
export interface Policy {
  /** Whether threads take turns at each step. */
  readonly interleaves: boolean
  /** One of so many that could go on. */
  readonly pick: (count: number) => number
  /** Whether what could be done now is done now. */
  readonly now: () => boolean
}
export const policyOf = ({ flying, schedule }: Settings): Policy => {
  const next = random(typeof schedule === "object" ? schedule.seed : 1)
  return {
    interleaves: typeof schedule === "object",
    pick: (count) => (schedule === "inOrder" ? 0 : schedule === "reversed" ? count - 1 : Math.floor(next() * count)),
    now: () => (flying === "random" ? next() < 0.5 : flying === "eager")
  }
}
