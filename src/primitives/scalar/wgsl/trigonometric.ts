/**
 * Roots, trigonometric functions and their inverses.
 *
 * Angles are reduced to x = q π/2 + r with |r| <= π/4: for small ones by subtracting q times π/2 in three parts (Cody and
 * Waite), for the others with the bits of 2/π in integers (Payne and Hanek), so that every finite angle has a right answer.
 */
import { type Helpers, horner } from "./text.ts"

/** (sin r - r) / r³ in r², error 2^-28; (cos r - 1 + r²/2) / r⁴, error 2^-33. */
const sinTail = [-0.16666653752326965, 0.008332101628184319, -0.00019506797252688557]
const cosTail = [0.04166664555668831, -0.0013887302484363317, 0.000024430881239823066]
/** (arcsin x - x) / x³ on [-½, ½] in x², error 2^-31. */
const asinTail = [
  0.16666659712791443, 0.0750051960349083, 0.044514138251543045, 0.031830351799726486, 0.014355700463056564,
  0.037629712373018265
]
/** (arctan x - x) / x³ on [-1, 1] in x², error 2^-31. */
const atanTail = [
  -0.333333283662796, 0.199997216463089, -0.14280469715595245, 0.11062277853488922, -0.0882595032453537,
  0.06774845719337463, -0.045151565223932266, 0.02292798087000847, -0.0074989148415625095, 0.0011496947845444083
]
/** The first bits of 2/π, after 32 zeros. */
const twoOverPi = [0, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab]

export const trigonometric: Helpers = {
  ek_sqrt: `fn ek_sqrt(x: f32) -> f32 {
  let u = bitcast<u32>(x);
  if (ek_magnitude(x) == 0u || u == 0x7f800000u) { return x; }
  if (u > 0x7f800000u) { return ek_nan(); }
  return sqrt(x);
}`,
  ek_rsqrt: `fn ek_rsqrt(x: f32) -> f32 {
  let u = bitcast<u32>(x);
  if (ek_magnitude(x) == 0u) { return ek_copysign(ek_inf(), x); }
  if (u == 0x7f800000u) { return 0f; }
  if (u > 0x7f800000u) { return ek_nan(); }
  return inverseSqrt(x);
}`,

  ek_Angle: `struct ek_Angle { r: f32, q: i32 }`,
  ek_reduce: `fn ek_reduce(x: f32) -> ek_Angle {
  if (abs(x) >= 100f) { return ek_reduce_large(x); }
  let k = round(x * 0.6366197466850281f);
  let r = ek_keep(ek_keep(x - k * 1.5706787109375f) - k * 0.00011761486530303955f) - k * 9.92093629470503e-10f;
  return ek_Angle(r, i32(k));
}`,
  ek_two_over_pi: `fn ek_two_over_pi(i: u32) -> u32 {
  switch (i) {
${twoOverPi.map((word, i) => `    case ${i}u: { return ${word}u; }`).join("\n")}
    default: { return 0u; }
  }
}`,
  // 32 bits of 2/π from bit 32 i + b on.
  ek_two_over_pi_at: `fn ek_two_over_pi_at(i: u32, b: u32) -> u32 {
  let w = ek_two_over_pi(i);
  return select((w << b) | (ek_two_over_pi(i + 1u) >> ((32u - b) & 31u)), w, b == 0u);
}`,
  ek_mul_high: `fn ek_mul_high(a: u32, b: u32) -> u32 {
  let al = a & 0xffffu;
  let ah = a >> 16u;
  let bl = b & 0xffffu;
  let bh = b >> 16u;
  let m = ah * bl + ((al * bl) >> 16u);
  return ah * bh + (m >> 16u) + (((m & 0xffffu) + al * bh) >> 16u);
}`,
  // The significand times 96 bits of 2/π, from the first bit on that does not only count whole turns. In the 64 bits kept,
  // the two highest are the quadrant, the others the angle as a fraction of it.
  ek_reduce_large: `fn ek_reduce_large(x: f32) -> ek_Angle {
  let m = (bitcast<u32>(x) & 0x7fffffu) | 0x800000u;
  let start = (ek_magnitude(x) >> 23u) - 120u;
  let i = start >> 5u;
  let b = start & 31u;
  let w1 = ek_two_over_pi_at(i + 1u, b);
  let carried = ek_mul_high(m, ek_two_over_pi_at(i + 2u, b));
  let low = m * w1 + carried;
  let high = m * ek_two_over_pi_at(i, b) + ek_mul_high(m, w1) + select(0u, 1u, low < carried);
  let fl = low << 2u;
  let fh = (high << 2u) | (low >> 30u);
  let negative = (fh >> 31u) == 1u;
  let al = select(fl, ~fl + 1u, negative);
  let ah = select(fh, ~fh + select(0u, 1u, fl == 0u), negative);
  let f = f32(ah) * 2.3283064365386963e-10f + f32(al) * 5.421010862427522e-20f;
  let r = f * 1.5707963705062866f;
  let q = i32((high + 0x20000000u) >> 30u);
  return ek_Angle(select(r, -r, negative != ek_is_negative(x)), select(q, -q, ek_is_negative(x)));
}`,
  ek_sin_near: `fn ek_sin_near(r: f32) -> f32 { let t = r * r; return r + r * t * ${horner("t", sinTail)}; }`,
  ek_cos_near: `fn ek_cos_near(r: f32) -> f32 {
  let t = r * r;
  return 1f - (0.5f * t - t * t * ${horner("t", cosTail)});
}`,
  ek_sin_quadrant: `fn ek_sin_quadrant(r: f32, q: i32) -> f32 {
  let s = select(ek_sin_near(r), ek_cos_near(r), (q & 1i) == 1i);
  return select(s, -s, (q & 2i) == 2i);
}`,
  ek_sin: `fn ek_sin(x: f32) -> f32 {
  if (!ek_is_finite(x)) { return ek_nan(); }
  let a = ek_reduce(x);
  return ek_sin_quadrant(a.r, a.q);
}`,
  ek_cos: `fn ek_cos(x: f32) -> f32 {
  if (!ek_is_finite(x)) { return ek_nan(); }
  let a = ek_reduce(x);
  return ek_sin_quadrant(a.r, a.q + 1i);
}`,
  ek_tan: `fn ek_tan(x: f32) -> f32 {
  if (!ek_is_finite(x)) { return ek_nan(); }
  let a = ek_reduce(x);
  let s = ek_sin_near(a.r);
  let c = ek_cos_near(a.r);
  let odd = (a.q & 1i) == 1i;
  return select(s, -c, odd) / select(c, s, odd);
}`,

  // π/2 = 1.57079637 - 4.37e-8, π = twice that.
  ek_asin_near: `fn ek_asin_near(x: f32) -> f32 { let t = x * x; return x + x * t * ${horner("t", asinTail)}; }`,
  ek_asin: `fn ek_asin(x: f32) -> f32 {
  let a = abs(x);
  if (ek_magnitude(x) > 0x3f800000u) { return ek_nan(); }
  if (a <= 0.5f) { return ek_asin_near(x); }
  let p = ek_asin_near(ek_sqrt((1f - a) * 0.5f));
  return ek_copysign(1.5707963705062866f - (2f * p + 4.371138828673793e-8f), x);
}`,
  ek_acos: `fn ek_acos(x: f32) -> f32 {
  let a = abs(x);
  if (ek_magnitude(x) > 0x3f800000u) { return ek_nan(); }
  if (a <= 0.5f) { return 1.5707963705062866f - (ek_asin_near(x) + 4.371138828673793e-8f); }
  let p = 2f * ek_asin_near(ek_sqrt((1f - a) * 0.5f));
  return select(p, 3.1415927410125732f - (p + 8.742277657347586e-8f), x < 0f);
}`,
  ek_atan_near: `fn ek_atan_near(x: f32) -> f32 { let t = x * x; return x + x * t * ${horner("t", atanTail)}; }`,
  ek_atan: `fn ek_atan(x: f32) -> f32 {
  if (ek_is_nan(x)) { return x; }
  let a = abs(x);
  if (a <= 1f) { return ek_atan_near(x); }
  return ek_copysign(1.5707963705062866f - (ek_atan_near(1f / min(a, 1e30f)) + 4.371138828673793e-8f), x);
}`,
  // The quotient of the smaller by the larger, where WGSL bounds the error of division; 0 where both are 0.
  ek_ratio: `fn ek_ratio(small: f32, large: f32) -> f32 {
  let l = ek_magnitude(large);
  if (l < 0x800000u) { return 0f; }
  if (l == 0x7f800000u) { return select(0f, 1f, ek_magnitude(small) == l); }
  let scale = select(1f, 0.25f, l > 0x7e800000u);
  return (small * scale) / (large * scale);
}`,
  ek_atan2: `fn ek_atan2(y: f32, x: f32) -> f32 {
  if (ek_is_nan(x) || ek_is_nan(y)) { return ek_nan(); }
  let ax = abs(x);
  let ay = abs(y);
  let steep = ek_magnitude(y) > ek_magnitude(x);
  var r = ek_atan_near(ek_ratio(select(ay, ax, steep), select(ax, ay, steep)));
  if (steep) { r = 1.5707963705062866f - (r + 4.371138828673793e-8f); }
  if (ek_is_negative(x)) { r = 3.1415927410125732f - (r + 8.742277657347586e-8f); }
  return ek_copysign(r, y);
}`
}
