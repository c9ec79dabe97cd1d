/** Integer operations as WGSL defines them, on numbers; the driver wraps results to 32 bits. */

/** x / 0 = x; the smallest i32 over -1 wraps to itself. */
export const divide = (a: number, b: number): number => (b === 0 ? a : Math.trunc(a / b))
/** x % 0 = 0; the sign is the dividend's. */
export const remainder = (a: number, b: number): number => (b === 0 ? 0 : a % b)
export const shiftRight = (dtype: "i32" | "u32") =>
  dtype === "i32" ? (a: number, b: number): number => a >> b : (a: number, b: number): number => a >>> b

/** Float to integer: truncates and saturates; NaN gives 0. */
export const saturate = (dtype: "i32" | "u32") => {
  const [low, high] = dtype === "i32" ? [-2147483648, 2147483647] : [0, 4294967295]
  return (x: number): number => (Number.isNaN(x) ? 0 : Math.trunc(Math.min(Math.max(x, low), high)))
}
