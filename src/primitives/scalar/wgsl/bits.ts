/**
 * Tests, orders and moves of floats by their bits.
 *
 * WGSL lets an implementation assume that no NaN and no infinity occurs, so that `x != x` or `min` may answer anything;
 * integer operations on the bits have one answer.
 */
import type { Helpers } from "./text.ts"

export const bits: Helpers = {
  ek_magnitude: `fn ek_magnitude(x: f32) -> u32 { return bitcast<u32>(x) & 0x7fffffffu; }`,
  ek_is_nan: `fn ek_is_nan(x: f32) -> bool { return ek_magnitude(x) > 0x7f800000u; }`,
  ek_is_finite: `fn ek_is_finite(x: f32) -> bool { return ek_magnitude(x) < 0x7f800000u; }`,
  ek_is_negative: `fn ek_is_negative(x: f32) -> bool { return (bitcast<u32>(x) >> 31u) == 1u; }`,
  // The or with a run-time zero keeps compilers from evaluating, and rejecting, the constant.
  ek_nan: `fn ek_nan() -> f32 { return bitcast<f32>(0x7fc00000u | ek_params.zero); }`,
  ek_inf: `fn ek_inf() -> f32 { return bitcast<f32>(0x7f800000u | ek_params.zero); }`,
  // An intermediate value that the compiler may not reassociate across.
  ek_keep: `fn ek_keep(x: f32) -> f32 { return bitcast<f32>(bitcast<u32>(x) ^ ek_params.zero); }`,
  ek_copysign: `fn ek_copysign(x: f32, s: f32) -> f32 {
  return bitcast<f32>(ek_magnitude(x) | (bitcast<u32>(s) & 0x80000000u));
}`,
  // Integers in the order of the floats; both zeros are 0.
  ek_key: `fn ek_key(x: f32) -> i32 {
  let b = bitcast<i32>(x);
  return select(b, i32(-2147483648) - b, b < 0i);
}`,
  ek_ordered: `fn ek_ordered(a: f32, b: f32) -> bool { return max(ek_magnitude(a), ek_magnitude(b)) <= 0x7f800000u; }`,
  ek_lt: `fn ek_lt(a: f32, b: f32) -> bool { return ek_ordered(a, b) && ek_key(a) < ek_key(b); }`,
  ek_le: `fn ek_le(a: f32, b: f32) -> bool { return ek_ordered(a, b) && ek_key(a) <= ek_key(b); }`,
  ek_eq: `fn ek_eq(a: f32, b: f32) -> bool { return ek_ordered(a, b) && ek_key(a) == ek_key(b); }`,
  ek_min: `fn ek_min(a: f32, b: f32) -> f32 {
  return select(select(a, b, ek_is_nan(b) || ek_key(b) < ek_key(a)), a, ek_is_nan(a));
}`,
  ek_max: `fn ek_max(a: f32, b: f32) -> f32 {
  return select(select(a, b, ek_is_nan(b) || ek_key(b) > ek_key(a)), a, ek_is_nan(a));
}`,
  // Of the integers in the order of the floats, those beyond the infinities stand for NaN.
  ek_from_key: `fn ek_from_key(k: i32) -> f32 {
  return select(bitcast<f32>(select(k, i32(-2147483648) - k, k < 0i)), ek_nan(), abs(k) > 0x7f800000i || k == i32(-2147483648));
}`,
  ek_subgroup_max: `fn ek_subgroup_max(x: f32) -> f32 {
  return ek_from_key(subgroupMax(select(ek_key(x), 0x7fffffffi, ek_is_nan(x))));
}`,
  ek_subgroup_min: `fn ek_subgroup_min(x: f32) -> f32 {
  return ek_from_key(subgroupMin(select(ek_key(x), i32(-2147483648), ek_is_nan(x))));
}`,
  ek_sign: `fn ek_sign(x: f32) -> f32 {
  let m = ek_magnitude(x);
  return select(ek_copysign(1f, x), x, m == 0u || m > 0x7f800000u);
}`,
  ek_fract: `fn ek_fract(x: f32) -> f32 { return x - floor(x); }`
}
