/** Cells of a grid, and orders in which the program instances of a parallel grid may run. */
import type { GridAxis } from "../ir/program.ts"
import * as Shape from "../Shape.ts"

/** Positions along the axes of one semantics, and how many cells these have. */
export const axesOf = (grid: ReadonlyArray<GridAxis>, semantics: GridAxis["semantics"]) => {
  const axes = grid.flatMap((axis, k) => (axis.semantics === semantics ? [k] : []))
  const shape = axes.map((k) => grid[k]!.size)
  return {
    count: Shape.size(shape),
    place: (cell: number, at: Array<number>) => Shape.coordinates(shape, cell).forEach((c, d) => (at[axes[d]!] = c))
  }
}

/** Row-major, its reverse, a permutation drawn from a seed, or one that is given for a number of instances. */
export type Order = "row-major" | "reversed" | { readonly seed: number } | ((count: number) => ReadonlyArray<number>)

/** Pseudo-random numbers in [0, 1): a 32-bit linear congruential generator whose high bits are mixed (Knuth, TAOCP 2, 3.3.4). */
export const random = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return (Math.imul(state ^ (state >>> 16), 0x45d9f3b) >>> 0) / 2 ** 32
  }
}

/** Fisher and Yates' shuffle. */
const shuffled = (count: number, seed: number): ReadonlyArray<number> => {
  const next = random(seed)
  const out = Array.from({ length: count }, (_, i) => i)
  for (let i = count - 1; i > 0; i--) {
    const j = Math.floor(next() * (i + 1))
    ;[out[i], out[j]] = [out[j]!, out[i]!]
  }
  return out
}

const isPermutation = (of: ReadonlyArray<number>, count: number): boolean =>
  of.length === count && new Set(of).size === count && of.every((n) => Number.isInteger(n) && n >= 0 && n < count)

/** The n-th instance to run; `undefined` if the order is no permutation of the instances. */
export const instances = (order: Order, count: number): ((n: number) => number) | undefined => {
  if (order === "row-major") return (n) => n
  if (order === "reversed") return (n) => count - 1 - n
  const permutation = typeof order === "function" ? order(count) : shuffled(count, order.seed)
  return isPermutation(permutation, count) ? (n) => permutation[n]! : undefined
}
