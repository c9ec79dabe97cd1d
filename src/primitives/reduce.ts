/** Reductions over axes, and cumulative operations along one. */
import type { Accuracy, Primitive, WgslRule } from "../ir/primitive.ts"
import { plain } from "./structural/record.ts"
import * as R from "./structural/reduce.ts"
import * as W from "./wgsl/reduce.ts"
import type * as DType from "../DType.ts"

const numeric: ReadonlyArray<DType.Name> = ["f32", "f16", "i32", "u32"]

const reduction = <const Name extends string>(
  name: Name,
  options: {
    readonly doc: string
    readonly dtypes: ReadonlyArray<DType.Name>
    /** Whether a reduction of nothing has a value. */
    readonly empty: boolean
    readonly result?: DType.Name
    readonly combine: (dtype: DType.Name) => R.Combine
    readonly wgsl: WgslRule
    readonly accuracy?: Accuracy
  }
): Primitive<Name> =>
  plain(name, "reduce", {
    doc: options.doc,
    operands: 1,
    result: R.reduceResult(options.dtypes, options.empty, options.result),
    evaluate: R.reduceEvaluate(options.combine),
    wgsl: options.wgsl,
    generate: { weight: 2, params: { axes: "axes", keepDims: "keepDims" } },
    ...(options.accuracy === undefined ? {} : { accuracy: options.accuracy })
  })

export const reduceSum = reduction("reduceSum", {
  doc: "The sum over axes; 0 of nothing.",
  dtypes: numeric,
  empty: true,
  combine: (dtype) => R.partials(0, R.addition(dtype)),
  wgsl: W.reduceSum,
  accuracy: R.sumAccuracy
})
export const reduceProd = reduction("reduceProd", {
  doc: "The product over axes; 1 of nothing.",
  dtypes: numeric,
  empty: true,
  combine: (dtype) => R.partials(1, R.product(dtype)),
  wgsl: W.reduceProd,
  accuracy: R.productAccuracy
})
export const reduceMax = reduction("reduceMax", {
  doc: "The greatest element over axes; NaN if there is one.",
  dtypes: numeric,
  empty: false,
  combine: () => R.folded(Math.max),
  wgsl: W.reduceMax
})
export const reduceMin = reduction("reduceMin", {
  doc: "The least element over axes; NaN if there is one.",
  dtypes: numeric,
  empty: false,
  combine: () => R.folded(Math.min),
  wgsl: W.reduceMin
})
export const reduceAny = reduction("reduceAny", {
  doc: "Whether some element over the axes holds; false of nothing.",
  dtypes: ["bool"],
  empty: true,
  combine: () => R.partials(0, (a, b) => a | b),
  wgsl: W.reduceAny
})
export const reduceAll = reduction("reduceAll", {
  doc: "Whether all elements over the axes hold; true of nothing.",
  dtypes: ["bool"],
  empty: true,
  combine: () => R.partials(1, (a, b) => a & b),
  wgsl: W.reduceAll
})
export const argmax = reduction("argmax", {
  doc: "Row-major place, over the axes, of the first NaN, else of the first of the greatest elements.",
  dtypes: numeric,
  empty: false,
  result: "i32",
  combine: () => R.first((a, b) => a > b),
  wgsl: W.argmax
})
export const argmin = reduction("argmin", {
  doc: "Row-major place, over the axes, of the first NaN, else of the first of the least elements.",
  dtypes: numeric,
  empty: false,
  result: "i32",
  combine: () => R.first((a, b) => a < b),
  wgsl: W.argmin
})

export const cumsum = plain("cumsum", "reduce", {
  doc: "Sums of all elements up to each along an axis, in order.",
  operands: 1,
  result: R.scanResult,
  evaluate: R.scan(R.addition),
  wgsl: W.cumsum,
  accuracy: R.sumAccuracy,
  generate: { weight: 1, params: { axis: "axis", reverse: "reverse" } }
})
export const cummax = plain("cummax", "reduce", {
  doc: "The greatest of all elements up to each along an axis; NaN from the first NaN on.",
  operands: 1,
  result: R.scanResult,
  evaluate: R.scan(() => Math.max),
  wgsl: W.cummax,
  generate: { weight: 1, params: { axis: "axis", reverse: "reverse" } }
})
