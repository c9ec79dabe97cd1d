/** Sets of dtypes that operands may have. */
import type * as DType from "../../DType.ts"

export const numeric: ReadonlyArray<DType.Name> = ["f32", "f16", "i32", "u32"]
export const floats: ReadonlyArray<DType.Name> = ["f32", "f16"]
export const words: ReadonlyArray<DType.Name> = ["i32", "u32"]
export const bitwise: ReadonlyArray<DType.Name> = ["i32", "u32", "bool"]
/** Those that are 32 bits wide on the host and on the device. */
export const wide: ReadonlyArray<DType.Name> = ["f32", "i32", "u32"]
