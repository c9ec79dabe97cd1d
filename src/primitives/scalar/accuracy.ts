/**
 * Accuracy records of elementwise primitives, for f32; integers and booleans are exact under every record.
 *
 * An f16 operation is the f32 one on f16 operands, rounded: it may be one f16 neighbour further off. Where an operand is
 * subnormal, implementations may take 0 for it, and a subnormal result may be 0.
 */
import type { Accuracy } from "../../ir/primitive.ts"
import { ulp } from "./float.ts"

const smallestNormal = 2 ** -126

/** Within `n` units in the last place of the result. */
export const ulps = (n: number, spec: string): Accuracy => ({
  _tag: "Bounded",
  spec: `${n} ULP: ${spec}`,
  bound: (_, result) => n * ulp(result) + smallestNormal
})
