/** Reductions over axes, and cumulative operations along one. */
import type { Accuracy, Example, ExampleArray, Primitive, WgslRule } from "../ir/primitive.ts"
import * as D from "./defined/reduce.ts"
import { array, equation, vector } from "./structural/example.ts"
import type { Settled } from "./structural/defined.ts"
import { plain } from "./structural/record.ts"
import * as R from "./structural/reduce.ts"
import * as W from "./wgsl/reduce.ts"
import type * as DType from "../DType.ts"

const numeric: ReadonlyArray<DType.Name> = ["f32", "f16", "i32", "u32"]

/** The reduction of the rows of a matrix. */
const over = (rows: ExampleArray, result: ExampleArray): Example =>
  equation([rows], [result], { axes: [1], keepDims: false })

const reduction = <const Name extends string>(
  name: Name,
  options: {
    readonly doc: string
    readonly dtypes: ReadonlyArray<DType.Name>
    /** Whether a reduction of nothing has a value. */
    readonly empty: boolean
    readonly result?: DType.Name
    readonly combine: (dtype: DType.Name) => R.Combine
    /** The operation that a value may settle. */
    readonly settled?: Settled
    readonly wgsl: WgslRule
    readonly accuracy?: Accuracy
    readonly example: Example
  }
): Primitive<Name> =>
  plain(name, "reduce", {
    doc: options.doc,
    operands: 1,
    result: R.reduceResult(options.dtypes, options.empty, options.result),
    evaluate: R.reduceEvaluate(options.combine),
    defined: D.reduced(options.settled),
    wgsl: options.wgsl,
    generate: { weight: 2, params: { axes: "axes", keepDims: "keepDims" } },
    example: options.example,
    ...(options.accuracy === undefined ? {} : { accuracy: options.accuracy })
  })

export const reduceSum = reduction("reduceSum", {
  doc: "The sum over axes; 0 of nothing.",
  dtypes: numeric,
  empty: true,
  combine: (dtype) => R.partials(0, R.addition(dtype)),
  wgsl: W.reduceSum,
  accuracy: R.sumAccuracy,
  example: over(array("i32", [2, 3], 1, 2, 3, 4, 5, 6), vector("i32", 6, 15))
})
export const reduceProd = reduction("reduceProd", {
  doc: "The product over axes; 1 of nothing.",
  dtypes: numeric,
  empty: true,
  combine: (dtype) => R.partials(1, R.product(dtype)),
  settled: "mul",
  wgsl: W.reduceProd,
  accuracy: R.productAccuracy,
  example: over(array("i32", [2, 3], 1, 2, 3, 4, 5, 6), vector("i32", 6, 120))
})
export const reduceMax = reduction("reduceMax", {
  doc: "The greatest element over axes; NaN if there is one.",
  dtypes: numeric,
  empty: false,
  combine: () => R.folded(Math.max),
  settled: "max",
  wgsl: W.reduceMax,
  example: over(array("f32", [2, 3], 1, 5, 3, 4, NaN, 6), vector("f32", 5, NaN))
})
export const reduceMin = reduction("reduceMin", {
  doc: "The least element over axes; NaN if there is one.",
  dtypes: numeric,
  empty: false,
  combine: () => R.folded(Math.min),
  settled: "min",
  wgsl: W.reduceMin,
  example: over(array("f32", [2, 3], 1, 5, 3, 4, NaN, 6), vector("f32", 1, NaN))
})
export const reduceAny = reduction("reduceAny", {
  doc: "Whether some element over the axes holds; false of nothing.",
  dtypes: ["bool"],
  empty: true,
  combine: () => R.partials(0, (a, b) => a | b),
  settled: "or",
  wgsl: W.reduceAny,
  example: over(array("bool", [2, 2], 0, 1, 0, 0), vector("bool", 1, 0))
})
export const reduceAll = reduction("reduceAll", {
  doc: "Whether all elements over the axes hold; true of nothing.",
  dtypes: ["bool"],
  empty: true,
  combine: () => R.partials(1, (a, b) => a & b),
  settled: "and",
  wgsl: W.reduceAll,
  example: over(array("bool", [2, 2], 0, 1, 1, 1), vector("bool", 0, 1))
})
export const argmax = reduction("argmax", {
  doc: "Row-major place, over the axes, of the first NaN, else of the first of the greatest elements.",
  dtypes: numeric,
  empty: false,
  result: "i32",
  combine: () => R.first((a, b) => a > b),
  wgsl: W.argmax,
  example: over(array("f32", [2, 3], 1, 5, 5, 4, NaN, 6), vector("i32", 1, 1))
})
export const argmin = reduction("argmin", {
  doc: "Row-major place, over the axes, of the first NaN, else of the first of the least elements.",
  dtypes: numeric,
  empty: false,
  result: "i32",
  combine: () => R.first((a, b) => a < b),
  wgsl: W.argmin,
  example: over(array("f32", [2, 3], 5, 1, 1, 4, NaN, 3), vector("i32", 1, 1))
})

export const cumsum = plain("cumsum", "reduce", {
  doc: "Sums of all elements up to each along an axis, in order.",
  operands: 1,
  result: R.scanResult,
  evaluate: R.scan(R.addition),
  defined: D.scanned(),
  wgsl: W.cumsum,
  accuracy: R.sumAccuracy,
  generate: { weight: 1, params: { axis: "axis", reverse: "reverse" } },
  example: equation([vector("i32", 1, 2, 3)], [vector("i32", 6, 5, 3)], { axis: 0, reverse: true })
})
export const cummax = plain("cummax", "reduce", {
  doc: "The greatest of all elements up to each along an axis; NaN from the first NaN on.",
  operands: 1,
  result: R.scanResult,
  evaluate: R.scan(() => Math.max),
  defined: D.scanned("max"),
  wgsl: W.cummax,
  generate: { weight: 1, params: { axis: "axis", reverse: "reverse" } },
  example: equation([vector("i32", 1, 3, 2)], [vector("i32", 1, 3, 3)], { axis: 0, reverse: false })
})
