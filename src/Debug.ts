/**
 * Debugging inside kernels: prints of tiles, and assertions, on every interpreter. Their effect is `Effects.Debug`.
 *
 * What is printed goes to Effect's logger, one entry of level Info for each print, in the order of program instances
 * (row-major over the parallel axes; on Discharge, as they run) and, within one, in its own order. An entry is annotated
 * with `kernel`, `interpreter`, `label`, `program` (the position along each axis of the grid), `source` (where the print
 * was written) and `values` (the whole tiles as nested lists, by name if they have names). The message shows the first 64
 * elements of each tile, and how many there are. Inside a kernel that another calls, `program` is that of the caller.
 *
 * An assertion that does not hold fails the run: the first one in that order, after the prints before it. Discharge delivers
 * prints while it runs; Gpu when the run has ended, out of a buffer of limited size (`Gpu.layerWith`): prints that find no
 * room are lost, and a warning says how many. A failed assertion is never lost.
 *
 * @example
 * ```ts
 * import { Effect, Logger } from "effect"
 * import { Control, Debug, Discharge, f32, Kernel, MemRef, Tile } from "effect-kernels"
 *
 * const norms = Kernel.make("norms", {
 *   grid: [2],
 *   refs: {
 *     x: MemRef.in(f32, [2, 2], { block: [null, 2], index: (i) => [i, 0] }),
 *     o: MemRef.out(f32, [2], { block: [null], index: (i) => [i] })
 *   }
 * }, function*({ o, x }) {
 *   const i = yield* Control.programId(0)
 *   const v = yield* MemRef.load(x)
 *   yield* Debug.print("row", { i, v })
 *   yield* Debug.assert(Tile.isFinite(v), "the input is finite", i)
 *   yield* MemRef.store(o, Tile.sum(v.mul(v)).sqrt())
 * })
 * const lines: Array<unknown> = []
 * const logger = Logger.layer([Logger.make(({ message }) => void lines.push(message))])
 * const run = Kernel.run(norms, { x: Float32Array.of(3, 4, 1, NaN) }).pipe(
 *   Effect.catchReason("KernelError", "AssertionFailed", (failed) => Effect.succeed(failed.program)),
 *   Effect.provide([Discharge.layer, logger])
 * )
 * console.assert(String(await Effect.runPromise(run)) === "1")
 * console.assert(lines.join("; ") === "row: i = 0, v = [3, 4]; row: i = 1, v = [1, NaN]")
 * ```
 */
import type { Effect } from "effect"
import type * as DType from "./DType.ts"
import type * as Effects from "./Effects.ts"
import type { Shape } from "./Shape.ts"
import type * as Tile from "./Tile.ts"
import * as Impl from "./trace/debug.ts"

/** Prints a label and the tiles after it, of any dtypes and shapes, or a record of tiles with their names. */
export const print: {
  (label: string, ...tiles: ReadonlyArray<Tile.Any>): Effect.Effect<void, never, Effects.Debug>
  (label: string, tiles: { readonly [name: string]: Tile.Any }): Effect.Effect<void, never, Effects.Debug>
} = (label: string, ...tiles: ReadonlyArray<unknown>) => Impl.print(label, tiles) as any

/**
 * Fails the run with `AssertionFailed` where a bool scalar, or any element of a bool tile, is false. The reason has the
 * message, the position in the grid, the scalars `values` as numbers, and where the assertion was written.
 */
export const assert = (
  condition: Tile.Tile<"bool", Shape>,
  message: string,
  ...values: ReadonlyArray<Tile.Scalar<DType.Compute>>
): Effect.Effect<void, never, Effects.Debug> => Impl.assert(condition, message, values) as any
