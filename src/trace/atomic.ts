/** Atomic changes, as the trace emits them. */
import type { Op } from "../primitives/structural/atomic.ts"
import { changing } from "./access.ts"

interface Options {
  readonly mask?: unknown
}
export const update = (op: Op) => (ref: unknown, value: unknown, options?: Options) =>
  changing("atomic", ref, [value], options, { op })
export const compareExchange = (ref: unknown, compared: unknown, value: unknown, options?: Options) =>
  changing("compareExchange", ref, [compared, value], options)
