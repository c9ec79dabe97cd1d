/**
 * Values with shadows: beside each element, where it is undefined from.
 *
 * Interpreters agree on what an undefined element is (0), so that its use stays hidden; a shadow follows it, as memcheck
 * does, through arithmetic and memory, to where it matters.
 */
import type { ArrayValue } from "./array.ts"

/**
 * Per element 0 if it is defined, else the number of an origin, above 0; nothing, if all are defined. Never changed once
 * made: values may share them.
 */
export type Origins = Int32Array | undefined
export interface Shadowed {
  readonly value: ArrayValue
  readonly origins: Origins
}
