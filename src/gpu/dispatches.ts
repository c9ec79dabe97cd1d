/** How a number of workgroups becomes dispatches: WebGPU limits each dimension of one, and spill memory how many run at once. */

/** One dispatch: workgroups `base` to `base + x * y - 1`. */
export interface Dispatch {
  readonly base: number
  readonly x: number
  readonly y: number
}

/**
 * Dispatches that together run each of `programs` workgroups exactly once, in order, at most `cap` in one. Rows are full:
 * a grid that overshot would run, and spill, workgroups of the next dispatch.
 */
export const planDispatches = (programs: number, maxPerDim: number, cap: number): ReadonlyArray<Dispatch> => {
  const dispatches: Array<Dispatch> = []
  for (let base = 0; base < programs;) {
    const left = Math.min(programs - base, cap)
    const x = Math.min(left, maxPerDim)
    const y = Math.min(Math.floor(left / x), maxPerDim)
    dispatches.push({ base, x, y })
    base += x * y
  }
  return dispatches
}

/** Spill memory is at most this large, unless a single workgroup needs more. */
export const maxSpillBytes = 64 * 2 ** 20

/** Workgroups that may run in one dispatch, given what each spills. */
export const dispatchCap = (spillBytes: number): number =>
  spillBytes === 0 ? Infinity : Math.max(1, Math.floor(maxSpillBytes / spillBytes))
