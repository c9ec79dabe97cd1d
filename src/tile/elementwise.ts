/**
 * The type of tiles, and the methods and functions that tiles get from the records of elementwise primitives.
 *
 * A record's type says how many operands it takes, of which dtypes, and what it gives; that chooses one of the signatures
 * below. So a new record is a new method and a new function, and its doc comment is theirs.
 */
import type { Pipeable } from "effect/Pipeable"
import type * as DType from "../DType.ts"
import type * as arithmetic from "../primitives/arithmetic.ts"
import type * as bitwise from "../primitives/bitwise.ts"
import type * as compare from "../primitives/compare.ts"
import type * as math from "../primitives/math.ts"
import type * as Shape from "../Shape.ts"
import { calledAt } from "../trace/position.ts"
import { lifted, methodNames, type TypeId } from "../trace/tile.ts"

type S_ = Shape.Shape
/** Shapes that do not broadcast; equal ranks with dimensions equal or 1 do, and scalars with anything. */
export interface ShapeMismatch<A extends S_, B extends S_> {
  readonly "~shapes do not broadcast": readonly [A, B]
}
/** What may stand on the right of an operation: a number, or a tile of the same dtype whose shape broadcasts. */
export type Operand<D extends DType.Compute, S extends S_, S2 extends S_> =
  number | (Tile<NoInfer<D>, S2> & ([Shape.Broadcast<S, S2>] extends [never] ? ShapeMismatch<S, S2> : unknown))

// --- methods ------------------------------------------------------------------------------------------------------------

// Shapes are not inferred from where a result goes: `NoInfer` keeps those of numbers at their default, a scalar's.
type Unary<K extends DType.Compute> = <D extends K, S extends S_>(this: Tile<D, S>) => Tile<D, S>
type Test<K extends DType.Compute> = <D extends K, S extends S_>(this: Tile<D, S>) => Tile<"bool", S>
type Binary<K extends DType.Compute> = <D extends K, S extends S_, S2 extends S_ = []>(
  this: Tile<D, S>,
  that: Operand<D, S, S2>
) => Tile<D, Shape.Broadcast<S, NoInfer<S2>>>
type Compare<K extends DType.Compute> = <D extends K, S extends S_, S2 extends S_ = []>(
  this: Tile<D, S>,
  that: Operand<D, S, S2>
) => Tile<"bool", Shape.Broadcast<S, NoInfer<S2>>>
type Ternary<K extends DType.Compute> = <D extends K, S extends S_, S2 extends S_ = [], S3 extends S_ = []>(
  this: Tile<D, S>,
  second: Operand<D, S, S2>,
  third: Operand<D, S, S3>
) => Tile<D, Shape.Broadcast<Shape.Broadcast<S, NoInfer<S2>>, NoInfer<S3>>>
type Choose<K extends DType.Compute> = <
  S extends S_,
  DY extends K = never,
  Y extends S_ = [],
  DN extends K = DY,
  N extends S_ = []
>(
  this: Tile<"bool", S>,
  yes: Chosen<S, DY, Y>,
  no: Right<DY, Shape.Broadcast<S, Y>, DN, N>
) => Tile<DY | DN, Shape.Broadcast<Shape.Broadcast<S, NoInfer<Y>>, NoInfer<N>>>

/** Records with these operands and this result. */
interface Has<Operands, Result> {
  readonly elementwise: { readonly operands: Operands; readonly result: Result }
}
type Of<K> = ReadonlyArray<K>
interface As<Method, Function> {
  readonly method: Method
  readonly function: Function
}
/** How a record is called, by its operands and its result. */
type Form<R> =
  R extends Has<readonly [Of<infer K extends DType.Compute>], "same">
    ? As<Unary<K>, UnaryFn<K>>
    : R extends Has<readonly [Of<infer K extends DType.Compute>], "bool">
      ? As<Test<K>, TestFn<K>>
      : R extends Has<readonly ["same", Of<infer K extends DType.Compute>], "same">
        ? As<Binary<K>, BinaryFn<K>>
        : R extends Has<readonly ["same", Of<infer K extends DType.Compute>], "bool">
          ? As<Compare<K>, CompareFn<K>>
          : R extends Has<readonly ["same", "same", Of<infer K extends DType.Compute>], "same">
            ? As<Ternary<K>, TernaryFn<K>>
            : R extends Has<readonly [Of<"bool">, "same", Of<infer K extends DType.Compute>], "same">
              ? As<Choose<K>, ChooseFn<K>>
              : never
type MethodsOf<Family> = { readonly [Name in keyof Family]: Form<Family[Name]>["method"] }

/** Methods mention the receiver only through `this`, so that tiles stay covariant and cheap to compare. */
export interface Methods
  extends MethodsOf<typeof arithmetic>, MethodsOf<typeof math>, MethodsOf<typeof compare>, MethodsOf<typeof bitwise> {
  /** Floats to integers truncate and saturate, NaN gives 0; anything but 0 is true. */
  convert<S extends S_, D2 extends DType.Compute>(this: Tile<DType.Compute, S>, to: DType.DType<D2>): Tile<D2, S>
  /** The same bits as another 32-bit dtype. */
  bitcast<S extends S_, D2 extends "f32" | DType.Integer>(
    this: Tile<"f32" | DType.Integer, S>,
    to: DType.DType<D2>
  ): Tile<D2, S>
}

/** A symbolic array of dtype `D` and shape `S`. */
export interface Tile<out D extends DType.Compute, out S extends Shape.Shape> extends Pipeable, Methods {
  readonly [TypeId]: typeof TypeId
  readonly dtype: D
  readonly shape: S
}

// --- functions, data first ----------------------------------------------------------------------------------------------

/** Two dtypes where one is needed. */
export interface DTypeMismatch<A extends DType.Compute, B extends DType.Compute> {
  readonly "~dtypes differ": readonly [A, B]
}
/*
 * One signature and no overloads, because TypeScript tells a mistake in overloads in twice as many lines. A dtype is
 * `never` where a number stands, so that the result's is the union of the two.
 */
type Left<D extends DType.Compute, S extends S_> = number | Tile<D, S>
type Right<DA extends DType.Compute, A extends S_, DB extends DType.Compute, B extends S_> =
  number | (Tile<DB, B> & Agrees<DA, A, DB, B>)
/** What a condition of shape `S` may choose. */
type Chosen<S extends S_, D extends DType.Compute, Y extends S_> =
  number | (Tile<D, Y> & ([Shape.Broadcast<S, Y>] extends [never] ? ShapeMismatch<S, Y> : unknown))
type Agrees<DA extends DType.Compute, A extends S_, DB extends DType.Compute, B extends S_> = [DA] extends [never]
  ? unknown
  : [DB] extends [DA]
    ? [Shape.Broadcast<A, B>] extends [never]
      ? ShapeMismatch<A, B>
      : unknown
    : DTypeMismatch<DA, DB>
export interface UnaryFn<K extends DType.Compute> {
  <D extends K, S extends S_>(x: Tile<D, S>): Tile<D, S>
}
export interface TestFn<K extends DType.Compute> {
  <D extends K, S extends S_>(x: Tile<D, S>): Tile<"bool", S>
}
export interface BinaryFn<K extends DType.Compute> {
  <DA extends K = never, A extends S_ = [], DB extends K = DA, B extends S_ = []>(
    a: Left<DA, A>,
    b: Right<DA, A, DB, B>
  ): Tile<DA | DB, Shape.Broadcast<A, NoInfer<B>>>
}
export interface CompareFn<K extends DType.Compute> {
  <DA extends K = never, A extends S_ = [], DB extends K = DA, B extends S_ = []>(
    a: Left<DA, A>,
    b: Right<DA, A, DB, B>
  ): Tile<"bool", Shape.Broadcast<A, NoInfer<B>>>
}
export interface TernaryFn<K extends DType.Compute> {
  <D extends K, S extends S_, B extends S_ = [], C extends S_ = []>(
    a: Tile<D, S>,
    b: Operand<D, S, B>,
    c: Operand<D, S, C>
  ): Tile<D, Shape.Broadcast<Shape.Broadcast<S, NoInfer<B>>, NoInfer<C>>>
}
export interface ChooseFn<K extends DType.Compute> {
  <S extends S_, DY extends K = never, Y extends S_ = [], DN extends K = DY, N extends S_ = []>(
    condition: Tile<"bool", S>,
    yes: Chosen<S, DY, Y>,
    no: Right<DY, Shape.Broadcast<S, Y>, DN, N>
  ): Tile<DY | DN, Shape.Broadcast<Shape.Broadcast<S, NoInfer<Y>>, NoInfer<N>>>
}
type FunctionsOf<Family> = { readonly [Name in keyof Family]: Form<Family[Name]>["function"] }
export interface Functions
  extends
    FunctionsOf<typeof arithmetic>,
    FunctionsOf<typeof math>,
    FunctionsOf<typeof compare>,
    FunctionsOf<typeof bitwise> {}

const entryOf = (name: string) => {
  const entry = (...args: ReadonlyArray<unknown>): unknown => calledAt(entry, () => lifted(name, args))
  return entry
}
/** The methods as functions of tiles and numbers. */
export const functions = Object.fromEntries(methodNames.map((name) => [name, entryOf(name)])) as unknown as Functions
