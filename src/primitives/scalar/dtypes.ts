/** Sets of dtypes that operands may have; the types of records say the same, so that tiles get typed methods. */
import type * as DType from "../../DType.ts"

/** Dtypes with bits: integers and truth values. */
export type Bits = DType.Integer | "bool"

export const numeric: ReadonlyArray<DType.Numeric> = ["f32", "f16", "i32", "u32"]
export const floats: ReadonlyArray<DType.Float> = ["f32", "f16"]
export const words: ReadonlyArray<DType.Integer> = ["i32", "u32"]
export const bitwise: ReadonlyArray<Bits> = ["i32", "u32", "bool"]
/** Those that are 32 bits wide on the host and on the device. */
export const wide: ReadonlyArray<DType.Name> = ["f32", "i32", "u32"]
