/** Whether a device's number is within what a record's accuracy allows. */
import * as DType from "../../src/DType.ts"
import { ulp } from "../../src/primitives/scalar/float.ts"
import { record, type Use } from "./families.ts"

const smallestNormal = 2 ** -126
const isSubnormal = (x: number): boolean => x !== 0 && Math.abs(x) < smallestNormal
const ulpOf = (dtype: DType.Name, x: number): number => (dtype === "f16" ? Math.max(ulp(x) * 8192, 2 ** -24) : ulp(x))

/** Error in ULP of the result. */
export const error = (u: Use, expected: number, actual: number): number =>
  Object.is(expected, actual) || expected === actual ? 0 : Math.abs(expected - actual) / ulpOf(u.result, expected)

export const agrees = (u: Use, args: ReadonlyArray<number>, expected: number, actual: number): boolean => {
  if (expected === actual || (Number.isNaN(expected) && Number.isNaN(actual))) return true
  const { accuracy } = record(u.name)
  if (!DType.isFloat(u.result) || accuracy._tag === "Exact") return false
  // WGSL lets subnormal operands count as zeros.
  if (args.some(isSubnormal)) return true
  // ... and subnormal results become zeros.
  if (accuracy._tag === "Rounded") return Math.abs(expected) < smallestNormal && actual === 0
  const bound = accuracy.bound(args, expected) + (u.result === "f16" ? ulpOf("f16", expected) : 0)
  return Math.abs(expected - actual) <= bound
}
