/** Holds the static type of a tile or ref against what it is when the program runs. */
import type { DType, Shape } from "effect-kernels"
import { expect } from "vitest"

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
/** Shown by the type checker where a static type is not the one that the test names. */
interface Differs<T> {
  readonly "~the static type is": T
}

/** `typed(x).is("f32", [4, 8])`: x has that dtype and that shape, in its type and at run time. */
export const typed = <D extends DType.Name, S extends Shape.Shape>(x: { readonly dtype: D; readonly shape: S }) => ({
  is: <const D2 extends DType.Name, const S2 extends Shape.Shape>(
    dtype: D2,
    shape: S2 & (Same<[D, S], [D2, Shape.Mutable<S2>]> extends true ? unknown : Differs<[D, S]>)
  ) => expect({ dtype: x.dtype, shape: [...x.shape] }).toEqual({ dtype, shape: [...shape] })
})
/** A number that the type checker knows as `number` only. */
export const unknownSize = (n: number): number => n
