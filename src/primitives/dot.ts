/** The matrix product. */
import { product } from "./defined/dot.ts"
import { dotAccuracy, dotEvaluate, dotResult } from "./structural/dot.ts"
import { array, equation } from "./structural/example.ts"
import { plain } from "./structural/record.ts"
import * as W from "./wgsl/dot.ts"

export const dot = plain("dot", "dot", {
  doc: "The product of matrices, over equal leading batch axes; f16 accumulates in f32.",
  operands: 2,
  result: dotResult,
  evaluate: dotEvaluate,
  defined: product,
  wgsl: W.dot,
  accuracy: dotAccuracy,
  generate: { weight: 2, params: { transposeA: "dotDimensions", transposeB: "dotDimensions" } },
  example: equation(
    [array("f32", [2, 3], 1, 2, 3, 4, 5, 6), array("f32", [3, 1], 1, 0, -1)],
    [array("f32", [2, 1], -2, -2)],
    { transposeA: false, transposeB: false }
  )
})
