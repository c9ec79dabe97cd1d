/**
 * Views that are boxes: whose elements lie in the ref at constant distances along each axis.
 *
 * Most views are. Their elements are found by stepping, not by walking the chain of transforms for each; what is outside
 * the ref is a margin of the box.
 */
import type { Aval } from "../../ir/program.ts"
import * as Shape from "../../Shape.ts"
import { type Entry, evalAffine, type Indices, type Transform, type View } from "../../ir/view.ts"
import { numbers } from "./numbers.ts"

/** An axis of the view: elements `lo ≤ i < hi` are in the ref, `stride` apart. */
interface Axis {
  readonly size: number
  readonly stride: number
  readonly lo: number
  readonly hi: number
}
/** `base` is where coordinates 0 would be. */
interface Box {
  readonly base: number
  readonly axes: ReadonlyArray<Axis>
}
/** Elements `element … element + count − 1` of the view are at `position`, `position + step`, … of the ref. */
export type Visit = (element: number, position: number, count: number, step: number) => void

const nothing: Box = { base: 0, axes: [{ size: 0, stride: 0, lo: 0, hi: 0 }] }
const isFull = (a: Axis): boolean => a.lo === 0 && a.hi === a.size
const isEmpty = (a: Axis): boolean => a.lo >= a.hi
const fullAxes = (shape: Shape.Shape, stride: number): ReadonlyArray<Axis> =>
  Shape.strides(shape).map((s, d) => ({ size: shape[d]!, stride: s * stride, lo: 0, hi: shape[d]! }))

const index = (box: Box, at: ReadonlyArray<Entry>, ix: Indices<number>): Box | undefined => {
  let base = box.base
  const axes: Array<Axis> = []
  for (const [d, e] of at.entries()) {
    const a = box.axes[d]!
    if (e._tag === "Gather") return undefined
    if (e._tag === "Point") {
      const p = evalAffine(numbers, ix, e.at)
      if (p < a.lo || p >= a.hi) return nothing
      base += p * a.stride
    } else {
      const start = evalAffine(numbers, ix, e.start)
      // Positions wrap around at 2^31: only a slice that is shorter than that cannot come back in.
      if ((e.size - 1) * e.stride >= 2 ** 31) return undefined
      base += start * a.stride
      const place = (bound: number): number => Math.ceil((bound - start) / e.stride)
      axes.push({
        size: e.size,
        stride: a.stride * e.stride,
        lo: Math.max(0, place(a.lo)),
        hi: Math.min(e.size, place(a.hi))
      })
    }
  }
  return { base, axes }
}

/** Axes of size 1 add nothing, and neighbours that follow on are one axis. */
const collapse = (axes: ReadonlyArray<Axis>): ReadonlyArray<Axis> => {
  const out: Array<Axis> = []
  for (const a of axes) {
    const before = out.at(-1)
    if (a.size === 1) continue
    if (before !== undefined && isFull(a) && before.stride === a.stride * a.size)
      out[out.length - 1] = {
        size: before.size * a.size,
        stride: a.stride,
        lo: before.lo * a.size,
        hi: before.hi * a.size
      }
    else out.push(a)
  }
  return out
}

const reshape = (box: Box, shape: Shape.Shape): Box | undefined => {
  const kept = box.axes.filter((a) => a.size !== 1)
  if (
    Shape.equals(
      kept.map((a) => a.size),
      shape.filter((n) => n !== 1)
    )
  ) {
    let next = 0
    return { base: box.base, axes: shape.map((n) => (n === 1 ? { size: 1, stride: 0, lo: 0, hi: 1 } : kept[next++]!)) }
  }
  const [all, ...more] = collapse(box.axes)
  if (all === undefined || more.length > 0 || !isFull(all)) return undefined
  return { base: box.base, axes: fullAxes(shape, all.stride) }
}

const step = (box: Box, t: Transform, ix: Indices<number>): Box | undefined => {
  if (t._tag === "Index") return index(box, t.at, ix)
  if (t._tag === "Reshape") return reshape(box, t.shape)
  if (t._tag === "Transpose") return { base: box.base, axes: t.perm.map((p) => box.axes[p]!) }
  return box
}

const boxOf = (view: View, on: Aval, ix: Indices<number>): Box | undefined => {
  let box: Box | undefined = { base: 0, axes: fullAxes(on.shape, 1) }
  for (const t of view) {
    if (box.axes.some(isEmpty)) return nothing
    box = step(box, t, ix)
    if (box === undefined) return undefined
  }
  return box
}

const visitRows = (box: Box, visit: Visit): void => {
  const axes = collapse(box.axes)
  const elements = Shape.strides(axes.map((a) => a.size))
  const inner = axes.at(-1)
  if (inner === undefined) return visit(0, box.base, 1, 1)
  const go = (d: number, element: number, position: number): void => {
    const a = axes[d]!
    if (d === axes.length - 1) return visit(element + a.lo, position + a.lo * a.stride, a.hi - a.lo, a.stride)
    for (let i = a.lo; i < a.hi; i++) go(d + 1, element + i * elements[d]!, position + i * a.stride)
  }
  go(0, 0, box.base)
}

/** Visits the elements of the view that lie in the ref, in row-major order; `false` if the view is not a box. */
export const visitBox = (view: View, on: Aval, ix: Indices<number>, visit: Visit): boolean => {
  const box = boxOf(view, on, ix)
  if (box === undefined) return false
  if (!box.axes.some(isEmpty)) visitRows(box, visit)
  return true
}
