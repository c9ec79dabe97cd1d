/**
 * Mathematical functions of f32 and f16, with the special values of C's Annex F.
 *
 * The bounds are what our own WGSL guarantees where sums and products go to either neighbour, not what WGSL grants its builtins.
 */
import { type Accuracy, type Generate, type Primitive, rounded } from "../ir/primitive.ts"
import { elementwise } from "./elementwise.ts"
import { ulps } from "./scalar/accuracy.ts"
import { floats } from "./scalar/dtypes.ts"
import { erf as erfScalar, pow as powScalar, roundEven } from "./scalar/float.ts"
import { always, call } from "./scalar/rules.ts"

type Domain = NonNullable<Generate["domain"]>
const own = "polynomials and range reduction in f32"
const everywhere: Domain = [-1e30, 1e30]

/** A function of one float, computed by the WGSL function `wgsl`. */
const unary = <const Name extends string>(
  name: Name,
  doc: string,
  f: (x: number) => number,
  wgsl: string,
  accuracy: Accuracy,
  domain: Domain
): Primitive<Name> =>
  elementwise(name, "math", {
    doc,
    arity: 1,
    operands: [floats],
    result: "same",
    scalar: always((x) => f(x!)),
    wgsl: call(wgsl),
    opaque: true,
    accuracy,
    generate: { weight: 1, domain }
  })
/** A function of two floats. */
const binary = <const Name extends string>(
  name: Name,
  doc: string,
  f: (x: number, y: number) => number,
  wgsl: string,
  accuracy: Accuracy,
  domain: Domain
): Primitive<Name> =>
  elementwise(name, "math", {
    doc,
    arity: 2,
    operands: ["same", floats],
    result: "same",
    scalar: always((x, y) => f(x!, y!)),
    wgsl: call(wgsl),
    opaque: true,
    accuracy,
    generate: { weight: 1, domain }
  })

const positive: Domain = [1e-30, 1e30]
const exponents: Domain = [-80, 80]
const angles: Domain = [-1e5, 1e5]

export const exp = unary("exp", "e^x.", Math.exp, "ek_exp", ulps(4, own), exponents)
export const exp2 = unary("exp2", "2^x.", (x) => Math.pow(2, x), "ek_exp2", ulps(4, own), exponents)
export const log = unary("log", "Natural logarithm; NaN below 0.", Math.log, "ek_log", ulps(4, own), positive)
export const log2 = unary("log2", "Logarithm to base 2; NaN below 0.", Math.log2, "ek_log2", ulps(4, own), positive)
export const sqrt = unary(
  "sqrt",
  "Square root; NaN below 0.",
  Math.sqrt,
  "ek_sqrt",
  ulps(5, "WGSL's 1 / inverseSqrt(x)"),
  [0, 1e30]
)
export const rsqrt = unary(
  "rsqrt",
  "1 / √x; ±∞ of ±0, NaN below 0.",
  (x) => 1 / Math.sqrt(x),
  "ek_rsqrt",
  ulps(2, "WGSL's inverseSqrt"),
  positive
)

const angular = ulps(4, `${own}, for every finite angle`)
export const sin = unary("sin", "Sine of radians.", Math.sin, "ek_sin", angular, angles)
export const cos = unary("cos", "Cosine of radians.", Math.cos, "ek_cos", angular, angles)
export const tan = unary("tan", "Tangent of radians.", Math.tan, "ek_tan", ulps(8, own), angles)
export const asin = unary("asin", "Arc sine; NaN outside [-1, 1].", Math.asin, "ek_asin", ulps(8, own), [-1, 1])
export const acos = unary("acos", "Arc cosine; NaN outside [-1, 1].", Math.acos, "ek_acos", ulps(8, own), [-1, 1])
export const atan = unary("atan", "Arc tangent.", Math.atan, "ek_atan", ulps(4, own), everywhere)
export const atan2 = binary(
  "atan2",
  "Angle of the point (x, y), y first, in [-π, π].",
  Math.atan2,
  "ek_atan2",
  ulps(8, own),
  everywhere
)
export const sinh = unary("sinh", "Hyperbolic sine.", Math.sinh, "ek_sinh", ulps(8, own), exponents)
export const cosh = unary("cosh", "Hyperbolic cosine.", Math.cosh, "ek_cosh", ulps(8, own), exponents)
export const tanh = unary("tanh", "Hyperbolic tangent.", Math.tanh, "ek_tanh", ulps(4, own), everywhere)
export const pow = binary(
  "pow",
  "x^y; pow(x, 0) = pow(1, y) = 1, NaN for x < 0 unless y is an integer.",
  powScalar,
  "ek_pow",
  ulps(8, "exp2(y log2 x) with the logarithm in two floats"),
  [0.01, 15]
)
export const erf = unary("erf", "Error function 2/√π ∫₀ˣ exp(-t²) dt.", erfScalar, "ek_erf", ulps(4, own), everywhere)

export const floor = unary("floor", "Largest integer not above x.", Math.floor, "floor", rounded, everywhere)
export const ceil = unary("ceil", "Smallest integer not below x.", Math.ceil, "ceil", rounded, everywhere)
export const round = unary("round", "Nearest integer, ties to even.", roundEven, "round", rounded, everywhere)
export const trunc = unary("trunc", "Integer part, towards 0.", Math.trunc, "trunc", rounded, everywhere)
export const fract = unary("fract", "x - floor(x).", (x) => x - Math.floor(x), "ek_fract", rounded, everywhere)
