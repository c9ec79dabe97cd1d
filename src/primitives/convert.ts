/** Conversion of values, and of bits, between element types. */
import * as DType from "../DType.ts"
import { exact, rounded } from "../ir/primitive.ts"
import { elementwise } from "./elementwise.ts"
import { bitcastScalar, convertScalar, convertText, reinterpret, target } from "./scalar/convert.ts"
import { wide } from "./scalar/dtypes.ts"

export const convert = elementwise("convert", "convert", {
  doc: "The value in another dtype: floats truncate and saturate to integers (NaN to 0), round to nearest even to floats; bool is x ≠ 0.",
  arity: 1,
  operands: [DType.computeNames],
  result: (params) => target(params.dtype, DType.computeNames),
  scalar: (dtype, params) => {
    const f = convertScalar(dtype, target(params.dtype, DType.computeNames))
    return (x) => f(x!)
  },
  wgsl: ([x], dtype, params) => convertText(x!, dtype, target(params.dtype, DType.computeNames)),
  opaque: true,
  accuracy: rounded,
  generate: { weight: 2, params: { dtype: "dtype" } }
})
export const bitcast = elementwise("bitcast", "convert", {
  doc: "The same 32 bits as another of f32, i32 and u32.",
  arity: 1,
  operands: [wide],
  result: (params) => target(params.dtype, wide),
  scalar: (dtype, params) => {
    const f = bitcastScalar(dtype, target(params.dtype, wide))
    return (x) => f(x!)
  },
  evaluate: (_, eqn, [x]) => {
    const { dtype, shape } = eqn.results[0]!
    return [{ dtype, shape, data: reinterpret(x!.data, dtype) }]
  },
  wgsl: ([x], dtype, params) => (params.dtype === dtype ? x! : `bitcast<${target(params.dtype, wide)}>(${x})`),
  opaque: true,
  accuracy: exact,
  generate: { weight: 1, params: { dtype: "bitcastDtype" } }
})
