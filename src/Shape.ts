/**
 * Static shapes: their types (tuples of number literals) and their arithmetic.
 *
 * Leaf module, pure; row-major everywhere.
 */

/** A shape; `number` in a dimension means "not known to the type checker". */
export type Shape = ReadonlyArray<number>

type Dim<A, B> = A extends B
  ? number extends A
    ? B
    : A
  : A extends 1
    ? B
    : B extends 1
      ? A
      : number extends A
        ? B
        : number extends B
          ? A
          : "mismatch"
type Zip<A extends Shape, B extends Shape> = { [K in keyof A]: Dim<A[K], B[K & keyof B]> }

/**
 * Broadcasting of equal ranks, or of a scalar against anything; `never` otherwise. Rank promotion is left to an explicit
 * `Tile.expandDims`, which keeps this type non-recursive (a mapped tuple) and so cheap.
 */
export type Broadcast<A extends Shape, B extends Shape> = B extends readonly []
  ? A
  : A extends readonly []
    ? Mutable<B>
    : number extends A["length"]
      ? Shape
      : number extends B["length"]
        ? Shape
        : A["length"] extends B["length"]
          ? "mismatch" extends Zip<A, B>[number]
            ? never
            : Extract<Zip<A, B>, Shape>
          : never

/** A tuple without `readonly`, so that shapes compare equal however they were written. */
export type Mutable<S extends Shape> = S extends readonly [...infer T extends Shape] ? [...T] : S

/** The reverse of a tuple. */
export type Reverse<S extends Shape> = S extends readonly [infer H extends number, ...infer T extends Shape]
  ? [...Reverse<T>, H]
  : []

/** `true` where axis `A` (from the front, or negative from the end) is the axis with `Before` in front and `After` behind. */
type IsAxis<A, Before extends Shape, After extends Shape> = A extends number
  ? A extends Before["length"]
    ? true
    : `${A}` extends `-${[...After, 0]["length"] & number}`
      ? true
      : never
  : never
type AxesOf<A> = A extends ReadonlyArray<infer X> ? X : A
type ReduceFrom<S extends Shape, A, Keep, Before extends Shape> = S extends readonly [
  infer H extends number,
  ...infer T extends Shape
]
  ? [IsAxis<AxesOf<A>, Before, T>] extends [never]
    ? [H, ...ReduceFrom<T, A, Keep, [...Before, H]>]
    : Keep extends true
      ? [1, ...ReduceFrom<T, A, Keep, [...Before, H]>]
      : ReduceFrom<T, A, Keep, [...Before, H]>
  : []
/** Shape after axes `A` (all, if undefined) are reduced; kept with size 1 if `Keep`. */
export type Reduced<S extends Shape, A, Keep> = number extends S["length"]
  ? Shape
  : [A] extends [undefined]
    ? Keep extends true
      ? { [K in keyof S]: 1 }
      : []
    : number extends AxesOf<A>
      ? Shape
      : ReduceFrom<S, A, Keep, []>

/** An axis that a shape does not have. */
export interface NoSuchAxis<A, S extends Shape> {
  readonly "~no such axis": readonly [A, S]
}
type Positions<S extends Shape> = Extract<keyof S, `${number}`>
/** `unknown` if a shape may have the axes `A`, from the front or negative from the end. */
export type HasAxes<S extends Shape, A> = number extends S["length"] | AxesOf<A>
  ? unknown
  : `${Extract<AxesOf<A>, number>}` extends Positions<S> | `-${Exclude<Positions<[0, ...S]>, "0">}`
    ? unknown
    : NoSuchAxis<A, S>

/** Shape with a dimension of 1 put in at axis `A` of the result. */
export type Expanded<S extends Shape, A extends number, Before extends Shape = []> = number extends S["length"]
  ? Shape
  : number extends A
    ? Shape
    : [IsAxis<A, Before, S>] extends [never]
      ? S extends readonly [infer H extends number, ...infer T extends Shape]
        ? [H, ...Expanded<T, A, [...Before, H]>]
        : never
      : [1, ...S]

/** Number of elements; 1 for a scalar. */
export const size = (shape: Shape): number => shape.reduce((a, b) => a * b, 1)

/** Row-major strides in elements. */
export const strides = (shape: Shape): Array<number> => {
  const out = new Array<number>(shape.length)
  let stride = 1
  for (let d = shape.length - 1; d >= 0; d--) {
    out[d] = stride
    stride *= shape[d]!
  }
  return out
}

export const equals = (a: Shape, b: Shape): boolean => a.length === b.length && a.every((n, i) => n === b[i])

/** `[2, 3]`, as messages print it. */
export const show = (shape: Shape): string => `[${shape.join(", ")}]`

/** The broadcast shape of two shapes of equal rank (or where one is a scalar), or `undefined`. */
export const broadcast = (a: Shape, b: Shape): Shape | undefined => {
  if (a.length === 0) return b
  if (b.length === 0) return a
  if (a.length !== b.length) return undefined
  const out: Array<number> = []
  for (let i = 0; i < a.length; i++) {
    const x = a[i]!
    const y = b[i]!
    if (x !== y && x !== 1 && y !== 1) return undefined
    out.push(x === 1 ? y : x)
  }
  return out
}

/** Whether every dimension is a whole number of at least 0. */
export const isValid = (shape: Shape): boolean => shape.every((n) => Number.isInteger(n) && n >= 0)

/** An axis counted from the front; negative axes count from the end; `undefined` where there is none. */
export const axis = (rank: number, axis: number): number | undefined => {
  const a = axis < 0 ? axis + rank : axis
  return Number.isInteger(a) && a >= 0 && a < rank ? a : undefined
}

/** Writes the coordinates of row-major element `index` into `into`. */
export const coordinates = (shape: Shape, index: number, into: Array<number> = []): Array<number> => {
  for (let d = shape.length - 1; d >= 0; d--) {
    const n = shape[d]!
    into[d] = index % n
    index = Math.floor(index / n)
  }
  return into
}
