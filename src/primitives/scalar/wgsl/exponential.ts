/**
 * Exponentials, logarithms, powers and what is made of them.
 *
 * exp x = 2^k exp r with r = x - k ln 2 in [-ln 2 / 2, ln 2 / 2]; log x = e ln 2 + log m with m in [√½, √2). The coefficients
 * are minimax fits (Lawson's iteration on the relative error, each coefficient rounded to f32 before the next is fitted).
 */
import { type Helpers, horner } from "./text.ts"

/** (exp r - 1 - r) / r², relative error 2^-28. */
const expTail = [0.5, 0.16666515171527863, 0.04166637361049652, 0.008369393646717072, 0.0013943254016339779]
/** (2^r - 1) / r on [-½, ½], error 2^-32. */
const exp2Tail = [
  0.6931471824645996, 0.24022650718688965, 0.05550406128168106, 0.009618086740374565, 0.0013336649863049388,
  0.00015452281513717026, 0.0000146782440424431
]
/** (log(1 + f) - f + f²/2) / f³, error 2^-30. */
const logTail = [
  0.3333331048488617, -0.24999986588954926, 0.20002223551273346, -0.16669249534606934, 0.14218716323375702,
  -0.12384402006864548, 0.11872619390487671, -0.11789370328187943, 0.06915612518787384
]
/** 2 / ln 2 (artanh s / s - 1) / s², error 2^-28. */
const artanhTail = [0.9617983102798462, 0.5767496824264526, 0.43108007311820984]
/** (sinh x - x) / x³ on [-1, 1] in x², error 2^-31. */
const sinhTail = [0.1666666716337204, 0.008333311416208744, 0.00019842635083477944, 0.000002783925083349459]
/** (tanh x - x) / x³ on [-0.63, 0.63] in x², error 2^-32. */
const tanhTail = [
  -0.3333333134651184, 0.13333217799663544, -0.05394755303859711, 0.02170245349407196, -0.008177058771252632,
  0.002139342250302434
]
/** erf x / x - 1 on [-1, 1] in x², error 2^-29. */
const erfTail = [
  0.12837916612625122, -0.3761262893676758, 0.11283618211746216, -0.02685512602329254, 0.005190733820199966,
  -0.0008030761382542551, 0.00007920368079794571
]
/** -log(erfc(u + 2.4)) on [-1.4, 1.6], error 2^-22. */
const logErfc = [
  7.280974864959717, 5.164236545562744, 0.9405043125152588, 0.011768301948904991, -0.002392066642642021,
  0.00046939196181483567, -0.00008421952225035056, 0.000014611027836508583, -0.000002182734988309676
]

export const exponential: Helpers = {
  // x 2^k in two steps, because 2^k alone may be out of range.
  ek_scale: `fn ek_scale(x: f32, k: i32) -> f32 {
  let h = k >> 1u;
  return ek_keep(x * bitcast<f32>((h + 127i) << 23u)) * bitcast<f32>((k - h + 127i) << 23u);
}`,
  // 2^s exp x for -104 <= x <= 90. The first part of ln 2 has 14 bits, so its product with k is exact.
  ek_exp_scaled: `fn ek_exp_scaled(x: f32, s: i32) -> f32 {
  let k = round(x * 1.4426950216293335f);
  let r = ek_keep(x - k * 0.693115234375f) - k * 3.194618329871446e-5f;
  return ek_scale(1f + (r + r * r * ${horner("r", expTail)}), i32(k) + s);
}`,
  ek_exp: `fn ek_exp(x: f32) -> f32 {
  if (ek_is_nan(x)) { return x; }
  if (x > 88.72283172607422f) { return ek_inf(); }
  if (x < -104f) { return 0f; }
  return ek_exp_scaled(x, 0i);
}`,
  ek_exp2: `fn ek_exp2(x: f32) -> f32 {
  if (ek_is_nan(x)) { return x; }
  if (x >= 128f) { return ek_inf(); }
  if (x < -150f) { return 0f; }
  return ek_exp2_near(round(x), x - round(x));
}`,
  // 2^(k + r) for integral k in [-151, 128] and r in [-½, ½].
  ek_exp2_near: `fn ek_exp2_near(k: f32, r: f32) -> f32 {
  return ek_scale(1f + r * ${horner("r", exp2Tail)}, i32(k));
}`,

  ek_Split: `struct ek_Split { m: f32, e: f32 }`,
  // x = m 2^e with m in [√½, √2), for finite x > 0, subnormal ones too.
  ek_split: `fn ek_split(x: f32) -> ek_Split {
  let u = bitcast<u32>(x);
  let shift = select(0u, countLeadingZeros(u) - 8u, u < 0x800000u);
  let n = bitcast<i32>(u << shift);
  let e = (n - 0x3f3504f3i) >> 23u;
  return ek_Split(bitcast<f32>(n - (e << 23u)), f32(e - i32(shift)));
}`,
  // Whether x is 0, negative, infinite or NaN.
  ek_log_is_special: `fn ek_log_is_special(x: f32) -> bool { return bitcast<u32>(x) - 1u >= 0x7f7fffffu; }`,
  ek_log_special: `fn ek_log_special(x: f32) -> f32 {
  if (ek_magnitude(x) == 0u) { return -ek_inf(); }
  return select(x, ek_nan(), ek_is_negative(x));
}`,
  // log(1 + f) - f
  ek_log_tail: `fn ek_log_tail(f: f32) -> f32 {
  return f * f * f * ${horner("f", logTail)} - 0.5f * f * f;
}`,
  ek_log: `fn ek_log(x: f32) -> f32 {
  if (ek_log_is_special(x)) { return ek_log_special(x); }
  let p = ek_split(x);
  let f = p.m - 1f;
  return (f + (p.e * 3.194618329871446e-5f + ek_log_tail(f))) + p.e * 0.693115234375f;
}`,
  ek_log2: `fn ek_log2(x: f32) -> f32 {
  if (ek_log_is_special(x)) { return ek_log_special(x); }
  let p = ek_split(x);
  let f = p.m - 1f;
  let t = ek_log_tail(f);
  return ((((t + f) * 0.44269502162933350f) + t) + f) + p.e;
}`,

  ek_high: `fn ek_high(x: f32) -> f32 { return bitcast<f32>(bitcast<u32>(x) & 0xfffff000u); }`,
  // log2 x as a sum of two floats (the second in y), relative error about 2^-32: 2 / ln 2 artanh((m - 1) / (m + 1)) + e.
  // Factors of 12 bits have exact products.
  ek_log2_wide: `fn ek_log2_wide(x: f32) -> vec2<f32> {
  let p = ek_split(x);
  let f = p.m - 1f;
  let d = p.m + 1f;
  let dh = ek_high(d);
  let dl = p.m - ek_keep(dh - 1f);
  let s = ek_high(f / d);
  let sl = (ek_keep(f - s * dh) - s * dl) / d;
  let whole = s + sl;
  let t = whole * whole;
  let low = 0.0006244567921385169f * s + 2.885390043258667f * sl + whole * t * ${horner("t", artanhTail)};
  let main = 2.884765625f * s;
  let high = ek_keep(p.e + main);
  return vec2<f32>(high, main - ek_keep(high - p.e) + low);
}`,
  // x^y for finite x > 0, x != 1, and finite y.
  ek_pow_positive: `fn ek_pow_positive(x: f32, y: f32) -> f32 {
  let l = ek_log2_wide(x);
  let c = clamp(y, -1.099511627776e12f, 1.099511627776e12f);
  let lh = ek_high(l.x);
  let ll = ek_keep(l.x - lh) + l.y;
  let ch = ek_high(c);
  let high = ek_keep(ch * lh);
  let low = ek_keep(c - ch) * lh + c * ll;
  let p = high + low;
  if (ek_keep(high - 128f) + low >= 0f) { return ek_inf(); }
  if (p < -151f) { return 0f; }
  let k = round(p);
  return ek_exp2_near(k, ek_keep(high - k) + low);
}`,
  ek_is_odd: `fn ek_is_odd(y: f32) -> bool { return abs(y) < 16777216f && trunc(y) == y && (i32(y) & 1i) == 1i; }`,
  ek_pow: `fn ek_pow(x: f32, y: f32) -> f32 {
  let mx = ek_magnitude(x);
  let my = ek_magnitude(y);
  if (my == 0u || bitcast<u32>(x) == 0x3f800000u) { return 1f; }
  if (mx > 0x7f800000u || my > 0x7f800000u) { return ek_nan(); }
  if (my == 0x7f800000u) {
    if (mx == 0x3f800000u) { return 1f; }
    return select(0f, ek_inf(), (mx > 0x3f800000u) != ek_is_negative(y));
  }
  let negate = ek_is_negative(x) && ek_is_odd(y);
  var r = 1f;
  if (mx == 0u || mx == 0x7f800000u) {
    r = select(0f, ek_inf(), (mx == 0u) == ek_is_negative(y));
  } else if (ek_is_negative(x) && trunc(y) != y) {
    r = ek_nan();
  } else if (mx != 0x3f800000u) {
    r = ek_pow_positive(abs(x), y);
  }
  return select(r, -r, negate);
}`,

  ek_sinh: `fn ek_sinh(x: f32) -> f32 {
  if (ek_is_nan(x)) { return x; }
  let a = abs(x);
  let t = x * x;
  if (a < 1f) { return x + x * t * ${horner("t", sinhTail)}; }
  if (a > 90f) { return ek_copysign(ek_inf(), x); }
  let h = ek_exp_scaled(a, -1i);
  return ek_copysign(h - 0.25f / h, x);
}`,
  ek_cosh: `fn ek_cosh(x: f32) -> f32 {
  if (ek_is_nan(x)) { return x; }
  if (abs(x) > 90f) { return ek_inf(); }
  let h = ek_exp_scaled(abs(x), -1i);
  return h + 0.25f / h;
}`,
  ek_tanh: `fn ek_tanh(x: f32) -> f32 {
  if (ek_is_nan(x)) { return x; }
  let a = abs(x);
  let t = x * x;
  if (a < 0.625f) { return x + x * t * ${horner("t", tanhTail)}; }
  if (a > 9.2f) { return ek_copysign(1f, x); }
  return ek_copysign(1f - 2f / (ek_exp_scaled(2f * a, 0i) + 1f), x);
}`,
  ek_erf: `fn ek_erf(x: f32) -> f32 {
  if (ek_is_nan(x)) { return x; }
  let a = abs(x);
  let t = x * x;
  if (a < 1f) { return x + x * ${horner("t", erfTail)}; }
  if (a >= 4f) { return ek_copysign(1f, x); }
  let u = a - 2.4000000953674316f;
  return ek_copysign(1f - ek_exp_scaled(-${horner("u", logErfc)}, 0i), x);
}`
}
