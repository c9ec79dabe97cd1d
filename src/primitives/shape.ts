/** Primitives that move elements, and those that make tiles from nothing. */
import * as DType from "../DType.ts"
import { type ArrayValue, zeros } from "../ir/array.ts"
import type { Aval } from "../ir/program.ts"
import { TypingError } from "../ir/typing.ts"
import { checkPermutation } from "../ir/view.ts"
import * as Shape from "../Shape.ts"
import * as D from "./defined/shape.ts"
import { array, equation, scalar, vector } from "./structural/example.ts"
import { nothing } from "./structural/defined.ts"
import { plain } from "./structural/record.ts"
import { checkSameDtype, concatEvaluate, concatShape, takeEvaluate } from "./structural/join.ts"
import * as P from "./structural/params.ts"
import { strided, walk, words } from "./structural/words.ts"
import * as W from "./wgsl/shape.ts"

/** The same elements under another shape; values never change, so the storage is shared. */
const reshaped = (value: ArrayValue, to: Aval): ArrayValue => ({ dtype: to.dtype, shape: to.shape, data: value.data })

export const broadcast = plain("broadcast", "shape", {
  doc: "Repeats a tile along its axes of size 1, or a scalar along all axes.",
  operands: 1,
  result: ([a], params) => {
    const shape = P.shape(params, "shape")
    const fits =
      a!.shape.length === 0 || (a!.shape.length === shape.length && a!.shape.every((n, d) => n === 1 || n === shape[d]))
    if (!fits)
      throw new TypingError(
        `cannot broadcast ${Shape.show(a!.shape)} to ${Shape.show(shape)}`,
        "ranks must be equal, sizes equal or 1"
      )
    return P.result(a!.dtype, shape)
  },
  evaluate: (_, eqn, [a]) => {
    const aval = eqn.results[0]!
    const strides = Shape.strides(a!.shape)
    return [
      strided(
        a!,
        aval,
        0,
        aval.shape.map((_, d) => (a!.shape.length === 0 || a!.shape[d] === 1 ? 0 : strides[d]!))
      )
    ]
  },
  defined: D.moved,
  wgsl: W.broadcast,
  generate: { weight: 3, params: { shape: "broadcastShape" } },
  example: equation([array("i32", [2, 1], 1, 2)], [array("i32", [2, 3], 1, 1, 1, 2, 2, 2)], { shape: [2, 3] })
})

export const reshape = plain("reshape", "shape", {
  doc: "The same elements in row-major order under another shape.",
  operands: 1,
  result: ([a], params) => {
    const shape = P.shape(params, "shape")
    if (Shape.size(shape) !== Shape.size(a!.shape))
      throw new TypingError(`cannot reshape ${Shape.show(a!.shape)} to ${Shape.show(shape)}`, "the sizes must be equal")
    return P.result(a!.dtype, shape)
  },
  evaluate: (_, eqn, [a]) => [reshaped(a!, eqn.results[0]!)],
  defined: D.moved,
  wgsl: W.reshape,
  generate: { weight: 2, params: { shape: "sameSizeShape" } },
  example: equation([array("i32", [2, 3], 1, 2, 3, 4, 5, 6)], [array("i32", [3, 2], 1, 2, 3, 4, 5, 6)], {
    shape: [3, 2]
  })
})

export const transpose = plain("transpose", "shape", {
  doc: "Permutes axes: axis d of the result is axis perm[d] of the operand.",
  operands: 1,
  result: ([a], params) => {
    const perm = P.integers(params, "perm", a!.shape.length)
    checkPermutation(perm, a!.shape.length)
    return P.result(
      a!.dtype,
      perm.map((p) => a!.shape[p]!)
    )
  },
  evaluate: (_, eqn, [a]) => {
    const strides = Shape.strides(a!.shape)
    const perm = P.integers(eqn.params, "perm")
    return [
      strided(
        a!,
        eqn.results[0]!,
        0,
        perm.map((p) => strides[p]!)
      )
    ]
  },
  defined: D.moved,
  wgsl: W.transpose,
  generate: { weight: 2, params: { perm: "permutation" } },
  example: equation([array("i32", [2, 3], 1, 2, 3, 4, 5, 6)], [array("i32", [3, 2], 1, 4, 2, 5, 3, 6)], {
    perm: [1, 0]
  })
})

export const expandDims = plain("expandDims", "shape", {
  doc: "Inserts axes of size 1; `axes` are their places in the result.",
  operands: 1,
  result: ([a], params) => {
    const count = P.integers(params, "axes").length
    const axes = P.axes(params, "axes", a!.shape.length + count)
    const shape = [...a!.shape]
    for (const axis of axes) shape.splice(axis, 0, 1)
    return P.result(a!.dtype, shape)
  },
  evaluate: (_, eqn, [a]) => [reshaped(a!, eqn.results[0]!)],
  defined: D.moved,
  wgsl: W.expandDims,
  generate: { weight: 2, params: { axes: "expandedAxes" } },
  example: equation([vector("i32", 1, 2)], [array("i32", [1, 2, 1], 1, 2)], { axes: [0, 2] })
})

export const squeeze = plain("squeeze", "shape", {
  doc: "Removes axes of size 1.",
  operands: 1,
  result: ([a], params) => {
    const axes = P.axes(params, "axes", a!.shape.length)
    for (const axis of axes)
      if (a!.shape[axis] !== 1)
        throw new TypingError(`axis ${axis} has size ${a!.shape[axis]}`, "only axes of size 1 can go")
    return P.result(
      a!.dtype,
      a!.shape.filter((_, d) => !axes.includes(d))
    )
  },
  evaluate: (_, eqn, [a]) => [reshaped(a!, eqn.results[0]!)],
  defined: D.moved,
  wgsl: W.squeeze,
  generate: { weight: 2, params: { axes: "unitAxes" } },
  example: equation([array("i32", [1, 2, 1], 1, 2)], [array("i32", [2, 1], 1, 2)], { axes: [0] })
})

export const concat = plain("concat", "shape", {
  doc: "Joins tiles along an axis.",
  operands: undefined,
  result: (operands, params) => {
    if (operands.length === 0) throw new TypingError("takes at least one operand, got 0")
    const axis = P.axis(params, "axis", operands[0]!.shape.length)
    return P.result(operands[0]!.dtype, concatShape(operands, axis))
  },
  evaluate: concatEvaluate,
  defined: D.moved,
  wgsl: W.concat,
  generate: { weight: 2, params: { axis: "axis" } },
  example: equation(
    [array("i32", [2, 1], 1, 2), array("i32", [2, 2], 3, 4, 5, 6)],
    [array("i32", [2, 3], 1, 3, 4, 2, 5, 6)],
    { axis: 1 }
  )
})

export const slice = plain("slice", "shape", {
  doc: "Part of a tile: per axis a start, a size and a stride, all static and inside.",
  operands: 1,
  result: ([a], params) => {
    const rank = a!.shape.length
    const [starts, sizes, strides] = ["starts", "sizes", "strides"].map((name) => P.integers(params, name, rank))
    a!.shape.forEach((n, d) => {
      const [start, size, stride] = [starts![d]!, sizes![d]!, strides![d]!]
      if (stride < 1) throw new TypingError(`stride ${stride} on axis ${d}`, "strides are at least 1")
      if (start < 0 || size < 0 || (size > 0 ? start + (size - 1) * stride >= n : start > n))
        throw new TypingError(`slice of ${size} from ${start} with stride ${stride} is outside axis ${d} of size ${n}`)
    })
    return P.result(a!.dtype, sizes!)
  },
  evaluate: (_, eqn, [a]) => {
    const [starts, strides] = ["starts", "strides"].map((name) => P.integers(eqn.params, name))
    const of = Shape.strides(a!.shape)
    const offset = starts!.reduce((sum, start, d) => sum + start * of[d]!, 0)
    return [
      strided(
        a!,
        eqn.results[0]!,
        offset,
        strides!.map((stride, d) => stride * of[d]!)
      )
    ]
  },
  defined: D.moved,
  wgsl: W.slice,
  generate: { weight: 2, params: { starts: "starts", sizes: "sizes", strides: "strides" } },
  example: equation([vector("i32", 0, 1, 2, 3, 4, 5)], [vector("i32", 1, 3, 5)], {
    starts: [1],
    sizes: [3],
    strides: [2]
  })
})

export const flip = plain("flip", "shape", {
  doc: "Reverses axes.",
  operands: 1,
  result: ([a], params) => {
    P.axes(params, "axes", a!.shape.length)
    return P.result(a!.dtype, a!.shape)
  },
  evaluate: (_, eqn, [a]) => {
    const axes = P.integers(eqn.params, "axes")
    const of = Shape.strides(a!.shape)
    const offset = axes.reduce((sum, axis) => sum + (a!.shape[axis]! - 1) * of[axis]!, 0)
    return [
      strided(
        a!,
        eqn.results[0]!,
        offset,
        of.map((stride, d) => (axes.includes(d) ? -stride : stride))
      )
    ]
  },
  defined: D.moved,
  wgsl: W.flip,
  generate: { weight: 1, params: { axes: "axes" } },
  example: equation([array("i32", [2, 3], 1, 2, 3, 4, 5, 6)], [array("i32", [2, 3], 3, 2, 1, 6, 5, 4)], { axes: [1] })
})

export const pad = plain("pad", "shape", {
  doc: "Surrounds a tile with a value: `low` elements before and `high` elements after, per axis.",
  operands: 2,
  result: ([a, value], params) => {
    checkSameDtype(a!, value!)
    if (value!.shape.length !== 0)
      throw new TypingError(`the padding value has shape ${Shape.show(value!.shape)}`, "give a scalar")
    const [low, high] = ["low", "high"].map((name) => P.integers(params, name, a!.shape.length))
    if ([...low!, ...high!].some((n) => n < 0)) throw new TypingError("padding is negative", "cut with slice")
    return P.result(
      a!.dtype,
      a!.shape.map((n, d) => low![d]! + n + high![d]!)
    )
  },
  evaluate: (_, eqn, [a, value]) => {
    const out = zeros(eqn.results[0]!)
    const target = words(out.data).fill(words(value!.data)[0]!)
    const source = words(a!.data)
    const strides = Shape.strides(out.shape)
    const offset = P.integers(eqn.params, "low").reduce((sum, n, d) => sum + n * strides[d]!, 0)
    walk(a!.shape, strides, offset, (position, index) => {
      target[position] = source[index]!
    })
    return [out]
  },
  defined: D.moved,
  wgsl: W.pad,
  generate: { weight: 1, params: { low: "padding", high: "padding" } },
  example: equation([vector("i32", 1, 2), scalar("i32", 7)], [vector("i32", 7, 1, 2, 7, 7)], { low: [1], high: [2] })
})

export const take = plain("take", "shape", {
  doc: "Picks positions along an axis by an integer tile; positions out of range give 0.",
  operands: 2,
  result: ([a, index], params) => {
    const axis = P.axis(params, "axis", a!.shape.length)
    if (index!.dtype !== "i32") throw new TypingError(`the index is ${index!.dtype}`, "convert it to i32")
    return P.result(a!.dtype, [...a!.shape.slice(0, axis), ...index!.shape, ...a!.shape.slice(axis + 1)])
  },
  evaluate: takeEvaluate,
  defined: D.taken,
  wgsl: W.take,
  generate: { weight: 2, params: { axis: "axis" } },
  example: equation([vector("f32", 10, 20, 30), vector("i32", 2, 0, 3, -1)], [vector("f32", 30, 10, 0, 0)], { axis: 0 })
})

export const iota = plain("iota", "shape", {
  doc: "The position along an axis.",
  operands: 0,
  result: (_, params) => {
    const dtype = P.dtype(params, "dtype")
    if (dtype === "bool") throw new TypingError("positions cannot be bool", "take i32")
    const shape = P.shape(params, "shape")
    P.axis(params, "axis", shape.length)
    return P.result(dtype, shape)
  },
  evaluate: (_, eqn) => {
    const { dtype, shape } = eqn.results[0]!
    const axis = P.integer(eqn.params, "axis")
    const out = zeros({ dtype, shape })
    const round = DType.round(dtype)
    walk(
      shape,
      shape.map((_, d) => (d === axis ? 1 : 0)),
      0,
      (position, index) => {
        out.data[index] = round(position)
      }
    )
    return [out]
  },
  defined: nothing,
  wgsl: W.iota,
  generate: { weight: 2, params: { dtype: "numericDtype", shape: "shape", axis: "axis" } },
  example: equation([], [array("i32", [2, 3], 0, 1, 2, 0, 1, 2)], { dtype: "i32", shape: [2, 3], axis: 1 })
})

export const full = plain("full", "shape", {
  doc: "A tile whose elements are all one scalar.",
  operands: 1,
  stored: true,
  result: ([value], params) => {
    if (value!.shape.length !== 0)
      throw new TypingError(`the value has shape ${Shape.show(value!.shape)}`, "give a scalar")
    return P.result(value!.dtype, P.shape(params, "shape"))
  },
  evaluate: (_, eqn, [value]) => {
    const out = zeros(eqn.results[0]!)
    words(out.data).fill(words(value!.data)[0]!)
    return [out]
  },
  defined: D.moved,
  wgsl: W.full,
  generate: { weight: 2, params: { shape: "shape" } },
  example: equation([scalar("f32", 0.5)], [array("f32", [2, 2], 0.5, 0.5, 0.5, 0.5)], { shape: [2, 2] })
})
