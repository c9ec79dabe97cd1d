/**
 * Mathematical functions of f32 and f16, with the special values of C's Annex F.
 *
 * The bounds are what our own WGSL guarantees where sums and products go to either neighbour, not what WGSL grants its builtins.
 */
import type * as DType from "../DType.ts"
import { type Accuracy, type DefinedRule, type ElementwisePrimitive, type Generate, rounded } from "../ir/primitive.ts"
import { settledBy } from "./defined/elementwise.ts"
import { elementwise } from "./elementwise.ts"
import { ulps } from "./scalar/accuracy.ts"
import { floats } from "./scalar/dtypes.ts"
import { erf as erfScalar, pow as powScalar, roundEven } from "./scalar/float.ts"
import { always, call } from "./scalar/rules.ts"
import type { Helpers } from "./scalar/wgsl/text.ts"

type Domain = NonNullable<Generate["domain"]>
const own = "polynomials and range reduction in f32"
const everywhere: Domain = [-1e30, 1e30]

interface Function<F> {
  readonly doc: string
  readonly scalar: F
  /** The WGSL function that computes it. */
  readonly wgsl: string
  /** That function, and others that only it calls, where the prelude does not have them. */
  readonly helpers?: Helpers
  /** Where an undefined operand does not matter. */
  readonly defined?: DefinedRule
  readonly accuracy: Accuracy
  readonly domain: Domain
  readonly values: { readonly f32: string; readonly f16: string }
}
const common = ({ accuracy, defined, doc, domain, helpers, values, wgsl }: Function<unknown>) =>
  ({
    doc,
    result: "same",
    values,
    wgsl: call(wgsl),
    opaque: true,
    helpers: helpers ?? {},
    ...(defined === undefined ? {} : { defined }),
    accuracy,
    generate: { weight: 1, domain }
  }) as const

/** A function of one float. */
const unary = <const Name extends string>(
  name: Name,
  of: Function<(x: number) => number>
): ElementwisePrimitive<Name, readonly [ReadonlyArray<DType.Float>], "same"> =>
  elementwise(name, "math", { ...common(of), operands: [floats], scalar: always((x) => of.scalar(x!)) })
/** A function of two floats. */
const binary = <const Name extends string>(
  name: Name,
  of: Function<(x: number, y: number) => number>
): ElementwisePrimitive<Name, readonly ["same", ReadonlyArray<DType.Float>], "same"> =>
  elementwise(name, "math", { ...common(of), operands: ["same", floats], scalar: always((x, y) => of.scalar(x!, y!)) })

const positive: Domain = [1e-30, 1e30]
const exponents: Domain = [-80, 80]
const angles: Domain = [-1e5, 1e5]

export const exp = unary("exp", {
  doc: "e^x.",
  scalar: Math.exp,
  wgsl: "ek_exp",
  accuracy: ulps(4, own),
  domain: exponents,
  values: { f32: "-inf = 0; inf = inf; nan = nan; 0 = 1; 89 = inf; -200 = 0", f16: "12 = inf; 0 = 1" }
})
export const exp2 = unary("exp2", {
  doc: "2^x.",
  scalar: (x) => Math.pow(2, x),
  wgsl: "ek_exp2",
  accuracy: ulps(4, own),
  domain: exponents,
  values: { f32: "-inf = 0; inf = inf; nan = nan; 10 = 1024; 128 = inf; -1 = 0.5", f16: "16 = inf; 3 = 8" }
})
export const expm1 = unary("expm1", {
  doc: "e^x - 1, accurate near 0.",
  scalar: Math.expm1,
  wgsl: "ek_expm1",
  helpers: {
    // e^x - 1 = 2 sinh(x / 2) e^(x / 2) where the subtraction would cancel; nearest to 0, half of x might flush to 0.
    ek_expm1: `fn ek_expm1(x: f32) -> f32 {
  if (ek_is_nan(x)) { return x; }
  if (x > 88.72283172607422f) { return ek_inf(); }
  if (abs(x) < 0.000244140625f) { return x + 0.5f * x * x; }
  if (abs(x) < 2f) { return 2f * ek_sinh(0.5f * x) * ek_exp(0.5f * x); }
  return ek_exp(x) - 1f;
}`
  },
  accuracy: ulps(8, own),
  domain: exponents,
  values: {
    f32: "-inf = -1; inf = inf; nan = nan; 0 = 0; -0 = -0; 1e-10 = 1e-10; 1 = 1.7182818284590453; 89 = inf; -200 = -1",
    f16: "12 = inf; 0.0001 = 0.0001"
  }
})
export const log = unary("log", {
  doc: "Natural logarithm; NaN below 0.",
  scalar: Math.log,
  wgsl: "ek_log",
  accuracy: ulps(4, own),
  domain: positive,
  values: { f32: "0 = -inf; -0 = -inf; -1 = nan; inf = inf; -inf = nan; nan = nan; 1 = 0", f16: "0 = -inf" }
})
export const log2 = unary("log2", {
  doc: "Logarithm to base 2; NaN below 0.",
  scalar: Math.log2,
  wgsl: "ek_log2",
  accuracy: ulps(4, own),
  domain: positive,
  values: { f32: "0 = -inf; -1 = nan; inf = inf; nan = nan; 8 = 3; 1.1754943508222875e-38 = -126", f16: "1024 = 10" }
})
export const log1p = unary("log1p", {
  doc: "log(1 + x), accurate near 0; NaN below -1.",
  scalar: Math.log1p,
  wgsl: "ek_log1p",
  helpers: {
    // Near 0 the series of log(1 + x); elsewhere log u of the float u next to 1 + x, and (1 + x - u) / u for what u misses.
    ek_log1p: `fn ek_log1p(x: f32) -> f32 {
  if (ek_is_nan(x)) { return x; }
  if (ek_is_negative(x) && ek_magnitude(x) >= 0x3f800000u) {
    return select(ek_nan(), -ek_inf(), ek_magnitude(x) == 0x3f800000u);
  }
  if (-0.2928932f <= x && x <= 0.41421354f) { return x + ek_log_tail(x); }
  if (ek_magnitude(x) >= 0x4b800000u) { return ek_log(x); }
  let u = ek_keep(1f + x);
  let missed = select(x - ek_keep(u - 1f), 1f - ek_keep(u - x), x >= 1f);
  let p = ek_split(u);
  let f = p.m - 1f;
  return (f + (p.e * 3.194618329871446e-5f + (ek_log_tail(f) + missed / u))) + p.e * 0.693115234375f;
}`
  },
  accuracy: ulps(4, own),
  domain: [-0.99, 1e30],
  values: {
    f32: "-1 = -inf; -2 = nan; -inf = nan; inf = inf; nan = nan; 0 = 0; -0 = -0; 1e-10 = 1e-10; 3 = 1.3862943611198906",
    f16: "-1 = -inf; 0.0001 = 0.0001"
  }
})
export const sqrt = unary("sqrt", {
  doc: "Square root; NaN below 0.",
  scalar: Math.sqrt,
  wgsl: "ek_sqrt",
  accuracy: ulps(5, "WGSL's 1 / inverseSqrt(x)"),
  domain: [0, 1e30],
  values: { f32: "-0 = -0; -1 = nan; inf = inf; -inf = nan; nan = nan; 9 = 3", f16: "4 = 2" }
})
export const rsqrt = unary("rsqrt", {
  doc: "1 / √x; ±∞ of ±0, NaN below 0.",
  scalar: (x) => 1 / Math.sqrt(x),
  wgsl: "ek_rsqrt",
  accuracy: ulps(2, "WGSL's inverseSqrt"),
  domain: positive,
  values: { f32: "0 = inf; -0 = -inf; -1 = nan; inf = 0; nan = nan; 4 = 0.5", f16: "4 = 0.5" }
})

const angular = ulps(4, `${own}, for every finite angle`)
export const sin = unary("sin", {
  doc: "Sine of radians.",
  scalar: Math.sin,
  wgsl: "ek_sin",
  accuracy: angular,
  domain: angles,
  values: { f32: "π/2 = 1; 0 = 0; inf = nan; -inf = nan; nan = nan", f16: "0 = 0" }
})
export const cos = unary("cos", {
  doc: "Cosine of radians.",
  scalar: Math.cos,
  wgsl: "ek_cos",
  accuracy: angular,
  domain: angles,
  values: { f32: "π = -1; 0 = 1; inf = nan; nan = nan", f16: "0 = 1" }
})
export const tan = unary("tan", {
  doc: "Tangent of radians.",
  scalar: Math.tan,
  wgsl: "ek_tan",
  accuracy: ulps(8, own),
  domain: angles,
  values: { f32: "π/4 = 1; 0 = 0; inf = nan; nan = nan", f16: "0 = 0" }
})
export const asin = unary("asin", {
  doc: "Arc sine; NaN outside [-1, 1].",
  scalar: Math.asin,
  wgsl: "ek_asin",
  accuracy: ulps(8, own),
  domain: [-1, 1],
  values: { f32: "0 = 0; 1.5 = nan; -1.5 = nan; 1 = π/2; nan = nan; inf = nan", f16: "0 = 0" }
})
export const acos = unary("acos", {
  doc: "Arc cosine; NaN outside [-1, 1].",
  scalar: Math.acos,
  wgsl: "ek_acos",
  accuracy: ulps(8, own),
  domain: [-1, 1],
  values: { f32: "0 = π/2; 1 = 0; -1 = π; 2 = nan; nan = nan; -inf = nan", f16: "1 = 0" }
})
export const atan = unary("atan", {
  doc: "Arc tangent.",
  scalar: Math.atan,
  wgsl: "ek_atan",
  accuracy: ulps(4, own),
  domain: everywhere,
  values: { f32: "1 = π/4; inf = π/2; -inf = -π/2; nan = nan; 0 = 0", f16: "0 = 0" }
})
export const atan2 = binary("atan2", {
  doc: "Angle of the point (x, y), y first, in [-π, π].",
  scalar: Math.atan2,
  wgsl: "ek_atan2",
  accuracy: ulps(8, own),
  domain: everywhere,
  values: {
    f32: "1 1 = π/4; 0 0 = 0; 0 -0 = π; -0 -0 = -π; 0 -1 = π; 1 0 = π/2; inf inf = π/4; inf -inf = 3π/4; 1 inf = 0; 1 -inf = π; nan 1 = nan; 1 nan = nan",
    f16: "0 1 = 0"
  }
})
export const sinh = unary("sinh", {
  doc: "Hyperbolic sine.",
  scalar: Math.sinh,
  wgsl: "ek_sinh",
  accuracy: ulps(8, own),
  domain: exponents,
  values: { f32: "inf = inf; -inf = -inf; nan = nan; 0 = 0; 100 = inf", f16: "12 = inf" }
})
export const cosh = unary("cosh", {
  doc: "Hyperbolic cosine.",
  scalar: Math.cosh,
  wgsl: "ek_cosh",
  accuracy: ulps(8, own),
  domain: exponents,
  values: { f32: "inf = inf; -inf = inf; nan = nan; 0 = 1; -100 = inf", f16: "12 = inf" }
})
export const tanh = unary("tanh", {
  doc: "Hyperbolic tangent.",
  scalar: Math.tanh,
  wgsl: "ek_tanh",
  accuracy: ulps(4, own),
  domain: everywhere,
  values: {
    f32: "inf = 1; -inf = -1; nan = nan; 0 = 0; 100 = 1; 9.999999717180685e-10 = 9.999999717180685e-10",
    f16: "9 = 1"
  }
})
export const pow = binary("pow", {
  doc: "x^y; pow(x, 0) = pow(1, y) = 1, NaN for x < 0 unless y is an integer.",
  scalar: powScalar,
  wgsl: "ek_pow",
  defined: settledBy(() => [[1], [0]]),
  accuracy: ulps(8, "exp2(y log2 x) with the logarithm in two floats"),
  domain: [0.01, 15],
  values: {
    f32: "2 3 = 8; nan 0 = 1; inf 0 = 1; 0 0 = 1; 1 nan = 1; 1 inf = 1; -1 inf = 1; -1 -inf = 1; nan 1 = nan; 2 nan = nan; 0 -1 = inf; -0 -1 = -inf; -0 -2 = inf; 0 2 = 0; -0 3 = -0; -8 0.3333333333333333 = nan; -2 3 = -8; -2 4 = 16; 0.5 inf = 0; 0.5 -inf = inf; 2 inf = inf; 2 -inf = 0; -inf 3 = -inf; -inf 2 = inf; -inf -3 = -0; inf -1 = 0; -2 inf = inf; 2 128 = inf; 2 -200 = 0",
    f16: "2 16 = inf; -2 3 = -8"
  }
})
export const erf = unary("erf", {
  doc: "Error function 2/√π ∫₀ˣ exp(-t²) dt.",
  scalar: erfScalar,
  wgsl: "ek_erf",
  accuracy: ulps(4, own),
  domain: everywhere,
  values: { f32: "inf = 1; -inf = -1; nan = nan; 0 = 0; 5 = 1; -5 = -1; 1 = 0.8427007794380188", f16: "0 = 0" }
})

export const floor = unary("floor", {
  doc: "Largest integer not above x.",
  scalar: Math.floor,
  wgsl: "floor",
  accuracy: rounded,
  domain: everywhere,
  values: { f32: "-0.5 = -1; 2.7 = 2; inf = inf; nan = nan", f16: "-1.5 = -2" }
})
export const ceil = unary("ceil", {
  doc: "Smallest integer not below x.",
  scalar: Math.ceil,
  wgsl: "ceil",
  accuracy: rounded,
  domain: everywhere,
  values: { f32: "-0.5 = -0; 2.1 = 3; -inf = -inf; nan = nan", f16: "-1.5 = -1" }
})
/** To the nearest whole number, halves to the even one. */
export const round = unary("round", {
  doc: "Nearest integer, ties to even.",
  scalar: roundEven,
  wgsl: "round",
  accuracy: rounded,
  domain: everywhere,
  values: {
    f32: "0.5 = 0; 1.5 = 2; 2.5 = 2; -0.5 = -0; -1.5 = -2; -2.5 = -2; 8388609 = 8388609; 0.49999997 = 0; inf = inf; nan = nan",
    f16: "0.5 = 0; 2.5 = 2"
  }
})
export const trunc = unary("trunc", {
  doc: "Integer part, towards 0.",
  scalar: Math.trunc,
  wgsl: "trunc",
  accuracy: rounded,
  domain: everywhere,
  values: { f32: "-1.9 = -1; 1.9 = 1; inf = inf; nan = nan", f16: "-1.5 = -1" }
})
export const fract = unary("fract", {
  doc: "x - floor(x).",
  scalar: (x) => x - Math.floor(x),
  wgsl: "ek_fract",
  accuracy: rounded,
  domain: everywhere,
  values: { f32: "-0.25 = 0.75; 2.5 = 0.5; inf = nan; nan = nan; 3 = 0", f16: "-0.25 = 0.75" }
})
