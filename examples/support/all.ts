/** The examples, for the tests and the browser. */
import { example as fallback } from "../fallback.ts"
import { example as gelu } from "../gelu.ts"
import { example as histogram } from "../histogram.ts"
import { example as layerNorm } from "../layer-norm.ts"
import { example as matmul } from "../matmul.ts"
import { example as prefixSum } from "../prefix-sum.ts"
import { example as raggedMatmul } from "../ragged-matmul.ts"
import { example as saxpy } from "../saxpy.ts"
import { example as softmax } from "../softmax.ts"
import { example as stencil } from "../stencil.ts"
import type { Example } from "./example.ts"

export const examples: ReadonlyArray<Example> = [
  saxpy,
  softmax,
  matmul,
  raggedMatmul,
  layerNorm,
  prefixSum,
  stencil,
  histogram,
  gelu,
  fallback
]
