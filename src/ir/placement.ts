/**
 * Where the elements of scratch lie in workgroup memory, which changes no result: the order of the elements is the row-major
 * one unless a tiling cuts the last axes into tiles, and a swizzle exchanges chunks of 16 bytes.
 */
import type * as Shape from "../Shape.ts"
import { TypingError } from "./typing.ts"
import { type Algebra, delinearise, linearise } from "./view.ts"

/** Declared on scratch; only workgroup memory obeys. */
export interface Placement {
  /** Sizes of tiles along the last axes; tiles lie one after the other, elements of one in row-major order. */
  readonly tiling?: ReadonlyArray<number>
  /** Bytes of a row within which chunks are exchanged. */
  readonly swizzle?: number
}
const swizzles: ReadonlyArray<number> = [32, 64, 128]

/** Every element takes one word of workgroup memory, whatever its dtype. */
const bytesPerElement = 4
const bytesPerChunk = 16
/** All banks together: chunks move with the number of the line, as in the swizzle modes of Hopper. */
const bytesPerLine = 128

/** The swizzles that divide rows of so many elements. */
export const swizzlesOf = (row: number): ReadonlyArray<number> =>
  swizzles.filter((swizzle) => (row * bytesPerElement) % swizzle === 0)

/** The placement that a declaration holds, without what is left out. */
export const placementOf = ({ swizzle, tiling }: { readonly [K in keyof Placement]: Placement[K] | undefined }) => ({
  ...(tiling === undefined ? {} : { tiling }),
  ...(swizzle === undefined ? {} : { swizzle })
})

/** Throws `TypingError` where tiles do not divide the last axes. */
export const checkTiling = (what: string, shape: Shape.Shape, tiling: ReadonlyArray<number>): void => {
  if (!Array.isArray(tiling) || !tiling.every((n) => Number.isInteger(n) && n >= 1))
    throw new TypingError(`${what} has the tiling ${String(tiling)}`, "sizes of tiles are whole numbers of at least 1")
  if (tiling.length > shape.length)
    throw new TypingError(`${what} has ${shape.length} axes and a tiling of ${tiling.length}`)
  tiling.forEach((n, k) => {
    const axis = shape.length - tiling.length + k
    if (shape[axis]! % n !== 0)
      throw new TypingError(
        `axis ${axis} of ${what} has size ${shape[axis]}, which tiles of ${n} do not divide`,
        "make the axis a multiple of the tile, or take another tiling"
      )
  })
}
const checkSwizzle = (what: string, row: number | undefined, swizzle: number): void => {
  if (!swizzles.includes(swizzle))
    throw new TypingError(`${what} has a swizzle of ${String(swizzle)} bytes`, "swizzles are of 32, 64 or 128 bytes")
  if (row === undefined || !swizzlesOf(row).includes(swizzle))
    throw new TypingError(
      `${what} has a swizzle of ${swizzle} bytes, which does not divide its rows of ${(row ?? 1) * bytesPerElement} bytes`,
      `an element takes ${bytesPerElement} bytes; make the last axis (of the tiles) a multiple of ${swizzle / bytesPerElement}`
    )
}
/** Throws `TypingError` where elements of that shape cannot be placed so. */
export const checkPlacement = (what: string, shape: Shape.Shape, { swizzle, tiling }: Placement): void => {
  if (tiling !== undefined) checkTiling(what, shape, tiling)
  if (swizzle !== undefined) checkSwizzle(what, tiling?.at(-1) ?? shape.at(-1), swizzle)
}

/** Arithmetic on positions, which are at least 0. */
export interface WordAlgebra<I> extends Algebra<I> {
  readonly xor: (a: I, b: I) => I
  /** The same position, named: it is used twice. */
  readonly share: (a: I) => I
}
/** Position in tiles of what has this row-major position. */
const tiled = <I>(alg: Algebra<I>, shape: Shape.Shape, tiling: ReadonlyArray<number>, linear: I): I => {
  const first = shape.length - tiling.length
  const coords = delinearise(alg, shape, linear)
  const [outer, inner] = [coords.slice(0, first), coords.slice(first)]
  const numbers = tiling.map((n, k) => shape[first + k]! / n)
  return linearise(
    alg,
    [...shape.slice(0, first), ...numbers, ...tiling],
    [...outer, ...inner.map((c, k) => alg.div(c, tiling[k]!)), ...inner.map((c, k) => alg.mod(c, tiling[k]!))]
  )
}
/**
 * Position of a word after the exchange: the number of its chunk in the row, xor the number of the line of 128 bytes. These
 * are the 32-, 64- and 128-byte modes of NVIDIA's tensor cores (https://docs.nvidia.com/cuda/parallel-thread-execution,
 * "Shared Memory Matrix Layout"; CUTLASS calls them Swizzle<B, 4, 3>).
 */
const swizzled = <I>(alg: WordAlgebra<I>, swizzle: number, word: I): I => {
  const at = alg.share(word)
  const line = alg.div(at, bytesPerLine / bytesPerElement)
  return alg.xor(at, alg.mul(alg.mod(line, swizzle / bytesPerChunk), bytesPerChunk / bytesPerElement))
}
/** Position in memory of the element at a row-major position. */
export const placed = <I>(alg: WordAlgebra<I>, shape: Shape.Shape, { swizzle, tiling }: Placement, linear: I): I => {
  const word = tiling === undefined ? linear : tiled(alg, shape, tiling, linear)
  return swizzle === undefined ? word : swizzled(alg, swizzle, word)
}
