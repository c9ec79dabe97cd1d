/** Conversion of values, and of bits, between element types. */
import * as DType from "../DType.ts"
import { exact, rounded } from "../ir/primitive.ts"
import { elementwise } from "./elementwise.ts"
import { bitcastScalar, convertScalar, convertText, reinterpret, target } from "./scalar/convert.ts"
import { wide } from "./scalar/dtypes.ts"

export const convert = elementwise("convert", "convert", {
  doc: "The value in another dtype: floats truncate and saturate to integers (NaN to 0), round to nearest even to floats; bool is x ≠ 0.",
  values: {
    "f32>i32": "nan = 0; inf = MAX; -inf = MIN; 2.9 = 2; -2.9 = -2; 2147483648 = MAX; -3000000000 = MIN",
    "f32>u32": "nan = 0; -1 = 0; inf = UMAX; 4294967296 = UMAX; -0.5 = 0; 3000000000 = 3000000000",
    "f32>bool": "0 = 0; -0 = 0; nan = 1; 0.5 = 1",
    "f32>f16":
      "65520 = inf; 65519 = 65504; -1000000000 = -inf; 2.9802322387695312e-8 = 0; 5.960464477539063e-8 = 5.960464477539063e-8; 8.940696716308594e-8 = 1.1920928955078125e-7; nan = nan; 2049 = 2048",
    "f16>f32": "65504 = 65504; -inf = -inf",
    "f16>i32": "-2.5 = -2; inf = MAX",
    "i32>f32": "16777217 = 16777216; 16777219 = 16777220; MIN = MIN; MAX = 2147483648",
    "u32>f32": "UMAX = 4294967296; 16777217 = 16777216; 16777219 = 16777220",
    "i32>f16": "100000 = inf; 2049 = 2048",
    "i32>u32": "-1 = UMAX",
    "u32>i32": "UMAX = -1",
    "i32>bool": "0 = 0; -5 = 1",
    "u32>bool": "0 = 0; UMAX = 1",
    "bool>f32": "1 = 1; 0 = 0",
    "bool>f16": "1 = 1",
    "bool>i32": "1 = 1",
    "bool>u32": "1 = 1"
  },
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
  values: {
    "f32>u32": "1 = 1065353216; -0 = 2147483648; inf = 2139095040",
    "f32>i32": "-0 = MIN; 2 = 1073741824",
    "u32>f32": "1065353216 = 1; 2147483648 = -0; 2143289344 = nan",
    "i32>f32": "MIN = -0; 1065353216 = 1",
    "i32>u32": "-1 = UMAX",
    "u32>i32": "UMAX = -1"
  },
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
