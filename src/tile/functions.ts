/** The functions of elementwise primitives, data first: `npm run generate` writes them from the records. */
import { functions } from "./elementwise.ts"

/** Magnitude; the smallest i32 stays itself. */
export const abs = functions.abs
/** a + b; integers wrap around. */
export const add = functions.add
/** min(max(x, lo), hi), also where lo > hi; NaN if any operand is NaN. */
export const clamp = functions.clamp
/** a / b; integers truncate, x / 0 = x and MIN / -1 = MIN. */
export const div = functions.div
/** a × b + c; for floats the product may or may not be rounded before the sum. */
export const fma = functions.fma
/** The larger operand; NaN if either is NaN. The reduction is `max`. */
export const maximum = functions.max
/** The smaller operand; NaN if either is NaN. The reduction is `min`. */
export const minimum = functions.min
/** a × b; integers wrap around. */
export const mul = functions.mul
/** -x; integers wrap around, so u32 gives 2^32 - x. */
export const neg = functions.neg
/** Remainder of the truncated quotient, with the sign of a; x % 0 is NaN for floats, 0 for integers. */
export const rem = functions.rem
/** -1, 0 or 1; NaN of NaN. */
export const sign = functions.sign
/** a - b; integers wrap around. */
export const sub = functions.sub
/** Arc cosine; NaN outside [-1, 1]. */
export const acos = functions.acos
/** Arc sine; NaN outside [-1, 1]. */
export const asin = functions.asin
/** Arc tangent. */
export const atan = functions.atan
/** Angle of the point (x, y), y first, in [-π, π]. */
export const atan2 = functions.atan2
/** Smallest integer not below x. */
export const ceil = functions.ceil
/** Cosine of radians. */
export const cos = functions.cos
/** Hyperbolic cosine. */
export const cosh = functions.cosh
/** Error function 2/√π ∫₀ˣ exp(-t²) dt. */
export const erf = functions.erf
/** e^x. */
export const exp = functions.exp
/** 2^x. */
export const exp2 = functions.exp2
/** e^x - 1, accurate near 0. */
export const expm1 = functions.expm1
/** Largest integer not above x. */
export const floor = functions.floor
/** x - floor(x). */
export const fract = functions.fract
/** Natural logarithm; NaN below 0. */
export const log = functions.log
/** log(1 + x), accurate near 0; NaN below -1. */
export const log1p = functions.log1p
/** Logarithm to base 2; NaN below 0. */
export const log2 = functions.log2
/** x^y; pow(x, 0) = pow(1, y) = 1, NaN for x < 0 unless y is an integer. */
export const pow = functions.pow
/** Nearest integer, ties to even. */
export const round = functions.round
/** 1 / √x; ±∞ of ±0, NaN below 0. */
export const rsqrt = functions.rsqrt
/** Sine of radians. */
export const sin = functions.sin
/** Hyperbolic sine. */
export const sinh = functions.sinh
/** Square root; NaN below 0. */
export const sqrt = functions.sqrt
/** Tangent of radians. */
export const tan = functions.tan
/** Hyperbolic tangent. */
export const tanh = functions.tanh
/** Integer part, towards 0. */
export const trunc = functions.trunc
/** a = b; false with NaN. */
export const eq = functions.eq
/** a ≥ b; false with NaN. */
export const ge = functions.ge
/** a > b; false with NaN. */
export const gt = functions.gt
/** Whether x is neither infinite nor NaN. */
export const isFinite = functions.isFinite
/** Whether x is NaN. */
export const isNaN = functions.isNaN
/** a ≤ b; false with NaN. */
export const le = functions.le
/** a < b; false with NaN. */
export const lt = functions.lt
/** a ≠ b; true with NaN. */
export const ne = functions.ne
/** `yes` where the condition holds, else `no`. */
export const select = functions.select
/** a and b, bit by bit. */
export const and = functions.and
/** The complement of each bit, or of the truth value. */
export const not = functions.not
/** a or b, bit by bit. */
export const or = functions.or
/** a shifted left by b modulo 32. */
export const shl = functions.shl
/** a shifted right by b modulo 32; keeps the sign of i32. */
export const shr = functions.shr
/** Either a or b, bit by bit. */
export const xor = functions.xor
