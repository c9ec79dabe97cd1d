/**
 * Where every element of a view lies, those outside the ref told apart: padding beside the edge of a block, or out of
 * bounds.
 *
 * What is inside is found as by every interpreter; the chain of transforms is walked only for what is left.
 */
import type { ArrayValue } from "../../ir/array.ts"
import type { Aval } from "../../ir/program.ts"
import {
  address,
  type Affine,
  evalAffine,
  type Indices,
  linearise,
  type Transform,
  transformAval,
  type View
} from "../../ir/view.ts"
import * as Shape from "../../Shape.ts"
import { locate } from "./locate.ts"
import { type Thunk, thunks } from "./numbers.ts"

/** Stands for the cell of an element that is padding. */
export const padding = -1
/** Stands for the cell of an element that is out of bounds. */
export const outOfBounds = -2

/** Where an element would be. */
export interface Missed {
  /** The transform of the view whose bound the element misses. */
  readonly step: number
  /** Shape of what that transform looks at. */
  readonly shape: Shape.Shape
  /** Position there; some of it is below 0 or too large. */
  readonly coords: ReadonlyArray<number>
  readonly isPadding: boolean
}
export interface Outside {
  /** The cell of every element, in row-major order: its position in the ref, `padding` or `outOfBounds`. */
  readonly cells: (indices: ReadonlyArray<ArrayValue>, into: Int32Array) => Int32Array
  /** Where an element would be; nothing if it is in the ref. */
  readonly positionOf: (indices: ReadonlyArray<ArrayValue>, element: number) => Missed | undefined
}

const isInside = (i: number, size: number): boolean => i >= 0 && i < size

/** The way back through one transform, from where an element stands in what it shows to what it looks at. */
interface Level {
  readonly transform: Transform
  /** What the transform looks at, where the element stands in it, and how that is worked out. */
  readonly shape: Shape.Shape
  readonly at: Array<number>
  readonly back: ReadonlyArray<Thunk>
  /** Per axis, whether a position outside is padding now. */
  readonly isPadding: ReadonlyArray<() => boolean>
}

/** Whether one of the positions of a range is inside. */
const reaches = (start: number, size: number, stride: number, dim: number): boolean => {
  for (let i = 0; i < size; i++) if (isInside((start + Math.imul(i, stride)) | 0, dim)) return true
  return false
}
const paddingAt = (t: Transform, axis: number, dim: number, value: (a: Affine) => Thunk): (() => boolean) => {
  const e = t._tag === "Index" ? t.at[axis]! : undefined
  if (e === undefined || e._tag === "Gather" || e.padded === undefined) return () => false
  if (e._tag === "Point" || e.padded === "wholly") return () => true
  const start = value(e.start)
  let known: { readonly start: number; readonly answer: boolean } | undefined
  return () => {
    const now = start()
    if (known?.start !== now) known = { start: now, answer: reaches(now, e.size, e.stride, dim) }
    return known.answer
  }
}

const levelsOf = (view: View, on: Aval, indices: ReadonlyArray<Aval>, ix: Indices<Thunk>) => {
  const avals = [on]
  for (const t of view) avals.push(transformAval(t, avals.at(-1)!, indices, true))
  const at = avals.map(({ shape }) => new Array<number>(shape.length).fill(0))
  const levels = view.map((transform, k): Level => {
    const { shape } = avals[k]!
    const shown = at[k + 1]!
    const coords = shown.map((_, d) => () => shown[d]!)
    const back = address(thunks, ix, [transform], avals[k]!, indices, coords).coords
    const isPadding = shape.map((dim, d) => paddingAt(transform, d, dim, (a) => evalAffine(thunks, ix, a)))
    return { shape, transform, back, at: at[k]!, isPadding }
  })
  return { levels, at: at.at(-1)!, shape: avals.at(-1)!.shape }
}

/** Walks back to the first bound that is missed; gives the number of its transform, -1 if there is none. */
const walk = (levels: ReadonlyArray<Level>): number => {
  for (let k = levels.length - 1; k >= 0; k--) {
    const { at, back, shape, transform } = levels[k]!
    let misses = false
    for (const [d, coord] of back.entries()) {
      at[d] = coord()
      misses ||= transform._tag === "Index" && !isInside(at[d]!, shape[d]!)
    }
    if (misses) return k
  }
  return -1
}
const isPadding = ({ at, isPadding, shape }: Level): boolean =>
  at.every((i, d) => isInside(i, shape[d]!) || isPadding[d]!())

interface Walker {
  /** The level whose bound an element misses, with the position there. */
  readonly missed: (indices: ReadonlyArray<ArrayValue>, element: number) => number
  readonly levels: ReadonlyArray<Level>
}
const walker = (view: View, on: Aval, indices: ReadonlyArray<Aval>): Walker => {
  let values: ReadonlyArray<ArrayValue> = []
  const { at, levels, shape } = levelsOf(view, on, indices, {
    scalar: (k) => () => values[k]!.data[0]!,
    element: (k, coords) => {
      const position = linearise(thunks, indices[k]!.shape, coords)
      return () => values[k]!.data[position()]!
    },
    rank: (k) => indices[k]!.shape.length
  })
  const missed: Walker["missed"] = (now, element) => {
    values = now
    Shape.coordinates(shape, element, at)
    return walk(levels)
  }
  return { missed, levels }
}

/** What is worked out once for a view of `on` under indices of these types. */
export const outside = (view: View, on: Aval, indices: ReadonlyArray<Aval>): Outside => {
  const find = locate(view, on, indices)
  let made: Walker | undefined
  const walking = (): Walker => (made ??= walker(view, on, indices))
  return {
    positionOf: (now, element) => {
      const { levels, missed } = walking()
      const step = missed(now, element)
      const level = levels[step]
      if (level === undefined) return undefined
      return { step, shape: level.shape, coords: [...level.at], isPadding: isPadding(level) }
    },
    cells: (now, into) => {
      let inside = 0
      into.fill(outOfBounds)
      find(now, (element, position, count, step) => {
        inside += count
        for (let i = 0; i < count; i++) into[element + i] = position + i * step
      })
      if (inside === into.length) return into
      const { levels, missed } = walking()
      for (let e = 0; e < into.length; e++)
        if (into[e] === outOfBounds && isPadding(levels[missed(now, e)]!)) into[e] = padding
      return into
    }
  }
}
