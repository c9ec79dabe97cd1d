/** Conversions between floats and integers, rounding to f16, remainders: all in integer arithmetic, so exact everywhere. */
import type { Helpers } from "./text.ts"

export const integers: Helpers = {
  ek_floor_div: `fn ek_floor_div(a: i32, b: i32) -> i32 { return a / b - select(0i, 1i, a % b < 0i); }`,
  ek_floor_mod: `fn ek_floor_mod(a: i32, b: i32) -> i32 { let r = a % b; return r + select(0i, b, r < 0i); }`,
  ek_sign_i32: `fn ek_sign_i32(x: i32) -> i32 { return (x >> 31u) | select(0i, 1i, x != 0i); }`,

  // |x| truncated, for 1 <= |x| < 2^32; the significand has 24 bits, the last of them worth 2^(exponent - 150).
  ek_truncate: `fn ek_truncate(magnitude: u32) -> u32 {
  let exponent = magnitude >> 23u;
  let significand = (magnitude & 0x7fffffu) | 0x800000u;
  if (exponent < 127u) { return 0u; }
  if (exponent < 150u) { return significand >> (150u - exponent); }
  return significand << (exponent - 150u);
}`,
  ek_f32_to_u32: `fn ek_f32_to_u32(x: f32) -> u32 {
  let m = ek_magnitude(x);
  if (m > 0x7f800000u || ek_is_negative(x)) { return 0u; }
  if (m >= 0x4f800000u) { return 0xffffffffu; }
  return ek_truncate(m);
}`,
  ek_f32_to_i32: `fn ek_f32_to_i32(x: f32) -> i32 {
  let m = ek_magnitude(x);
  if (m > 0x7f800000u) { return 0i; }
  if (m >= 0x4f000000u) { return select(2147483647i, i32(-2147483648), ek_is_negative(x)); }
  let n = i32(ek_truncate(m));
  return select(n, -n, ek_is_negative(x));
}`,
  ek_f32_to_bool: `fn ek_f32_to_bool(x: f32) -> bool { return ek_magnitude(x) != 0u; }`,

  // WGSL lets \`f32(x)\` give either neighbour; below 2^24 there is only one.
  ek_u32_to_f32: `fn ek_u32_to_f32(x: u32) -> f32 {
  if (x < 0x1000000u) { return f32(x); }
  let shift = 8u - countLeadingZeros(x);
  let kept = x >> shift;
  let rest = x & ((1u << shift) - 1u);
  let half = 1u << (shift - 1u);
  let up = select(0u, 1u, rest > half || (rest == half && (kept & 1u) == 1u));
  return bitcast<f32>(bitcast<u32>(f32(kept + up)) + (shift << 23u));
}`,
  ek_i32_to_f32: `fn ek_i32_to_f32(x: i32) -> f32 {
  let magnitude = ek_u32_to_f32(bitcast<u32>(select(x, 0i - x, x < 0i)));
  return select(magnitude, -magnitude, x < 0i);
}`,

  ek_f16: `fn ek_f16(x: f32) -> f32 {
  let m = ek_magnitude(x);
  if (m > 0x7f800000u) { return x; }
  if (m >= 0x477ff000u) { return ek_copysign(ek_inf(), x); }
  if (m < 0x38800000u) { return ek_copysign(round(abs(x) * 16777216f) * 5.9604644775390625e-8f, x); }
  let even = (m + 0xfffu + ((m >> 13u) & 1u)) & 0xffffe000u;
  return ek_copysign(bitcast<f32>(even), x);
}`,

  // Long division, eight bits of the quotient at a time; the quotient itself is not needed.
  ek_rem: `fn ek_rem(a: f32, b: f32) -> f32 {
  let ua = ek_magnitude(a);
  let ub = ek_magnitude(b);
  if (ua >= 0x7f800000u || ub > 0x7f800000u || ub == 0u) { return ek_nan(); }
  if (ua < ub) { return a; }
  let divisor = select((ub & 0x7fffffu) | 0x800000u, ub, ub < 0x800000u);
  let exponent = max(ub >> 23u, 1u);
  var rest = select((ua & 0x7fffffu) | 0x800000u, ua, ua < 0x800000u) % divisor;
  var bits_left = max(ua >> 23u, 1u) - exponent;
  while (bits_left > 0u && rest != 0u) {
    let step = min(bits_left, 8u);
    rest = (rest << step) % divisor;
    bits_left = bits_left - step;
  }
  if (rest == 0u) { return ek_copysign(0f, a); }
  let shift = countLeadingZeros(rest) - 8u;
  let normal = ((rest << shift) & 0x7fffffu) | ((exponent - shift) << 23u);
  let subnormal = rest << (exponent - 1u);
  return ek_copysign(bitcast<f32>(select(normal, subnormal, shift >= exponent)), a);
}`
}
