/**
 * Property tests of kernels, and of interpreters by programs at random; needs `fast-check`.
 *
 * `Verify.kernel` holds an interpreter to what `Discharge` gives for one kernel, on arguments at random.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { Discharge, i32, Kernel, MemRef } from "effect-kernels"
 * import { Verify } from "effect-kernels/verify"
 *
 * const square = Kernel.make("square", {
 *   grid: [2],
 *   refs: {
 *     x: MemRef.in(i32, [6], { block: [3], index: (i) => [i] }),
 *     o: MemRef.out(i32, [6], { block: [3], index: (i) => [i] })
 *   }
 * }, function*({ o, x }) {
 *   const v = yield* MemRef.load(x)
 *   yield* MemRef.store(o, v.mul(v))
 * })
 * // In your own tests: Gpu.layer, provided with GpuDevice.layerSoftware of "effect-kernels/node".
 * await Effect.runPromise(Verify.kernel(square, Discharge.layerOrdered("reversed"), { runs: 20 }))
 * ```
 *
 * `Verify.args` gives the arguments alone, for properties of your own.
 *
 * @example
 * ```ts
 * import fc from "fast-check"
 * import { f32, Kernel, MemRef } from "effect-kernels"
 * import { Verify } from "effect-kernels/verify"
 *
 * const double = Kernel.make("double", {
 *   grid: [1],
 *   refs: { x: MemRef.in(f32, [4]), o: MemRef.out(f32, [4]) }
 * }, function*({ o, x }) {
 *   const v = yield* MemRef.load(x)
 *   yield* MemRef.store(o, v.add(v))
 * })
 * fc.assert(fc.property(Verify.args(double), ({ x }) => x.length === 4), { seed: 1 })
 * ```
 *
 * `Verify.programs` gives whole programs, for those who write an interpreter, a pass or a rule.
 *
 * @example
 * ```ts
 * import fc from "fast-check"
 * import { Effect } from "effect"
 * import { Discharge } from "effect-kernels"
 * import { Verify } from "effect-kernels/verify"
 *
 * // Does my interpreter do what discharge does, on any program?
 * const mine = Discharge.make({ order: "reversed" })
 * const agrees = fc.asyncProperty(Verify.programs(), (c) =>
 *   Effect.runPromise(Effect.map(Verify.agreement(mine, c), (difference) => difference === undefined)))
 * await fc.assert(agrees, { numRuns: 20, seed: 1 })
 * ```
 */
export * as Verify from "./verify/index.ts"
