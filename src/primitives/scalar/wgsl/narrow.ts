/**
 * Elements narrower than a word, in integer arithmetic on their bits, so that NaN, infinities, subnormals and signs of zero
 * are exact on every adapter: what memory keeps of a value, and 16-bit floats from and to bits.
 */
import type { Helpers } from "./text.ts"

export const narrow: Helpers = {
  ek_bf16: `fn ek_bf16(x: f32) -> f32 { return bitcast<f32>(ek_to_bf16(x) << 16u); }`,
  ek_i8: `fn ek_i8(x: i32) -> i32 { return (x << 24u) >> 24u; }`,
  ek_u8: `fn ek_u8(x: u32) -> u32 { return x & 0xffu; }`,
  ek_i4: `fn ek_i4(x: i32) -> i32 { return (x << 28u) >> 28u; }`,
  ek_u4: `fn ek_u4(x: u32) -> u32 { return x & 0xfu; }`,

  // A NaN whose upper half looks infinite stays a NaN.
  ek_to_bf16: `fn ek_to_bf16(x: f32) -> u32 {
  let b = bitcast<u32>(x);
  if (ek_is_nan(x)) { return (b >> 16u) | select(0u, 0x40u, (b & 0x7f0000u) == 0u); }
  return (b + 0x7fffu + ((b >> 16u) & 1u)) >> 16u;
}`,
  // Of a value that f16 has.
  ek_to_f16: `fn ek_to_f16(x: f32) -> u32 {
  let m = ek_magnitude(x);
  let sign = (bitcast<u32>(x) ^ m) >> 16u;
  if (m > 0x7f800000u) { return sign | 0x7c00u | select((m >> 13u) & 0x3ffu, 0x200u, (m & 0x7fe000u) == 0u); }
  if (m >= 0x47800000u) { return sign | 0x7c00u; }
  if (m < 0x38800000u) { return sign | u32(abs(x) * 16777216f); }
  return sign | ((m - 0x38000000u) >> 13u);
}`,
  ek_from_f16: `fn ek_from_f16(h: u32) -> f32 {
  let sign = (h & 0x8000u) << 16u;
  let m = h & 0x7fffu;
  if (m >= 0x7c00u) { return bitcast<f32>(sign | 0x7f800000u | ((m & 0x3ffu) << 13u)); }
  if (m < 0x400u) { return bitcast<f32>(sign | bitcast<u32>(f32(m) * 5.9604644775390625e-8f)); }
  return bitcast<f32>(sign | ((m << 13u) + 0x38000000u));
}`
}
