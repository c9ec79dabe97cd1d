/** Placements to try, and arithmetic on numbers for them. */
import { type Placement, placementOf, swizzlesOf, type WordAlgebra } from "../../src/ir/placement.ts"
import type * as Shape from "../../src/Shape.ts"

export const numbers: WordAlgebra<number> = {
  constant: (n) => n,
  add: (a, b) => a + b,
  mul: (a, n) => a * n,
  div: (a, n) => Math.floor(a / n),
  mod: (a, n) => a % n,
  xor: (a, b) => a ^ b,
  share: (a) => a
}

const divisors = (n: number): ReadonlyArray<number> => [...Array(n).keys()].map((k) => k + 1).filter((d) => n % d === 0)
const tilings = (shape: Shape.Shape): ReadonlyArray<ReadonlyArray<number> | undefined> => {
  const [last, before] = [shape.at(-1)!, shape.at(-2)]
  const two = before === undefined ? [] : divisors(before).flatMap((m) => divisors(last).map((n) => [m, n]))
  return [undefined, ...divisors(last).map((n) => [n]), ...two]
}
/** Every tiling of the last one or two axes with every swizzle, where they divide. */
export const placements = (shape: Shape.Shape): ReadonlyArray<Placement> =>
  tilings(shape).flatMap((tiling) =>
    [undefined, ...swizzlesOf(tiling?.at(-1) ?? shape.at(-1)!)].map((swizzle) => placementOf({ tiling, swizzle }))
  )
